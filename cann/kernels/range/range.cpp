// start + i * step in float64, rounded once to the type; integers in int64, wrapping. Powers through the C library's
// pow.
#include "cann/kernels/range/range.h"

#include <cmath>

#include "cann/kernels/index/combine.h"

namespace cann::kernels::CANN_ISA {
namespace {

double linear(double start, double step, double end, int64_t i, int64_t n) {
  return i < n / 2 ? start + step * static_cast<double>(i) : end - step * static_cast<double>(n - 1 - i);
}

template <class T>
T from_double(double x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    T half;
    narrow(static_cast<float>(x), half);
    return half;
  } else if constexpr (std::is_same_v<T, Bool>) {
    return {static_cast<uint8_t>(x != 0)};
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<int64_t>(x));
  } else {
    return static_cast<T>(x);
  }
}

template <class T, class Value>
void fill_with(void* to, int64_t stride, int64_t begin, int64_t end, Value&& value) {
  if (stride == static_cast<int64_t>(sizeof(T))) {
    T* out = static_cast<T*>(to);
    for (int64_t i = begin; i < end; ++i) out[i] = value(i);
  } else {
    for (int64_t i = begin; i < end; ++i) *reinterpret_cast<T*>(static_cast<char*>(to) + i * stride) = value(i);
  }
}

template <class T>
void fill_real(const Sequence& s, void* to, int64_t stride, int64_t begin, int64_t end) {
  switch (s.kind) {
    case Sequence::Kind::Integers:
      return fill_with<T>(to, stride, begin, end, [&](int64_t i) {
        const int64_t x = static_cast<int64_t>(static_cast<uint64_t>(s.first) +
                                               static_cast<uint64_t>(i) * static_cast<uint64_t>(s.by));
        if constexpr (std::is_integral_v<T>)
          return static_cast<T>(x);
        else
          return from_double<T>(static_cast<double>(x));
      });
    case Sequence::Kind::Steps:
      return fill_with<T>(to, stride, begin, end,
                          [&](int64_t i) { return from_double<T>(s.start + s.step * static_cast<double>(i)); });
    case Sequence::Kind::Linear:
      return fill_with<T>(to, stride, begin, end,
                          [&](int64_t i) { return from_double<T>(linear(s.start, s.step, s.end, i, s.n)); });
    case Sequence::Kind::Powers:
      return fill_with<T>(to, stride, begin, end, [&](int64_t i) {
        return from_double<T>(pow(s.base, linear(s.start, s.step, s.end, i, s.n)));
      });
  }
}

// |base| ** (x + iy) = base ** x * (cos(y ln base) + i sin(y ln base)). pre: base > 0
template <class T>
void fill_complex(const Sequence& s, void* to, int64_t stride, int64_t begin, int64_t end) {
  using R = decltype(T{}.re);
  fill_with<T>(to, stride, begin, end, [&](int64_t i) -> T {
    const bool steps = s.kind == Sequence::Kind::Steps;
    const double re = steps ? s.start + s.step * static_cast<double>(i) : linear(s.start, s.step, s.end, i, s.n);
    const double im =
        steps ? s.start_im + s.step_im * static_cast<double>(i) : linear(s.start_im, s.step_im, s.end_im, i, s.n);
    if (s.kind != Sequence::Kind::Powers) return {static_cast<R>(re), static_cast<R>(im)};
    const double size = pow(s.base, re), angle = im * log(s.base);
    return {static_cast<R>(size * cos(angle)), static_cast<R>(size * sin(angle))};
  });
}

void fill(const Sequence& sequence, void* to, int64_t stride, int64_t begin, int64_t end) {
  with_type(sequence.dtype, [&](auto element) {
    using T = decltype(element);
    if constexpr (std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>)
      fill_complex<T>(sequence, to, stride, begin, end);
    else
      fill_real<T>(sequence, to, stride, begin, end);
  });
}

void repeat(const int64_t* starts, int64_t begin, int64_t end, int64_t* to) {
  for (int64_t i = begin; i < end; ++i)
    for (int64_t k = starts[i]; k < starts[i + 1]; ++k) to[k] = i;
}

}  // namespace

extern const RangeKernels range_table{fill, repeat};

}  // namespace cann::kernels::CANN_ISA
