// any, all, count_nonzero of booleans (the plan's conversion has made anything but zero true, NaN included).
#include "cann/kernels/reduce/simple.h"

namespace cann::kernels::CANN_ISA {
namespace {

struct Any : PlainOp {
  template <class T>
  static T identity() {
    return 0;
  }
  template <class T>
  static T combine(T a, T b) {
    return a | b;
  }
};

struct All : PlainOp {
  template <class T>
  static T identity() {
    return 1;
  }
  template <class T>
  static T combine(T a, T b) {
    return a & b;
  }
};

constexpr Reducer kAny = SimpleReducer<uint8_t, uint8_t, Any>::make(DType::Bool, DType::Bool);
constexpr Reducer kAll = SimpleReducer<uint8_t, uint8_t, All>::make(DType::Bool, DType::Bool);

// The count is wider than what is counted, so it has loops of its own.
struct Count {
  static void identity(void* states, int64_t count) { __builtin_memset(states, 0, count * sizeof(int64_t)); }

  static void rows(const void* x, int64_t row_stride, int64_t rows, int64_t n, int64_t, double, void* states) {
    auto row = static_cast<const uint8_t*>(x);
    for (int64_t r = 0; r < rows; ++r, row += row_stride) {
      int32_t total = 0;  // a block has at most kMaxRowBlock values
      for (int64_t i = 0; i < n; ++i) total += row[i];
      static_cast<int64_t*>(states)[r] = total;
    }
  }

  static void columns(const void* x, int64_t row_stride, int64_t rows, int64_t cols, int64_t, double, void* states) {
    auto row = static_cast<const uint8_t*>(x);
    uint16_t total[kMaxBlockCols] = {};
    for (int64_t r = 0; r < rows; ++r, row += row_stride)
      for (int64_t c = 0; c < cols; ++c) total[c] += row[c];
    for (int64_t c = 0; c < cols; ++c) static_cast<int64_t*>(states)[c] = total[c];
  }

  static void merge(void* into, const void* later, int64_t count) {
    for (int64_t i = 0; i < count; ++i) static_cast<int64_t*>(into)[i] += static_cast<const int64_t*>(later)[i];
  }

  static void finish(const void* states, int64_t count, int64_t, double, void* values, int64_t*) {
    __builtin_memcpy(values, states, count * sizeof(int64_t));
  }
};

constexpr Reducer kCount{DType::Bool, DType::Int64,   sizeof(int64_t), false,        Count::identity,
                         Count::rows, Count::columns, Count::merge,    Count::finish};

}  // namespace

const Reducer* find_logic(ReduceOp op, DType compute) {
  if (compute != DType::Bool) return nullptr;
  return op == ReduceOp::Any ? &kAny : op == ReduceOp::All ? &kAll : &kCount;
}

}  // namespace cann::kernels::CANN_ISA
