// Fills whose value is checked or a tensor, and autograd's zeros. Copies stand in copies.cpp: they cross devices.
#include <ATen/ops/zeros.h>

#include "functions_copy.h"
#include "handwritten_copy.h"
#include "torch_npu/csrc/dispatch/scalars.h"

namespace torch_npu::op {

at::Tensor& fill__Scalar(at::Tensor& self, const at::Scalar& value) {
  check_fits(value, self.scalar_type());
  launch(aclnn::InplaceFillScalar, self, value);
  return self;
}

at::Tensor& fill__Tensor(at::Tensor& self, const at::Tensor& value) {
  TORCH_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ", value.dim(),
              " dimensions.");
  if (value.is_cpu()) return fill__Scalar(self, value.item());
  launch(aclnn::InplaceFillTensor, self, value);
  return self;
}

at::Tensor _efficientzerotensor(at::IntArrayRef size, std::optional<at::ScalarType> dtype,
                                std::optional<at::Layout> layout, std::optional<at::Device> device,
                                std::optional<bool> pin_memory) {
  return at::zeros(size, at::TensorOptions().dtype(dtype).layout(layout).device(device).pinned_memory(pin_memory));
}

}  // namespace torch_npu::op
