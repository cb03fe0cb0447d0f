// The shift operators << and >>: PyTorch keeps them apart from bitwise_left_shift and bitwise_right_shift, whose work
// they do.
#include <ATen/ops/bitwise_left_shift.h>
#include <ATen/ops/bitwise_right_shift.h>

#include "handwritten_pointwise_compare.h"

namespace torch_npu::op {

at::Tensor __lshift___Scalar(const at::Tensor& self, const at::Scalar& other) {
  return at::bitwise_left_shift(self, other);
}
at::Tensor __lshift___Tensor(const at::Tensor& self, const at::Tensor& other) {
  return at::bitwise_left_shift(self, other);
}
at::Tensor& __ilshift___Scalar(at::Tensor& self, const at::Scalar& other) { return self.bitwise_left_shift_(other); }
at::Tensor& __ilshift___Tensor(at::Tensor& self, const at::Tensor& other) { return self.bitwise_left_shift_(other); }
at::Tensor __rshift___Scalar(const at::Tensor& self, const at::Scalar& other) {
  return at::bitwise_right_shift(self, other);
}
at::Tensor __rshift___Tensor(const at::Tensor& self, const at::Tensor& other) {
  return at::bitwise_right_shift(self, other);
}
at::Tensor& __irshift___Scalar(at::Tensor& self, const at::Scalar& other) { return self.bitwise_right_shift_(other); }
at::Tensor& __irshift___Tensor(at::Tensor& self, const at::Tensor& other) { return self.bitwise_right_shift_(other); }

}  // namespace torch_npu::op
