// See the header.
#include "cann/ops/pointwise_ternary.h"

namespace cann::ops {
namespace {

template <class Bound>
Result<Launch> clamp_between(const TensorView& self, const Bound* min, const Bound* max, const TensorView& out) {
  if (min && max) return same_type(Op::Clamp, {self, *min, *max}, out);
  if (min) return same_type(Op::Maximum, {self, *min}, out);
  if (max) return same_type(Op::Minimum, {self, *max}, out);
  return bad_parameter("clamp: needs min, max or both");
}

}  // namespace

Result<Launch> clamp(const TensorView& self, const Scalar* min, const Scalar* max, const TensorView& out) {
  return clamp_between(self, min, max, out);
}
Result<Launch> clamp(const TensorView& self, const TensorView* min, const TensorView* max, const TensorView& out) {
  return clamp_between(self, min, max, out);
}

namespace {

// Selection moves bits: operands that are all of out's type need no arithmetic type, so half types need no widening.
DType carrier(DType type) {
  switch (type) {
    case DType::Float16:
    case DType::BFloat16: return DType::UInt16;
    case DType::Complex32: return DType::UInt32;
    default: return type;
  }
}

}  // namespace

Result<Launch> where(const TensorView& condition, Operand self, Operand other, const TensorView& out) {
  if (condition.dtype != DType::Bool && condition.dtype != DType::UInt8)
    return bad_parameter(std::string("where: condition ") + describe(condition) + ": needs bool");
  const bool alike = self.tensor && other.tensor && self.tensor->dtype == out.dtype && other.tensor->dtype == out.dtype;
  if (!alike || carrier(out.dtype) == out.dtype) return pointwise(Op::Where, {condition, self, other}, out, out.dtype);
  TensorView a = *self.tensor, b = *other.tensor, o = out;
  a.dtype = b.dtype = o.dtype = carrier(out.dtype);
  return pointwise(Op::Where, {condition, a, b}, o, o.dtype);
}

Result<Launch> isclose(const TensorView& self, const TensorView& other, double rtol, double atol, bool equal_nan,
                       const TensorView& out) {
  const DType compute = kernels::compute_type(common_type({self, other}));
  const Params params = params_of({Scalar(rtol), Scalar(atol), Scalar(equal_nan ? 1.0 : 0.0)}, DType::Float64);
  return pointwise(Op::IsClose, {self, other}, out, compute, params, 3);
}

}  // namespace cann::ops
