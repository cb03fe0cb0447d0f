// log(sum(exp(x))), without overflow: sums of exp(x - max), block by block, rescaled when a later block has a larger
// maximum. An infinite maximum counts as 0, as in PyTorch: only -inf gives -inf, any +inf gives +inf. NaN stays NaN.
#include "cann/kernels/math.h"
#include "cann/kernels/reduce/simple.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
struct LogSumExp {
  struct State {
    T max, sum;  // sum of exp(x - reference(max))
  };

  struct Max : PlainOp {
    template <class V>
    static V identity() {
      return lowest<V>();
    }
    template <class V>
    static V combine(V a, V b) {
      return larger(a, b);
    }
  };

  static constexpr int kSumLanes = 64;

  static T reference(T max) { return __builtin_isinf(max) ? 0 : max; }

  static void identity(void* states, int64_t count) {
    for (int64_t i = 0; i < count; ++i) static_cast<State*>(states)[i] = {lowest<T>(), 0};
  }

  static void rows(const void* x, int64_t row_stride, int64_t rows, int64_t n, int64_t, double, void* states) {
    auto row = static_cast<const T*>(x);
    for (int64_t r = 0; r < rows; ++r, row += row_stride) {
      T max = fold_row<T, Max>(row, n, 0), from = reference(max);
      T lanes[kSumLanes] = {};  // so that the exponentials are vectors
      int64_t i = 0;
      for (; i + kSumLanes <= n; i += kSumLanes)
        for (int lane = 0; lane < kSumLanes; ++lane) lanes[lane] += math::exp(row[i + lane] - from);
      for (int lane = 0; i < n; ++i, ++lane) lanes[lane] += math::exp(row[i] - from);
      T sum = 0;
      for (T part : lanes) sum += part;
      static_cast<State*>(states)[r] = {max, sum};
    }
  }

  static void columns(const void* x, int64_t row_stride, int64_t rows, int64_t cols, int64_t, double, void* states) {
    T max[kMaxBlockCols], sum[kMaxBlockCols] = {};
    for (int64_t c = 0; c < cols; ++c) max[c] = lowest<T>();
    auto row = static_cast<const T*>(x);
    for (int64_t r = 0; r < rows; ++r, row += row_stride)
      for (int64_t c = 0; c < cols; ++c) max[c] = larger(max[c], row[c]);
    row = static_cast<const T*>(x);
    T from[kMaxBlockCols];
    for (int64_t c = 0; c < cols; ++c) from[c] = reference(max[c]);
    for (int64_t r = 0; r < rows; ++r, row += row_stride)
      for (int64_t c = 0; c < cols; ++c) sum[c] += math::exp(row[c] - from[c]);
    for (int64_t c = 0; c < cols; ++c) static_cast<State*>(states)[c] = {max[c], sum[c]};
  }

  static T rescaled(State s, T max) { return s.sum == 0 ? 0 : s.sum * math::exp(reference(s.max) - reference(max)); }

  static void merge(void* into, const void* later, int64_t count) {
    auto a = static_cast<State*>(into);
    auto b = static_cast<const State*>(later);
    for (int64_t i = 0; i < count; ++i) {
      T max = larger(a[i].max, b[i].max);
      a[i] = {max, rescaled(a[i], max) + rescaled(b[i], max)};
    }
  }

  static void finish(const void* states, int64_t count, int64_t, double, void* values, int64_t*) {
    auto s = static_cast<const State*>(states);
    for (int64_t i = 0; i < count; ++i) static_cast<T*>(values)[i] = math::log(s[i].sum) + reference(s[i].max);
  }

  static constexpr Reducer kReducer{kDTypeOf<T>, kDTypeOf<T>, sizeof(State), false, identity,
                                    rows,        columns,     merge,         finish};
};

}  // namespace

const Reducer* find_logsumexp(ReduceOp, DType compute) {
  if (compute == DType::Float32) return &LogSumExp<float>::kReducer;
  if (compute == DType::Float64) return &LogSumExp<double>::kReducer;
  return nullptr;
}

}  // namespace cann::kernels::CANN_ISA
