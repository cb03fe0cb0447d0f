// max and min with the index of the first extremum; the first NaN wins. A row is searched for the index only after its
// extremum is known: both passes are vectorised, the second ends early.
#include "cann/kernels/reduce/simple.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T, bool kLargest>
struct Arg {
  struct State {
    T value;
    int64_t index;  // -1: nothing seen
  };

  struct Op : PlainOp {
    template <class V>
    static V identity() {
      return kLargest ? lowest<V>() : highest<V>();
    }
    template <class V>
    static V combine(V a, V b) {
      return kLargest ? larger(a, b) : smaller(a, b);
    }
  };

  static bool beats(T later, T earlier) {
    return (kLargest ? later > earlier : later < earlier) | ((later != later) & (earlier == earlier));
  }

  static void identity(void* states, int64_t count) {
    for (int64_t i = 0; i < count; ++i) static_cast<State*>(states)[i] = {Op::template identity<T>(), -1};
  }

  static int64_t index_of(const T* x, int64_t n, T value) {
    constexpr int64_t kStep = 64;
    int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
      int found = 0;
      if (value == value)
        for (int64_t k = 0; k < kStep; ++k) found |= x[i + k] == value;
      else
        for (int64_t k = 0; k < kStep; ++k) found |= x[i + k] != x[i + k];
      if (found) break;
    }
    while (i < n && !(x[i] == value || (value != value && x[i] != x[i]))) ++i;
    return i;
  }

  static void rows(const void* x, int64_t row_stride, int64_t rows, int64_t n, int64_t first, double parameter,
                   void* states) {
    auto row = static_cast<const T*>(x);
    for (int64_t r = 0; r < rows; ++r, row += row_stride) {
      T value = fold_row<T, Op>(row, n, parameter);
      static_cast<State*>(states)[r] = {value, first + index_of(row, n, value)};
    }
  }

  static void columns(const void* x, int64_t row_stride, int64_t rows, int64_t cols, int64_t first, double,
                      void* states) {
    T value[kMaxBlockCols];
    int32_t index[kMaxBlockCols] = {};
    auto row = static_cast<const T*>(x);
    for (int64_t c = 0; c < cols; ++c) value[c] = row[c];
    for (int32_t r = 1; r < rows; ++r) {
      row += row_stride;
      for (int64_t c = 0; c < cols; ++c) {
        T v = row[c];
        bool wins = beats(v, value[c]);
        value[c] = wins ? v : value[c];
        index[c] = wins ? r : index[c];
      }
    }
    for (int64_t c = 0; c < cols; ++c) static_cast<State*>(states)[c] = {value[c], first + index[c]};
  }

  static void merge(void* into, const void* later, int64_t count) {
    auto a = static_cast<State*>(into);
    auto b = static_cast<const State*>(later);
    for (int64_t i = 0; i < count; ++i)
      if (b[i].index >= 0 && (a[i].index < 0 || beats(b[i].value, a[i].value))) a[i] = b[i];
  }

  static void finish(const void* states, int64_t count, int64_t, double, void* values, int64_t* indices) {
    auto s = static_cast<const State*>(states);
    for (int64_t i = 0; i < count; ++i) static_cast<T*>(values)[i] = s[i].value;
    if (indices)
      for (int64_t i = 0; i < count; ++i) indices[i] = s[i].index;
  }

  static constexpr Reducer make(DType dtype) {
    return {dtype, dtype, sizeof(State), true, identity, rows, columns, merge, finish};
  }
};

template <class T, bool kLargest>
constexpr Reducer kArg = Arg<T, kLargest>::make(kSame<T, uint8_t> ? DType::Bool : kDTypeOf<T>);

template <bool kLargest>
const Reducer* of_type(DType compute) {
  switch (compute) {
    case DType::Float32: return &kArg<float, kLargest>;
    case DType::Float64: return &kArg<double, kLargest>;
    case DType::Int64: return &kArg<int64_t, kLargest>;
    case DType::Bool: return &kArg<uint8_t, kLargest>;
    default: return nullptr;
  }
}

}  // namespace

const Reducer* find_arg(ReduceOp op, DType compute) {
  return op == ReduceOp::ArgMax ? of_type<true>(compute) : of_type<false>(compute);
}

}  // namespace cann::kernels::CANN_ISA
