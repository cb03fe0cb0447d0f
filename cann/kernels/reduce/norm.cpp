// Vector norms of real numbers: sum |x|^p to the power 1/p; the largest and the smallest |x| for p = inf and -inf (NaN
// wins). Complex numbers come as their magnitudes. p = 0 is a count of non-zeros (logic.cpp).
#include "cann/kernels/reduce/simple.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
inline T absolute(T x) {
  return (x < 0 ? -x : x) + 0;
}  // + 0: -0 becomes 0

struct Norm1 : Sum {
  template <class T>
  static T map(T x, double) {
    return absolute(x);
  }
};

struct Norm2 : Norm1 {
  template <class T>
  static T map(T x, double) {
    return x * x;
  }
  template <class V, class T>
  static V finish(T total, int64_t, double) {
    return static_cast<V>(__builtin_sqrt(total));
  }
};

struct NormP : Norm1 {
  static constexpr bool kVectors = false;
  template <class T>
  static T map(T x, double p) {
    if constexpr (kSame<T, float>)
      return __builtin_powf(__builtin_fabsf(x), static_cast<float>(p));
    else
      return __builtin_pow(__builtin_fabs(x), p);
  }
  template <class V, class T>
  static V finish(T total, int64_t, double p) {
    return static_cast<V>(__builtin_pow(static_cast<double>(total), 1 / p));
  }
};

struct NormInf : PlainOp {
  template <class T>
  static T identity() {
    return 0;
  }
  template <class T>
  static T map(T x, double) {
    return absolute(x);
  }
  template <class T>
  static T combine(T a, T b) {
    return larger(a, b);
  }
};

struct NormMinusInf : NormInf {
  template <class T>
  static T identity() {
    return highest<T>();
  }
  template <class T>
  static T combine(T a, T b) {
    return smaller(a, b);
  }
};

template <class T>
const Reducer* of_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::Norm1: return &kSimpleReducer<T, Norm1>;
    case ReduceOp::Norm2: return &kSimpleReducer<T, Norm2>;
    case ReduceOp::NormP: return &kSimpleReducer<T, NormP>;
    case ReduceOp::NormInf: return &kSimpleReducer<T, NormInf>;
    case ReduceOp::NormMinusInf: return &kSimpleReducer<T, NormMinusInf>;
    default: return nullptr;
  }
}

}  // namespace

const Reducer* find_norm(ReduceOp op, DType compute) {
  if (compute == DType::Float32) return of_op<float>(op);
  if (compute == DType::Float64) return of_op<double>(op);
  return nullptr;
}

}  // namespace cann::kernels::CANN_ISA
