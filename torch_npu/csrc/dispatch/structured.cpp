// The parts of torchgen's out= and in-place protocol that are not templates.
#include "torch_npu/csrc/dispatch/structured.h"

#include <ATen/native/Resize.h>
#include <ATen/ops/empty_strided.h>
#include <c10/util/Exception.h>

#include "functions_copy.h"
#include "torch_npu/csrc/dispatch/launch.h"

namespace torch_npu {

void resize_out(const at::Tensor& out, at::IntArrayRef sizes, at::IntArrayRef strides,
                const at::TensorOptions& options) {
  TORCH_CHECK(options.dtype() == out.dtype(), "Expected out tensor to have dtype ", options.dtype(), ", but got ",
              out.dtype(), " instead");
  TORCH_CHECK(options.device() == out.device(), "Expected out tensor to have device ", options.device(), ", but got ",
              out.device(), " instead");
  const bool resized = at::native::resize_output(out, sizes);
  if (!resized) return;
  if (!strides.empty()) {
    TORCH_INTERNAL_ASSERT(!options.memory_format_opt().has_value());
    out.as_strided_(sizes, strides);
  } else if (options.memory_format_opt().has_value()) {
    out.unsafeGetTensorImpl()->empty_tensor_restride(*options.memory_format_opt());
  }
}

void check_inplace(const at::Tensor& self, at::IntArrayRef sizes, const at::TensorOptions& options) {
  TORCH_CHECK(options.dtype() == self.dtype(), "Bad in-place call: input tensor dtype ", self.dtype(),
              " and output tensor dtype ", options.dtype(), " should match");
  TORCH_CHECK(options.device() == self.device(), "Bad in-place call: input tensor device ", self.device(),
              " and output tensor device ", options.device(), " should match");
  TORCH_CHECK(sizes == self.sizes(), "Bad in-place call: input tensor size ", self.sizes(), " and output tensor size ",
              sizes, " should match");
}

std::optional<at::Tensor> stand_in(const at::Tensor& out, at::IntArrayRef sizes, at::IntArrayRef strides,
                                   const at::TensorOptions& options) {
  if (out.strides() == strides || strides.empty()) return std::nullopt;
  return empty_strided(sizes, strides, c10::typeMetaToScalarType(options.dtype()), options.device());
}

at::Tensor device_operand(const at::Tensor& operand, at::ScalarType common, c10::Device device) {
  if (!operand.defined()) return operand;
  const at::ScalarType dtype = common == at::ScalarType::Undefined ? operand.scalar_type() : common;
  if (operand.is_privateuseone()) return operand.to(dtype);
  TORCH_CHECK(operand.dim() == 0, "Expected all tensors to be on the same device, but found at least two devices, ",
              device, " and ", operand.device(), "!");
  at::Tensor filled = empty({}, dtype, device);
  launch(aclnn::InplaceFillScalar, filled, operand.item());
  return filled;
}

}  // namespace torch_npu
