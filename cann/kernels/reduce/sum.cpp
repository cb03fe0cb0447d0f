// sum, mean, nansum, prod. Integers wrap as PyTorch's do. Floats: at most 16 + log2 roundings follow one another within
// a block.
#include "cann/kernels/reduce/simple.h"

namespace cann::kernels::CANN_ISA {
namespace {

struct Mean : Sum {
  template <class V, class T>
  static V finish(T total, int64_t n, double) {
    if constexpr (kIsComplex<T>)
      return total / static_cast<decltype(total.re)>(n);
    else
      return total / static_cast<T>(n);
  }
};

struct NanSum : Sum {
  template <class T>
  static T map(T x, double) {
    return x == x ? x : T{};
  }
};

// Unsigned, so that overflow wraps.
template <class Op>
constexpr Reducer kInt64 = SimpleReducer<uint64_t, uint64_t, Op>::make(DType::Int64, DType::Int64);

template <class Op>
const Reducer* of_type(DType compute) {
  switch (compute) {
    case DType::Float32: return &kSimpleReducer<float, Op>;
    case DType::Float16: return &kHalfReducer<Half, Op>;
    case DType::BFloat16: return &kHalfReducer<BFloat16, Op>;
    case DType::Float64: return &kSimpleReducer<double, Op>;
    case DType::Complex64: return &kSimpleReducer<Complex<float>, Op>;
    case DType::Complex128: return &kSimpleReducer<Complex<double>, Op>;
    default: return nullptr;
  }
}

}  // namespace

const Reducer* find_sum(ReduceOp op, DType compute) {
  switch (op) {
    case ReduceOp::Sum: return compute == DType::Int64 ? &kInt64<Sum> : of_type<Sum>(compute);
    case ReduceOp::Prod: return compute == DType::Int64 ? &kInt64<Product> : of_type<Product>(compute);
    case ReduceOp::Mean: return of_type<Mean>(compute);
    case ReduceOp::NanSum:
      if (compute == DType::Float32) return &kSimpleReducer<float, NanSum>;
      if (compute == DType::Float64) return &kSimpleReducer<double, NanSum>;
      return compute == DType::Int64 ? &kInt64<Sum> : nullptr;
    default: return nullptr;
  }
}

}  // namespace cann::kernels::CANN_ISA
