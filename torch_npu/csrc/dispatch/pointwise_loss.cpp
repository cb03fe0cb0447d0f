// Losses whose checks PyTorch makes outside their kernels.
#include <ATen/native/Resize.h>

#include "aclnn_functions.h"
#include "handwritten_pointwise_loss.h"

namespace torch_npu::op {

at::Tensor& huber_loss_out(const at::Tensor& self, const at::Tensor& target, int64_t reduction, double delta,
                           at::Tensor& out) {
  TORCH_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
  shape::resize(shape::loss(self, target, reduction), out);
  launch(aclnn::HuberLossReduced, self, target, reduction, delta, out);
  return out;
}
at::Tensor huber_loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction, double delta) {
  at::Tensor out = shape::allocate_one(shape::loss(self, target, reduction));
  return huber_loss_out(self, target, reduction, delta, out);
}

at::Tensor& binary_cross_entropy_out(const at::Tensor& self, const at::Tensor& target,
                                     const std::optional<at::Tensor>& weight, int64_t reduction, at::Tensor& out) {
  shape::resize(reduction == 0 ? shape::like(self) : shape::sized({}, self), out);
  launch(aclnn::BinaryCrossEntropy, self, target, weight, reduction, out);
  return out;
}
at::Tensor binary_cross_entropy(const at::Tensor& self, const at::Tensor& target,
                                const std::optional<at::Tensor>& weight, int64_t reduction) {
  at::Tensor out = shape::allocate_one(reduction == 0 ? shape::like(self) : shape::sized({}, self));
  return binary_cross_entropy_out(self, target, weight, reduction, out);
}

}  // namespace torch_npu::op
