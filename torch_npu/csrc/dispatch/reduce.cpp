#include "torch_npu/csrc/dispatch/reduce.h"

#include <ATen/ops/ne.h>
#include <ATen/ops/sum.h>

#include "handwritten_reduce.h"

namespace torch_npu {

at::ScalarType sum_type(const at::Tensor& self, std::optional<at::ScalarType> dtype) {
  if (dtype.has_value()) return *dtype;
  return at::isIntegralType(self.scalar_type(), /*includeBool=*/true) ? at::kLong : self.scalar_type();
}

at::ScalarType sum_type(const at::Tensor& self, std::optional<at::ScalarType> dtype, const at::Tensor& out) {
  TORCH_CHECK(!dtype.has_value() || *dtype == out.scalar_type(), "Expected out tensor to have dtype ",
              dtype.value_or(at::kFloat), ", but got ", out.scalar_type(), " instead");
  return out.scalar_type();
}

shape::Spec whole(const char* name, const at::Tensor& self) {
  TORCH_CHECK(self.numel() > 0, name,
              "(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim ",
              "with the 'dim' argument.");
  return shape::sized({}, self);
}

shape::Spec variance(const char* name, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim) {
  TORCH_CHECK(at::isFloatingType(self.scalar_type()) || at::isComplexType(self.scalar_type()), name,
              " only support floating point and complex dtypes");
  return shape::reduced(self, dim, keepdim, at::toRealValueType(self.scalar_type()));
}

shape::Spec variance(const char* name, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim,
                     const at::Tensor& out) {
  shape::Spec spec = variance(name, self, dim, keepdim);
  spec.dtype = out.scalar_type();
  return spec;
}

void warn_of_freedom(const char* name, double reduced, double correction) {
  if (reduced - correction <= 0)
    TORCH_WARN(name, "(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor ",
               "(input numel divided by output numel).");
}

int64_t whole_correction(const char* name, const at::Tensor& self, const at::Tensor& out,
                         const std::optional<at::Scalar>& correction) {
  const int64_t value = correction.has_value() ? static_cast<int64_t>(correction->toDouble()) : 1;
  if (out.numel() > 0)
    warn_of_freedom(name, static_cast<double>(self.numel() / out.numel()), static_cast<double>(value));
  return value;
}

shape::Spec logsumexp_shape(const at::Tensor& self, at::IntArrayRef dim, bool keepdim) {
  if (at::isComplexType(self.scalar_type())) throw Refusal("logsumexp: complex numbers");
  const bool integral = at::isIntegralType(self.scalar_type(), /*includeBool=*/true);
  return shape::reduced(self, dim, keepdim,
                        integral ? at::typeMetaToScalarType(at::get_default_dtype()) : self.scalar_type());
}

namespace op {

// CANN has no such function; two of its functions give it.
at::Tensor count_nonzero_dim_IntList(const at::Tensor& self, at::IntArrayRef dim) {
  return at::sum(self.scalar_type() == at::kBool ? self : at::ne(self, 0), dim);
}

at::Tensor trace(const at::Tensor& self) {
  TORCH_CHECK(self.dim() == 2, "trace: expected a matrix, but got tensor with dim ", self.dim());
  return self.diagonal().sum();
}

}  // namespace op

}  // namespace torch_npu
