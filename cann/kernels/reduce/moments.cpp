// Variance and mean: two passes over each block while it is in the cache, blocks merged by Chan, Golub and LeVeque's
// formula in float64. The sum of deviations, which would be zero without rounding, corrects the sum of squares.
#include "cann/kernels/reduce/simple.h"

namespace cann::kernels::CANN_ISA {
namespace {

struct Moments {
  double n, mean, squares;  // squares: sum of (x - mean)^2
};

template <class T>
struct BlockMoments {
  static void identity(void* states, int64_t count) { __builtin_memset(states, 0, count * sizeof(Moments)); }

  static Moments of_sums(T center, T deviations, T squares, int64_t n) {
    double d = deviations, count = static_cast<double>(n);
    return {count, center + d / count, squares - d * d / count};
  }

  static Moments of_row(const T* x, int64_t n) {
    constexpr int L = kLanes<T>;
    Vec<T> a{}, b{};
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
      a += load(x + i);
      b += load(x + i + L);
    }
    a += b;
    T total = 0;
    for (int lane = 0; lane < L; ++lane) total += a[lane];
    for (; i < n; ++i) total += x[i];
    T center = total / static_cast<T>(n);

    Vec<T> deviations{}, squares{};
    for (i = 0; i + L <= n; i += L) {
      Vec<T> d = load(x + i) - center;
      deviations += d;
      squares += d * d;
    }
    T d_total = 0, s_total = 0;
    for (int lane = 0; lane < L; ++lane) {
      d_total += deviations[lane];
      s_total += squares[lane];
    }
    for (; i < n; ++i) {
      T d = x[i] - center;
      d_total += d;
      s_total += d * d;
    }
    return of_sums(center, d_total, s_total, n);
  }

  static void rows(const void* x, int64_t row_stride, int64_t rows, int64_t n, int64_t, double, void* states) {
    for (int64_t r = 0; r < rows; ++r)
      static_cast<Moments*>(states)[r] = of_row(static_cast<const T*>(x) + r * row_stride, n);
  }

  static void columns(const void* x, int64_t row_stride, int64_t rows, int64_t cols, int64_t, double, void* states) {
    T center[kMaxBlockCols] = {}, deviations[kMaxBlockCols] = {}, squares[kMaxBlockCols] = {};
    auto row = static_cast<const T*>(x);
    for (int64_t r = 0; r < rows; ++r, row += row_stride)
      for (int64_t c = 0; c < cols; ++c) center[c] += row[c];
    for (int64_t c = 0; c < cols; ++c) center[c] /= static_cast<T>(rows);
    row = static_cast<const T*>(x);
    for (int64_t r = 0; r < rows; ++r, row += row_stride) {
      for (int64_t c = 0; c < cols; ++c) {
        T d = row[c] - center[c];
        deviations[c] += d;
        squares[c] += d * d;
      }
    }
    for (int64_t c = 0; c < cols; ++c)
      static_cast<Moments*>(states)[c] = of_sums(center[c], deviations[c], squares[c], rows);
  }

  static void merge(void* into, const void* later, int64_t count) {
    auto a = static_cast<Moments*>(into);
    auto b = static_cast<const Moments*>(later);
    for (int64_t i = 0; i < count; ++i) {
      if (a[i].n == 0) {
        a[i] = b[i];
      } else if (b[i].n != 0) {
        double n = a[i].n + b[i].n, delta = b[i].mean - a[i].mean;
        a[i].squares += b[i].squares + delta * delta * (a[i].n * b[i].n / n);
        a[i].mean += delta * (b[i].n / n);
        a[i].n = n;
      }
    }
  }

  // Divides by n - correction, by zero where that is negative: NaN or infinity, as PyTorch.
  template <bool kRoot>
  static void finish_variance(const void* states, int64_t count, int64_t n, double correction, void* values, int64_t*) {
    double divisor = static_cast<double>(n) - correction;
    if (divisor < 0) divisor = 0;
    auto s = static_cast<const Moments*>(states);
    for (int64_t i = 0; i < count; ++i) {
      double variance = s[i].squares / divisor;
      if (n == 0) variance = __builtin_nan("");
      static_cast<T*>(values)[i] = static_cast<T>(kRoot ? __builtin_sqrt(variance) : variance);
    }
  }

  static void finish_mean(const void* states, int64_t count, int64_t n, double, void* values, int64_t*) {
    auto s = static_cast<const Moments*>(states);
    for (int64_t i = 0; i < count; ++i) static_cast<T*>(values)[i] = n ? static_cast<T>(s[i].mean) : __builtin_nan("");
  }

  static constexpr Reducer make(decltype(Reducer::finish) finish) {
    return {kDTypeOf<T>, kDTypeOf<T>, sizeof(Moments), false, identity, rows, columns, merge, finish};
  }
  static constexpr Reducer kVar = make(finish_variance<false>), kStd = make(finish_variance<true>),
                           kMean = make(finish_mean);
};

template <class T>
const Reducer* of_op(ReduceOp op) {
  using M = BlockMoments<T>;
  return op == ReduceOp::Var ? &M::kVar : op == ReduceOp::Std ? &M::kStd : &M::kMean;
}

}  // namespace

const Reducer* find_moments(ReduceOp op, DType compute) {
  if (compute == DType::Float32) return of_op<float>(op);
  if (compute == DType::Float64) return of_op<double>(op);
  return nullptr;
}

}  // namespace cann::kernels::CANN_ISA
