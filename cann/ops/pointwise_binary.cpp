// See the header.
#include "cann/ops/pointwise_binary.h"

namespace cann::ops {

Result<Launch> divide(Operand self, Operand other, int32_t mode, const TensorView& out) {
  switch (mode) {
    case kTrueDivision: return floating(Op::Div, {self, other}, out);
    case kTruncDivision: return same_type(Op::DivTrunc, {self, other}, out);
    case kFloorDivision: return same_type(Op::DivFloor, {self, other}, out);
    default: return bad_parameter("div: mode " + std::to_string(mode) + ": needs 0 (true), 1 (trunc) or 2 (floor)");
  }
}

namespace {

// The operator that computes x^exponent, or Op::Pow.
Op power_of(const Scalar& exponent, DType base) {
  if (is_complex(exponent.dtype())) return Op::Pow;
  const double e = exponent.to_double();
  if (e == 1) return Op::Copy;
  if (e == 2) return Op::Square;
  if (e == 3) return Op::Cube;
  if (!is_floating(base)) return Op::Pow;
  return e == 0.5 ? Op::Sqrt : e == -0.5 ? Op::Rsqrt : e == -1 ? Op::Reciprocal : Op::Pow;
}

}  // namespace

Result<Launch> pow(Operand self, Operand exponent, const TensorView& out) {
  const DType type = common_type({self, exponent});
  if (exponent.scalar && self.tensor && self.tensor->dtype == type) {
    if (exponent.scalar->to_complex() == std::complex<double>(0)) return fill(out, Scalar(1));
    const Op op = power_of(*exponent.scalar, type);
    if (op == Op::Copy) return copy(*self.tensor, out);
    if (op != Op::Pow) return same_type(op, {self}, out);
  }
  return same_type(Op::Pow, {self, exponent}, out);
}

}  // namespace cann::ops
