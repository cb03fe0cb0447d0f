// See the header.
#include "cann/ops/pointwise_binary.h"

#include <memory>

#include "cann/ops/reduce.h"

namespace cann::ops {

namespace {

Status divided_by_zero(Op op) { return bad_parameter(std::string(kernels::info(op).name) + ": ZeroDivisionError"); }

// A division, once it is known that no divisor is zero.
struct CheckedDivision {
  Op op;
  std::shared_ptr<bool> nonzero;  // what `check` writes
  Task check, division;
  size_t division_offset;

  Status operator()(TaskContext& context) {
    RETURN_IF_ERROR(check(context));
    if (!*nonzero) return divided_by_zero(op);
    TaskContext rest{context.team, static_cast<char*>(context.workspace) + division_offset};
    return division(rest);
  }
};

}  // namespace

Result<Launch> integer_division(Op op, Operand self, Operand other, const TensorView& out) {
  ASSIGN_OR_RETURN(Launch division, same_type(op, {self, other}, out));
  if (!is_integral(common_type({self, other})) || out.numel() == 0) return division;
  if (other.scalar) {
    if (other.scalar->to_int64() != 0) return division;
    return Launch{Task(kernels::info(op).name, 0, [op](TaskContext&) { return divided_by_zero(op); })};
  }
  auto nonzero = std::make_shared<bool>(true);
  const TensorView answer{nonzero.get(), DType::Bool, 0, {}, {}};
  ASSIGN_OR_RETURN(Launch check, reduce(kernels::info(op).name, ReduceOp::All, *other.tensor, {}, answer));
  const size_t offset = (check.workspace_bytes + 63) / 64 * 64, bytes = offset + division.workspace_bytes;
  const float us = check.task.estimated_us() + division.task.estimated_us();
  return Launch{Task(kernels::info(op).name, us,
                     CheckedDivision{op, std::move(nonzero), std::move(check.task), std::move(division.task), offset}),
                bytes};
}

Result<Launch> divide(Operand self, Operand other, int32_t mode, const TensorView& out) {
  switch (mode) {
    case kTrueDivision: return floating(Op::Div, {self, other}, out);
    case kTruncDivision: return integer_division(Op::DivTrunc, self, other, out);
    case kFloorDivision: return integer_division(Op::DivFloor, self, other, out);
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
