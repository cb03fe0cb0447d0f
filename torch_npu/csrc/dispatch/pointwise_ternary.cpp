// Selection, masked fills and the making of complex numbers: checks and shapes as PyTorch's CPU kernels have them.
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TypeProperties.h>

#include "functions_pointwise_ternary.h"
#include "handwritten_pointwise_ternary.h"
#include "torch_npu/csrc/dispatch/scalars.h"

namespace torch_npu::op {
namespace {

// A CPU scalar moves to the device; anything else must be there.
at::Tensor on_device(const at::Tensor& t, c10::Device device, const at::Tensor& condition, const at::Tensor& self,
                     const at::Tensor& other) {
  if (t.device() == device) return t;
  TORCH_CHECK(t.is_cpu() && t.dim() == 0, "Expected condition, x and y to be on the same device, but condition is on ",
              condition.device(), " and x and y are on ", self.device(), " and ", other.device(), " respectively");
  return t.to(device);
}

c10::Device device_of_any(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
  return a.is_privateuseone() ? a.device() : b.is_privateuseone() ? b.device() : c.device();
}

c10::DimVector broadcast_sizes(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
  return at::infer_size_dimvector(at::infer_size_dimvector(a.sizes(), b.sizes()), c.sizes());
}

void select(const at::Tensor& condition, const at::Tensor& self, const at::Tensor& other, const at::Tensor& out) {
  TORCH_CHECK(condition.scalar_type() == at::kBool || condition.scalar_type() == at::kByte,
              "where expected condition to be a boolean tensor, but got a tensor with dtype ", condition.scalar_type());
  if (condition.scalar_type() == at::kByte) {
    TORCH_WARN_ONCE(
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version "
        "of "
        "PyTorch. Use a boolean condition instead.");
  }
  const c10::Device device = out.device();
  launch(aclnn::SWhere, on_device(condition, device, condition, self, other),
         on_device(self, device, condition, self, other), on_device(other, device, condition, self, other), out);
}

}  // namespace

at::Tensor where_self(const at::Tensor& condition, const at::Tensor& self, const at::Tensor& other) {
  const at::ScalarType dtype = at::result_type(self, other);
  const auto sizes = broadcast_sizes(condition, self, other);
  at::Tensor out = empty(sizes, dtype, device_of_any(condition, self, other));
  select(condition, self, other, out);
  return out;
}

at::Tensor& where_self_out(const at::Tensor& condition, const at::Tensor& self, const at::Tensor& other,
                           at::Tensor& out) {
  const at::ScalarType dtype = at::result_type(self, other);
  TORCH_CHECK(out.scalar_type() == dtype, "Expected out type to be ", dtype, " but got ", out.scalar_type());
  at::native::resize_output(out, broadcast_sizes(condition, self, other));
  select(condition, self, other, out);
  return out;
}

namespace {

void check_mask(const at::Tensor& self, const at::Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "masked_fill_ only supports boolean masks, but got mask with dtype ",
              mask.scalar_type());
  TORCH_CHECK(self.device() == mask.device(), "expected self and mask to be on the same device, but got mask on ",
              mask.device(), " and self on ", self.device());
  at::assert_no_internal_overlap(self);
  at::assert_no_partial_overlap(self, mask);
}

}  // namespace

at::Tensor& masked_fill__Scalar(at::Tensor& self, const at::Tensor& mask, const at::Scalar& value) {
  check_mask(self, mask);
  check_fits(value, self.scalar_type());
  launch(aclnn::InplaceMaskedFillScalar, self, *at::expand_inplace(self, mask, "masked_fill_"), value);
  return self;
}

at::Tensor& masked_fill__Tensor(at::Tensor& self, const at::Tensor& mask, const at::Tensor& value) {
  TORCH_CHECK(value.dim() == 0, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
              value.dim(), " dimension(s).");
  if (value.is_cpu()) return masked_fill__Scalar(self, mask, value.item());
  check_mask(self, mask);
  TORCH_CHECK(c10::canCast(value.scalar_type(), self.scalar_type()), "value cannot be converted to type ",
              self.scalar_type());
  launch(aclnn::InplaceMaskedFillTensor, self, *at::expand_inplace(self, mask, "masked_fill_"), value);
  return self;
}

namespace {

// Two real tensors of one dtype make a complex one.
void check_parts(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out) {
  auto allowed = [](at::ScalarType t) { return t == at::kFloat || t == at::kDouble || t == at::kHalf; };
  TORCH_CHECK(allowed(a.scalar_type()) && allowed(b.scalar_type()),
              "Expected both inputs to be Half, Float or Double tensors but got ", a.scalar_type(), " and ",
              b.scalar_type());
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), "Expected object of scalar type ", a.scalar_type(),
              " but got scalar type ", b.scalar_type(), " for second argument");
  TORCH_CHECK(out.scalar_type() == c10::toComplexType(a.scalar_type()), "Expected object of scalar type ",
              c10::toComplexType(a.scalar_type()), " but got scalar type ", out.scalar_type(), " for argument 'out'");
  at::native::resize_output(out, at::infer_size_dimvector(a.sizes(), b.sizes()));
}

}  // namespace

at::Tensor& complex_out(const at::Tensor& real, const at::Tensor& imag, at::Tensor& out) {
  check_parts(real, imag, out);
  launch(aclnn::Complex, real, imag, out);
  return out;
}

at::Tensor& polar_out(const at::Tensor& abs, const at::Tensor& angle, at::Tensor& out) {
  check_parts(abs, angle, out);
  launch(aclnn::Polar, abs, angle, out);
  return out;
}

}  // namespace torch_npu::op
