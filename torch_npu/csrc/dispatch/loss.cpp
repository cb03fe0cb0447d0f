// Losses without a structured meta that knows the reduction: results have the sizes, dtypes and errors of PyTorch's CPU.
#include <ATen/core/Reduction.h>
#include <ATen/ExpandUtils.h>
#include <ATen/ops/result_type.h>

#include "aclnn_functions.h"
#include "handwritten_loss.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::op {
namespace {

using OptionalTensor = std::optional<at::Tensor>;
using shape::Spec;

// A loss of each element of the broadcast operands, or one number.
Spec elementwise(const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  const at::ScalarType dtype = at::result_type(self, target);
  return reduction == at::Reduction::None ? shape::broadcast(self, target, dtype) : shape::sized({}, dtype, self.device());
}

// A loss of each row of [N, C] or [C], or one number.
Spec rowwise(const at::Tensor& self, int64_t reduction) {
  if (reduction == at::Reduction::None && self.dim() >= 2) return shape::sized({self.size(0)}, self);
  return shape::sized({}, self);
}

void check_bce_sizes(const at::Tensor& self, const at::Tensor& target) {
  TORCH_CHECK(self.sizes() == target.sizes(), "Using a target size (", target.sizes(), ") that is different to the input size (",
              self.sizes(), ") is deprecated. Please ensure they have the same size.");
}

}  // namespace

// --- elementwise ---

at::Tensor& mse_loss_out(const at::Tensor& self, const at::Tensor& target, int64_t reduction, at::Tensor& out) {
  shape::resize(elementwise(self, target, reduction), out);
  launch(aclnn::MseLoss, self, target, reduction, out);
  return out;
}
at::Tensor mse_loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  at::Tensor out = shape::allocate_one(elementwise(self, target, reduction));
  launch(aclnn::MseLoss, self, target, reduction, out);
  return out;
}
at::Tensor& mse_loss_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                         int64_t reduction, at::Tensor& grad_input) {
  shape::resize(shape::broadcast(self, target, at::result_type(self, target)), grad_input);
  launch(aclnn::MseLossBackward, grad_output, self, target, reduction, grad_input);
  return grad_input;
}
at::Tensor mse_loss_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  at::Tensor grad_input = shape::allocate_one(shape::broadcast(self, target, self.scalar_type()));
  launch(aclnn::MseLossBackward, grad_output, self, target, reduction, grad_input);
  return grad_input;
}

at::Tensor& smooth_l1_loss_out(const at::Tensor& self, const at::Tensor& target, int64_t reduction, double beta, at::Tensor& out) {
  TORCH_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  shape::resize(elementwise(self, target, reduction), out);
  launch(aclnn::SmoothL1Loss, self, target, reduction, beta, out);
  return out;
}
at::Tensor smooth_l1_loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction, double beta) {
  TORCH_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  at::Tensor out = shape::allocate_one(elementwise(self, target, reduction));
  launch(aclnn::SmoothL1Loss, self, target, reduction, beta, out);
  return out;
}
at::Tensor& smooth_l1_loss_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                               int64_t reduction, double beta, at::Tensor& grad_input) {
  shape::resize(shape::broadcast(self, target, at::result_type(self, target)), grad_input);
  launch(aclnn::SmoothL1LossBackward, grad_output, self, target, reduction, beta, grad_input);
  return grad_input;
}

at::Tensor& huber_loss_out(const at::Tensor& self, const at::Tensor& target, int64_t reduction, double delta, at::Tensor& out) {
  TORCH_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
  shape::resize(elementwise(self, target, reduction), out);
  launch(aclnn::HuberLossReduced, self, target, reduction, delta, out);
  return out;
}
at::Tensor huber_loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction, double delta) {
  at::Tensor out = shape::allocate_one(elementwise(self, target, reduction));
  return huber_loss_out(self, target, reduction, delta, out);
}
at::Tensor& huber_loss_backward_out(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                    int64_t reduction, double delta, at::Tensor& grad_input) {
  shape::resize(shape::broadcast(self, target, at::result_type(self, target)), grad_input);
  launch(aclnn::HuberLossBackward, grad_output, self, target, reduction, delta, grad_input);
  return grad_input;
}

at::Tensor& soft_margin_loss_out(const at::Tensor& self, const at::Tensor& target, int64_t reduction, at::Tensor& out) {
  shape::resize(elementwise(self, target, reduction), out);
  launch(aclnn::SoftMarginLoss, self, target, reduction, out);
  return out;
}
at::Tensor soft_margin_loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  at::Tensor out = shape::allocate_one(elementwise(self, target, reduction));
  launch(aclnn::SoftMarginLoss, self, target, reduction, out);
  return out;
}
at::Tensor& soft_margin_loss_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                                 int64_t reduction, at::Tensor& grad_input) {
  shape::resize(shape::broadcast(self, target, at::result_type(self, target)), grad_input);
  launch(aclnn::SoftMarginLossBackward, grad_output, self, target, reduction, grad_input);
  return grad_input;
}
at::Tensor soft_margin_loss_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                     int64_t reduction) {
  at::Tensor grad_input = shape::allocate_one(shape::broadcast(self, target, self.scalar_type()));
  launch(aclnn::SoftMarginLossBackward, grad_output, self, target, reduction, grad_input);
  return grad_input;
}

at::Tensor& binary_cross_entropy_out(const at::Tensor& self, const at::Tensor& target, const OptionalTensor& weight,
                                     int64_t reduction, at::Tensor& out) {
  check_bce_sizes(self, target);
  shape::resize(reduction == at::Reduction::None ? shape::like(self) : shape::sized({}, self), out);
  launch(aclnn::BinaryCrossEntropy, self, target, weight, reduction, out);
  return out;
}
at::Tensor binary_cross_entropy(const at::Tensor& self, const at::Tensor& target, const OptionalTensor& weight, int64_t reduction) {
  check_bce_sizes(self, target);
  at::Tensor out = reduction == at::Reduction::None ? empty_like(self) : empty({}, self.scalar_type(), self.device());
  launch(aclnn::BinaryCrossEntropy, self, target, weight, reduction, out);
  return out;
}
at::Tensor& binary_cross_entropy_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                                     const OptionalTensor& weight, int64_t reduction, at::Tensor& grad_input) {
  shape::resize(shape::like(self), grad_input);
  launch(aclnn::BinaryCrossEntropyBackward, grad_output, self, target, weight, reduction, grad_input);
  return grad_input;
}
at::Tensor binary_cross_entropy_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                         const OptionalTensor& weight, int64_t reduction) {
  at::Tensor grad_input = empty_like(self);
  launch(aclnn::BinaryCrossEntropyBackward, grad_output, self, target, weight, reduction, grad_input);
  return grad_input;
}

// --- classes ---

namespace {

void check_nll2d(const at::Tensor& self, const at::Tensor& target, const OptionalTensor& weight) {
  TORCH_CHECK(target.dim() == 3, "only batches of spatial targets supported (3D tensors) but got targets of dimension: ", target.dim());
  TORCH_CHECK(self.dim() == 4, "only batches of spatial inputs supported (4D tensors), but got input of dimension: ", self.dim());
  TORCH_CHECK(!weight.has_value() || !weight->defined() || weight->numel() == self.size(1),
              "weight tensor should be defined either for all or no classes");
  TORCH_CHECK(self.size(0) == target.size(0) && self.size(2) == target.size(1) && self.size(3) == target.size(2),
              "input and target batch or spatial sizes don't match: target ", target.sizes(), ", input ", self.sizes());
}

Spec nll2d(const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  return reduction == at::Reduction::None ? shape::sized(target.sizes(), self) : shape::sized({}, self);
}

}  // namespace

std::tuple<at::Tensor&, at::Tensor&> nll_loss2d_forward_output(const at::Tensor& self, const at::Tensor& target,
                                                               const OptionalTensor& weight, int64_t reduction, int64_t ignore_index,
                                                               at::Tensor& output, at::Tensor& total_weight) {
  check_nll2d(self, target, weight);
  shape::resize(nll2d(self, target, reduction), output);
  shape::resize(shape::sized({}, self), total_weight);
  launch(aclnn::NLLLoss2d, self, target, weight, reduction, ignore_index, output, total_weight);
  return {output, total_weight};
}
std::tuple<at::Tensor, at::Tensor> nll_loss2d_forward(const at::Tensor& self, const at::Tensor& target, const OptionalTensor& weight,
                                                      int64_t reduction, int64_t ignore_index) {
  check_nll2d(self, target, weight);
  at::Tensor output = shape::allocate_one(nll2d(self, target, reduction)), total_weight = empty({}, self.scalar_type(), self.device());
  launch(aclnn::NLLLoss2d, self, target, weight, reduction, ignore_index, output, total_weight);
  return {output, total_weight};
}
at::Tensor& nll_loss2d_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                           const OptionalTensor& weight, int64_t reduction, int64_t ignore_index,
                                           const at::Tensor& total_weight, at::Tensor& grad_input) {
  check_nll2d(self, target, weight);
  shape::resize(shape::like(self), grad_input);
  launch(aclnn::NLLLoss2dBackward, grad_output, self, target, weight, reduction, ignore_index, total_weight, grad_input);
  return grad_input;
}
at::Tensor nll_loss2d_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                               const OptionalTensor& weight, int64_t reduction, int64_t ignore_index, const at::Tensor& total_weight) {
  at::Tensor grad_input = empty_like(self);
  return nll_loss2d_backward_grad_input(grad_output, self, target, weight, reduction, ignore_index, total_weight, grad_input);
}

namespace {

void check_margin_input(const at::Tensor& self) {
  TORCH_CHECK((self.dim() == 2 && self.size(1) != 0) || (self.dim() == 1 && self.size(0) != 0) || self.dim() == 0,
              "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ", self.sizes());
}

void check_multi_margin(const at::Tensor& self, const at::Tensor& target, const at::Scalar& p, const OptionalTensor& weight) {
  TORCH_CHECK(p.toLong() == 1 || p.toLong() == 2, "only p == 1 and p == 2 supported");
  check_margin_input(self);
  const int64_t rows = self.dim() <= 1 ? 1 : self.size(0), classes = self.dim() == 0 ? 1 : self.size(-1);
  TORCH_CHECK(target.dim() <= 1 && target.numel() == rows, "inconsistent target size, expected ", rows, " but got ", target.sizes());
  TORCH_CHECK(!weight.has_value() || !weight->defined() || (weight->dim() <= 1 && weight->numel() == classes),
              "inconsistent weight size, expected ", classes, " but got ", weight->sizes());
}

void check_multilabel_margin(const at::Tensor& self, const at::Tensor& target) {
  check_margin_input(self);
  TORCH_CHECK(self.dim() <= 1 ? target.dim() <= 1 && target.numel() == self.numel() : target.sizes() == self.sizes(),
              "inconsistent target size: ", target.sizes(), " for input of size: ", self.sizes());
}

}  // namespace

at::Tensor& multi_margin_loss_out(const at::Tensor& self, const at::Tensor& target, const at::Scalar& p, const at::Scalar& margin,
                                  const OptionalTensor& weight, int64_t reduction, at::Tensor& out) {
  check_multi_margin(self, target, p, weight);
  shape::resize(self.dim() == 0 || reduction != at::Reduction::None || target.dim() == 0 ? shape::sized({}, self)
                                                                                       : shape::sized({target.size(0)}, self),
                out);
  launch(aclnn::MultiMarginLoss, self, target, p, margin, weight, reduction, out);
  return out;
}
at::Tensor multi_margin_loss(const at::Tensor& self, const at::Tensor& target, const at::Scalar& p, const at::Scalar& margin,
                             const OptionalTensor& weight, int64_t reduction) {
  at::Tensor out = empty({0}, self.scalar_type(), self.device());
  return multi_margin_loss_out(self, target, p, margin, weight, reduction, out);
}
at::Tensor& multi_margin_loss_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                                  const at::Scalar& p, const at::Scalar& margin, const OptionalTensor& weight,
                                                  int64_t reduction, at::Tensor& grad_input) {
  check_multi_margin(self, target, p, weight);
  shape::resize(shape::sized(self.sizes(), self), grad_input);
  launch(aclnn::MultiMarginLossBackward, grad_output, self, target, p, margin, weight, reduction, grad_input);
  return grad_input;
}
at::Tensor multi_margin_loss_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                      const at::Scalar& p, const at::Scalar& margin, const OptionalTensor& weight, int64_t reduction) {
  at::Tensor grad_input = empty(self.sizes(), self.scalar_type(), self.device());
  return multi_margin_loss_backward_grad_input(grad_output, self, target, p, margin, weight, reduction, grad_input);
}

std::tuple<at::Tensor&, at::Tensor&> multilabel_margin_loss_forward_output(const at::Tensor& self, const at::Tensor& target,
                                                                           int64_t reduction, at::Tensor& output,
                                                                           at::Tensor& is_target) {
  check_multilabel_margin(self, target);
  shape::resize(rowwise(self, reduction), output);
  shape::resize(shape::sized(target.sizes(), self), is_target);
  launch(aclnn::MultilabelMarginLoss, self, target, reduction, output, is_target);
  return {output, is_target};
}
std::tuple<at::Tensor, at::Tensor> multilabel_margin_loss_forward(const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  at::Tensor output = empty({0}, self.scalar_type(), self.device()), is_target = empty({0}, self.scalar_type(), self.device());
  multilabel_margin_loss_forward_output(self, target, reduction, output, is_target);
  return {output, is_target};
}
at::Tensor& multilabel_margin_loss_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                                       int64_t reduction, const at::Tensor& is_target, at::Tensor& grad_input) {
  check_multilabel_margin(self, target);
  shape::resize(shape::sized(self.sizes(), self), grad_input);
  launch(aclnn::MultilabelMarginLossBackward, grad_output, self, target, reduction, is_target, grad_input);
  return grad_input;
}
at::Tensor multilabel_margin_loss_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                           int64_t reduction, const at::Tensor& is_target) {
  at::Tensor grad_input = empty(self.sizes(), self.scalar_type(), self.device());
  return multilabel_margin_loss_backward_grad_input(grad_output, self, target, reduction, is_target, grad_input);
}

}  // namespace torch_npu::op
