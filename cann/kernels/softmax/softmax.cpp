// y = e^(x - m) / sum, or x - m - log(sum), with m the largest of the row.
// A row of nothing but -inf, a row with +inf and a row with NaN give NaN, as in PyTorch. Half types are computed in
// float32.
#include "cann/kernels/softmax/softmax.h"

#include "cann/kernels/math.h"
#include "cann/kernels/matmul/transpose.h"
#include "cann/kernels/rows.h"

namespace cann::kernels::CANN_ISA {
namespace {

// 1024 elements: a tile, its exponentials and the row's next tile fit in L1 together.
constexpr int64_t kTile = 1024;

// Rows up to this length go side by side: what a row costs by itself is more than its elements do.
constexpr int64_t kShortRow = 32, kRowsAtOnce = 32;

template <class A>
A finite_or_zero(A m) {  // so that -inf minus the maximum is -inf and not NaN; the sum, 0, then makes the NaN
  return m == -static_cast<A>(__builtin_inff()) ? A(0) : m;
}

template <class A>
A sum_of_exponentials(const A* __restrict x, A m, A* __restrict buffer, int64_t n) {
  for (int64_t i = 0; i < n; ++i) buffer[i] = math::exp_below(x[i] - m);
  return rows::sum_of(buffer, n);
}

// Maximum and sum of e^(x - maximum) in one pass: a tile with a new maximum scales what was summed before.
template <class T, class A>
void maximum_and_sum(const T* x, int64_t n, A& m, A& s) {
  alignas(64) A widened[kTile], exponentials[kTile];
  m = -static_cast<A>(__builtin_inff());
  s = 0;
  for (int64_t i = 0; i < n; i += kTile) {
    int64_t count = n - i < kTile ? n - i : kTile;
    const A* tile = rows::tile_of(x + i, count, widened);
    A larger = rows::maximum(tile, count);
    if (larger > m) {
      s *= math::exp(m - larger);
      m = larger;
    }
    s += sum_of_exponentials(tile, finite_or_zero(m), exponentials, count);
  }
}

template <bool kLog, class T, class Out>
void row_forward(const T* x, Out* y, int64_t n) {
  using A = Compute<T>;
  alignas(64) A widened[kTile], result[kTile];
  if (n <= kTile) {  // filled up to whole vectors with -inf, whose exponential is 0; the exponentials are kept
    const int64_t filled = (n + rows::kLanes<A> - 1) / rows::kLanes<A> * rows::kLanes<A>;
    widen(x, widened, n);
    for (int64_t i = n; i < filled; ++i) widened[i] = -static_cast<A>(__builtin_inff());
    const A m = finite_or_zero(rows::maximum(widened, filled));
    const A s = sum_of_exponentials(widened, m, result, filled), scale = A(1) / s, log_sum = kLog ? math::log(s) : s;
    for (int64_t i = 0; i < filled; ++i) result[i] = kLog ? (widened[i] - m) - log_sum : result[i] * scale;
    return narrow(result, y, n);
  }
  A m, s;
  maximum_and_sum(x, n, m, s);
  m = finite_or_zero(m);
  A scale = A(1) / s, log_sum = math::log(s);
  for (int64_t i = 0; i < n; i += kTile) {
    int64_t count = n - i < kTile ? n - i : kTile;
    const A* tile = rows::tile_of(x + i, count, widened);
    if constexpr (kLog) {
      for (int64_t j = 0; j < count; ++j) result[j] = (tile[j] - m) - log_sum;
    } else {
      for (int64_t j = 0; j < count; ++j) result[j] = math::exp_below(tile[j] - m) * scale;
    }
    narrow(result, y + i, count);
  }
}

template <bool kLog, class T, class Out>
void columns_forward(const T* x, Out* y, int64_t n, int64_t inner, int64_t width) {
  using A = Compute<T>;
  alignas(64) A v[kSoftmaxColumns], m[kSoftmaxColumns], s[kSoftmaxColumns];
  for (int64_t c = 0; c < width; ++c) m[c] = -static_cast<A>(__builtin_inff()), s[c] = 0;
  for (int64_t k = 0; k < n; ++k) {
    widen(x + k * inner, v, width);
    for (int64_t c = 0; c < width; ++c) m[c] = v[c] > m[c] ? v[c] : m[c];
  }
  for (int64_t c = 0; c < width; ++c) m[c] = finite_or_zero(m[c]);
  for (int64_t k = 0; k < n; ++k) {
    widen(x + k * inner, v, width);
    for (int64_t c = 0; c < width; ++c) s[c] += math::exp_below(v[c] - m[c]);
  }
  for (int64_t c = 0; c < width; ++c) s[c] = kLog ? math::log(s[c]) : A(1) / s[c];
  for (int64_t k = 0; k < n; ++k) {
    widen(x + k * inner, v, width);
    for (int64_t c = 0; c < width; ++c) v[c] = kLog ? (v[c] - m[c]) - s[c] : math::exp_below(v[c] - m[c]) * s[c];
    narrow(v, y + k * inner, width);
  }
}

// Up to kRowsAtOnce rows of up to kShortRow elements, turned into columns and back.
template <bool kLog, class T, class Out>
void short_rows_forward(const T* x, Out* y, int64_t n, int64_t count) {
  using A = Compute<T>;
  alignas(64) A columns[kShortRow * kRowsAtOnce], turned[kShortRow * kRowsAtOnce];
  pack_transposed(x, n, count, n, columns, kRowsAtOnce);
  columns_forward<kLog>(columns, columns, n, kRowsAtOnce, count);
  pack_transposed(columns, kRowsAtOnce, n, count, turned, n);
  narrow(turned, y, n * count);
}

// dx = y (dy - sum(dy y)), or of the logarithm dx = dy - e^y sum(dy).
template <bool kLog, class In, class Out>
void row_backward(const In* dy, const In* y, Out* dx, int64_t n) {
  using A = Compute<In>;
  alignas(64) A wide_dy[kTile], wide_y[kTile], result[kTile];
  A s = 0;
  for (int64_t i = 0; i < n; i += kTile) {
    int64_t count = n - i < kTile ? n - i : kTile;
    const A* g = rows::tile_of(dy + i, count, wide_dy);
    if constexpr (kLog) {
      s += rows::sum_of(g, count);
    } else {
      const A* p = rows::tile_of(y + i, count, wide_y);
      s += rows::sum<A>(count, [=](auto at) { return at(g) * at(p); });
    }
  }
  for (int64_t i = 0; i < n; i += kTile) {
    int64_t count = n - i < kTile ? n - i : kTile;
    const A* __restrict g = rows::tile_of(dy + i, count, wide_dy);
    const A* __restrict p = rows::tile_of(y + i, count, wide_y);
    for (int64_t j = 0; j < count; ++j) result[j] = kLog ? g[j] - math::exp(p[j]) * s : (g[j] - s) * p[j];
    narrow(result, dx + i, count);
  }
}

template <bool kLog, class In, class Out>
void columns_backward(const In* dy, const In* y, Out* dx, int64_t n, int64_t inner, int64_t width) {
  using A = Compute<In>;
  alignas(64) A g[kSoftmaxColumns], p[kSoftmaxColumns], s[kSoftmaxColumns];
  for (int64_t c = 0; c < width; ++c) s[c] = 0;
  for (int64_t k = 0; k < n; ++k) {
    widen(dy + k * inner, g, width);
    widen(y + k * inner, p, width);
    for (int64_t c = 0; c < width; ++c) s[c] += kLog ? g[c] : g[c] * p[c];
  }
  for (int64_t k = 0; k < n; ++k) {
    widen(dy + k * inner, g, width);
    widen(y + k * inner, p, width);
    for (int64_t c = 0; c < width; ++c) g[c] = kLog ? g[c] - math::exp(p[c]) * s[c] : (g[c] - s[c]) * p[c];
    narrow(g, dx + k * inner, width);
  }
}

// Where unit u begins, and how many columns it has.
struct Unit {
  int64_t offset, width;
};
Unit unit_at(const SoftmaxShape& shape, int64_t u) {
  int64_t blocks = shape.column_blocks();
  int64_t column = u % blocks * kSoftmaxColumns;
  int64_t width = shape.inner - column < kSoftmaxColumns ? shape.inner - column : kSoftmaxColumns;
  return {u / blocks * shape.n * shape.inner + column, width};
}

template <bool kLog, class T, class Out>
void forward(const void* x, void* y, const SoftmaxShape& shape, int64_t begin, int64_t end) {
  auto in = static_cast<const T*>(x);
  auto out = static_cast<Out*>(y);
  int64_t u = begin;
  if (shape.inner == 1 && shape.n <= kShortRow) {
    while (end - u >= rows::kLanes<Compute<T>>) {  // fewer would leave lanes empty
      const int64_t count = end - u < kRowsAtOnce ? end - u : kRowsAtOnce;
      short_rows_forward<kLog>(in + u * shape.n, out + u * shape.n, shape.n, count);
      u += count;
    }
  }
  for (; u < end; ++u) {
    if (shape.inner == 1) {
      row_forward<kLog>(in + u * shape.n, out + u * shape.n, shape.n);
    } else {
      Unit unit = unit_at(shape, u);
      columns_forward<kLog>(in + unit.offset, out + unit.offset, shape.n, shape.inner, unit.width);
    }
  }
}

template <bool kLog, class In, class Out>
void backward(const void* dy, const void* y, void* dx, const SoftmaxShape& shape, int64_t begin, int64_t end) {
  auto grad = static_cast<const In*>(dy);
  auto result = static_cast<const In*>(y);
  auto out = static_cast<Out*>(dx);
  for (int64_t u = begin; u < end; ++u) {
    if (shape.inner == 1) {
      row_backward<kLog>(grad + u * shape.n, result + u * shape.n, out + u * shape.n, shape.n);
    } else {
      Unit unit = unit_at(shape, u);
      columns_backward<kLog>(grad + unit.offset, result + unit.offset, out + unit.offset, shape.n, shape.inner,
                             unit.width);
    }
  }
}

}  // namespace

extern const SoftmaxKernels softmax_table{
    .forward = {{forward<false, float, float>, forward<false, double, double>, forward<false, Half, Half>,
                 forward<false, BFloat16, BFloat16>, forward<false, Half, float>, forward<false, BFloat16, float>},
                {forward<true, float, float>, forward<true, double, double>, forward<true, Half, Half>,
                 forward<true, BFloat16, BFloat16>, forward<true, Half, float>, forward<true, BFloat16, float>}},
    .backward = {{backward<false, float, float>, backward<false, double, double>, backward<false, Half, Half>,
                  backward<false, BFloat16, BFloat16>, backward<false, float, Half>, backward<false, float, BFloat16>},
                 {backward<true, float, float>, backward<true, double, double>, backward<true, Half, Half>,
                  backward<true, BFloat16, BFloat16>, backward<true, float, Half>, backward<true, float, BFloat16>}},
};

}  // namespace cann::kernels::CANN_ISA
