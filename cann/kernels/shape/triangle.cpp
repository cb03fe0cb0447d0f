// tril and triu: what is kept is copied, the rest is zero, in one pass. In place works: a kept element is written where
// it stands.
#include "cann/kernels/shape/triangle.h"

#include <cstring>

#include "cann/kernels/bytes.h"
#include "cann/kernels/index/combine.h"

namespace cann::kernels::CANN_ISA {
namespace {

int64_t clamped(int64_t x, int64_t high) { return x < 0 ? 0 : x > high ? high : x; }

template <class T>
void triangle_rows(const Triangle& t, int64_t begin, int64_t end) {
  constexpr int64_t kBytes = sizeof(T);
  for (int64_t row = begin; row < end; ++row) {
    const int64_t first = t.upper ? clamped(row + t.diagonal, t.columns) : 0;
    const int64_t stop = t.upper ? t.columns : clamped(row + t.diagonal + 1, t.columns);
    const char* from = t.from + row * t.from_row;
    char* to = t.to + row * t.to_row;
    if (t.to_column == kBytes && t.from_column == kBytes) {
      std::memset(to, 0, first * kBytes);
      if (from != to) std::memmove(to + first * kBytes, from + first * kBytes, (stop - first) * kBytes);
      std::memset(to + stop * kBytes, 0, (t.columns - stop) * kBytes);
      continue;
    }
    for (int64_t j = 0; j < t.columns; ++j) {
      T value{};
      if (j >= first && j < stop) value = *reinterpret_cast<const T*>(from + j * t.from_column);
      *reinterpret_cast<T*>(to + j * t.to_column) = value;
    }
  }
}

void rows(const Triangle& t, int64_t begin, int64_t end) {
  with_bytes(t.element_bytes, [&]<class T>(T) { triangle_rows<T>(t, begin, end); });
}

template <class T>
void unfold_planes(const Unfolded& u, int64_t begin, int64_t end) {
  const T* out = static_cast<const T*>(u.grad_out);
  T* in = static_cast<T*>(u.grad_in);
  for (int64_t plane = begin; plane < end; ++plane) {
    const int64_t outer = plane / u.length, p = plane % u.length;
    // The windows i with i * step <= p < i * step + size.
    const int64_t reach = p - u.size + 1;
    const int64_t first = reach <= 0 ? 0 : (reach + u.step - 1) / u.step;
    const int64_t last = p / u.step < u.windows - 1 ? p / u.step : u.windows - 1;
    for (int64_t k = 0; k < u.inner; ++k) {
      Accumulator<T> sum{};
      for (int64_t i = first; i <= last; ++i)
        sum = Add::apply(sum, load(out[((outer * u.windows + i) * u.inner + k) * u.size + p - i * u.step]));
      store<T>(sum, in[plane * u.inner + k]);
    }
  }
}

void unfold_backward(const Unfolded& u, int64_t begin, int64_t end) {
  with_type(u.dtype, [&](auto element) { unfold_planes<decltype(element)>(u, begin, end); });
}

}  // namespace

extern const TriangleKernels triangle_table{rows, unfold_backward};

}  // namespace cann::kernels::CANN_ISA
