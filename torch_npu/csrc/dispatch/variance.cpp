// Variances and standard deviations. CANN takes real numbers and whole corrections; what else PyTorch allows
// is composed of that.
#include <algorithm>
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/var.h>
#include <ATen/ops/view_as_real.h>

#include "functions_reduce.h"
#include "handwritten_reduce.h"
#include "torch_npu/csrc/dispatch/reduce.h"

namespace torch_npu::op {
namespace {

using OptionalScalar = std::optional<at::Scalar>;
using Two = std::tuple<at::Tensor, at::Tensor>;

bool is_plain(const at::Tensor& self, const OptionalScalar& correction) {
  return !self.is_complex() &&
         (!correction.has_value() || correction->toDouble() == std::floor(correction->toDouble()));
}

// The variance (or its root) in the type it is computed in. pre: not plain
at::Tensor composed(const char* name, const at::Tensor& self, at::OptionalIntArrayRef dim,
                    const OptionalScalar& correction, bool keepdim, bool root) {
  const shape::Spec spec = variance(name, self, dim, keepdim);
  at::Tensor result;
  if (self.is_complex()) {
    const at::Tensor parts = at::view_as_real(self.resolve_conj());
    result =
        at::var(parts.select(-1, 0), dim, correction, keepdim) + at::var(parts.select(-1, 1), dim, correction, keepdim);
  } else {
    const bool half = at::isReducedFloatingType(self.scalar_type());
    result = at::var(half ? self.to(at::kFloat) : self, dim, /*correction=*/at::Scalar(0), keepdim);
    const double less = correction->toDouble();
    const double count = result.numel() == 0 ? 0 : static_cast<double>(self.numel() / result.numel());
    if (result.numel() > 0) warn_of_freedom(name, count, less);
    result = result * count / std::max(count - less, 0.0);
  }
  return (root ? result.sqrt_() : result).to(spec.dtype);
}

template <class Function>
at::Tensor spread(const char* name, const Function& function, const at::Tensor& self, at::OptionalIntArrayRef dim,
                  const OptionalScalar& correction, bool keepdim, bool root) {
  if (!is_plain(self, correction)) return composed(name, self, dim, correction, keepdim, root);
  at::Tensor out = shape::allocate_one(variance(name, self, dim, keepdim));
  launch(function, self, dim, whole_correction(name, self, out, correction), keepdim, out);
  return out;
}

template <class Function>
at::Tensor& spread_into(const char* name, const Function& function, const at::Tensor& self, at::OptionalIntArrayRef dim,
                        const OptionalScalar& correction, bool keepdim, bool root, at::Tensor& out) {
  shape::resize(variance(name, self, dim, keepdim, out), out);
  if (!is_plain(self, correction)) return out.copy_(composed(name, self, dim, correction, keepdim, root));
  launch(function, self, dim, whole_correction(name, self, out, correction), keepdim, out);
  return out;
}

template <class Function>
Two spread_and_mean(const char* name, const Function& function, const at::Tensor& self, at::OptionalIntArrayRef dim,
                    const OptionalScalar& correction, bool keepdim, bool root) {
  if (!is_plain(self, correction))
    return {composed(name, self, dim, correction, keepdim, root), at::mean(self, dim, keepdim)};
  const shape::Spec spec = variance(name, self, dim, keepdim);
  at::Tensor out = shape::allocate_one(spec), mean = shape::allocate_one(spec);
  launch(function, self, dim, whole_correction(name, self, out, correction), keepdim, out, mean);
  return {out, mean};
}

}  // namespace

at::Tensor var_correction(const at::Tensor& self, at::OptionalIntArrayRef dim, const OptionalScalar& correction,
                          bool keepdim) {
  return spread("var", aclnn::VarCorrection, self, dim, correction, keepdim, /*root=*/false);
}
at::Tensor& var_correction_out(const at::Tensor& self, at::OptionalIntArrayRef dim, const OptionalScalar& correction,
                               bool keepdim, at::Tensor& out) {
  return spread_into("var", aclnn::VarCorrection, self, dim, correction, keepdim, /*root=*/false, out);
}
at::Tensor std_correction(const at::Tensor& self, at::OptionalIntArrayRef dim, const OptionalScalar& correction,
                          bool keepdim) {
  return spread("std", aclnn::Std, self, dim, correction, keepdim, /*root=*/true);
}
at::Tensor& std_correction_out(const at::Tensor& self, at::OptionalIntArrayRef dim, const OptionalScalar& correction,
                               bool keepdim, at::Tensor& out) {
  return spread_into("std", aclnn::Std, self, dim, correction, keepdim, /*root=*/true, out);
}
Two var_mean_correction(const at::Tensor& self, at::OptionalIntArrayRef dim, const OptionalScalar& correction,
                        bool keepdim) {
  return spread_and_mean("var_mean", aclnn::VarMean, self, dim, correction, keepdim, /*root=*/false);
}
Two std_mean_correction(const at::Tensor& self, at::OptionalIntArrayRef dim, const OptionalScalar& correction,
                        bool keepdim) {
  return spread_and_mean("std_mean", aclnn::StdMeanCorrection, self, dim, correction, keepdim, /*root=*/true);
}

}  // namespace torch_npu::op
