// amax and amin: NaN wins. Booleans are bytes of 0 and 1.
#include "cann/kernels/reduce/simple.h"

namespace cann::kernels::CANN_ISA {
namespace {

struct Max : PlainOp {
  template <class T>
  static T identity() {
    return lowest<T>();
  }
  template <class T>
  static T combine(T a, T b) {
    return larger(a, b);
  }
};

struct Min : PlainOp {
  template <class T>
  static T identity() {
    return highest<T>();
  }
  template <class T>
  static T combine(T a, T b) {
    return smaller(a, b);
  }
};

constexpr Reducer kMaxBool = SimpleReducer<uint8_t, uint8_t, Max>::make(DType::Bool, DType::Bool);
constexpr Reducer kMinBool = SimpleReducer<uint8_t, uint8_t, Min>::make(DType::Bool, DType::Bool);

template <class Op>
const Reducer* of_type(DType compute) {
  switch (compute) {
    case DType::Float32: return &kSimpleReducer<float, Op>;
    case DType::Float16: return &kHalfReducer<Half, Op>;
    case DType::BFloat16: return &kHalfReducer<BFloat16, Op>;
    case DType::Float64: return &kSimpleReducer<double, Op>;
    case DType::Int64: return &kSimpleReducer<int64_t, Op>;
    default: return nullptr;
  }
}

}  // namespace

const Reducer* find_extremum(ReduceOp op, DType compute) {
  if (compute == DType::Bool) return op == ReduceOp::Max ? &kMaxBool : &kMinBool;
  return op == ReduceOp::Max ? of_type<Max>(compute) : of_type<Min>(compute);
}

}  // namespace cann::kernels::CANN_ISA
