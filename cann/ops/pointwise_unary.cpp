// See the header.
#include "cann/ops/pointwise_unary.h"

#include <cfloat>
#include <cmath>

namespace cann::ops {

Result<Launch> round_decimals(const TensorView& self, int64_t decimals, const TensorView& out) {
  if (decimals == 0 || is_integral(self.dtype)) return same_type(Op::Round, {self}, out);
  const DType compute = kernels::compute_type(self.dtype);
  Params params;
  params.set(0, Scalar(std::pow(10.0, static_cast<double>(std::abs(decimals)))), compute);
  params.set(1, Scalar(decimals < 0 ? 1.0 : 0.0), DType::Float64);
  return pointwise(Op::RoundDecimals, {self}, out, compute, params, 2);
}

namespace {

double max_of(DType type) {
  switch (type) {
    case DType::Float64: return DBL_MAX;
    case DType::Float16: return 65504;
    case DType::BFloat16: return 0x1.fep127;
    default: return FLT_MAX;
  }
}

double replacement(float value, DType type) {
  if (value >= FLT_MAX && std::isfinite(value)) return max_of(type);
  if (value <= -FLT_MAX && std::isfinite(value)) return -max_of(type);
  return value;
}

}  // namespace

Result<Launch> nan_to_num(const TensorView& self, float nan, float posinf, float neginf, const TensorView& out) {
  if (is_integral(self.dtype) || self.dtype == DType::Bool) return copy(self, out);
  return same_type(
      Op::NanToNum, {self}, out,
      {Scalar(double{nan}), Scalar(replacement(posinf, self.dtype)), Scalar(replacement(neginf, self.dtype))});
}

Result<Launch> polygamma(int64_t n, const TensorView& self, const TensorView& out) {
  if (n < 0) return bad_parameter("polygamma: n " + std::to_string(n) + ": must not be negative");
  if (n == 0) return floating(Op::Digamma, {self}, out);
  const DType compute = self.dtype == DType::Float64 ? DType::Float64 : DType::Float32;
  return pointwise(Op::Polygamma, {self}, out, compute, params_of({Scalar(static_cast<double>(n))}, DType::Float64), 1);
}

}  // namespace cann::ops
