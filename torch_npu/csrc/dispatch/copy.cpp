// fill_ from a tensor. Copies stand in copies.cpp: they cross devices.
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
  TORCH_CHECK(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ", value.dim(), " dimensions.");
  if (value.is_cpu()) return fill__Scalar(self, value.item());
  launch(aclnn::InplaceFillTensor, self, value);
  return self;
}

}  // namespace torch_npu::op
