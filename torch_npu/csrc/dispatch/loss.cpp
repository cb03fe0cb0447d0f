// Losses of classes that have no structured meta: results have the sizes, dtypes and errors of PyTorch's CPU.
#include <ATen/core/Reduction.h>

#include "functions_loss.h"
#include "handwritten_loss.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::op {
namespace {

using OptionalTensor = std::optional<at::Tensor>;
using shape::Spec;

// A loss of each row of [N, C] or [C], or one number.
Spec rowwise(const at::Tensor& self, int64_t reduction) {
  if (reduction == at::Reduction::None && self.dim() >= 2) return shape::sized({self.size(0)}, self);
  return shape::sized({}, self);
}

void check_nll2d(const at::Tensor& self, const at::Tensor& target, const OptionalTensor& weight) {
  TORCH_CHECK(target.dim() == 3,
              "only batches of spatial targets supported (3D tensors) but got targets of dimension: ", target.dim());
  TORCH_CHECK(self.dim() == 4,
              "only batches of spatial inputs supported (4D tensors), but got input of dimension: ", self.dim());
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
                                                               const OptionalTensor& weight, int64_t reduction,
                                                               int64_t ignore_index, at::Tensor& output,
                                                               at::Tensor& total_weight) {
  check_nll2d(self, target, weight);
  shape::resize(nll2d(self, target, reduction), output);
  shape::resize(shape::sized({}, self), total_weight);
  launch(aclnn::NLLLoss2d, self, target, weight, reduction, ignore_index, output, total_weight);
  return {output, total_weight};
}
std::tuple<at::Tensor, at::Tensor> nll_loss2d_forward(const at::Tensor& self, const at::Tensor& target,
                                                      const OptionalTensor& weight, int64_t reduction,
                                                      int64_t ignore_index) {
  check_nll2d(self, target, weight);
  at::Tensor output = shape::allocate_one(nll2d(self, target, reduction)),
             total_weight = empty({}, self.scalar_type(), self.device());
  launch(aclnn::NLLLoss2d, self, target, weight, reduction, ignore_index, output, total_weight);
  return {output, total_weight};
}
at::Tensor& nll_loss2d_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self,
                                           const at::Tensor& target, const OptionalTensor& weight, int64_t reduction,
                                           int64_t ignore_index, const at::Tensor& total_weight,
                                           at::Tensor& grad_input) {
  check_nll2d(self, target, weight);
  shape::resize(shape::like(self), grad_input);
  launch(aclnn::NLLLoss2dBackward, grad_output, self, target, weight, reduction, ignore_index, total_weight,
         grad_input);
  return grad_input;
}
at::Tensor nll_loss2d_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                               const OptionalTensor& weight, int64_t reduction, int64_t ignore_index,
                               const at::Tensor& total_weight) {
  at::Tensor grad_input = torch_npu::empty_like(self);
  return nll_loss2d_backward_grad_input(grad_output, self, target, weight, reduction, ignore_index, total_weight,
                                        grad_input);
}

namespace {

void check_margin_input(const at::Tensor& self) {
  TORCH_CHECK((self.dim() == 2 && self.size(1) != 0) || (self.dim() == 1 && self.size(0) != 0) || self.dim() == 0,
              "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ", self.sizes());
}

void check_multi_margin(const at::Tensor& self, const at::Tensor& target, const at::Scalar& p,
                        const OptionalTensor& weight) {
  TORCH_CHECK(p.toLong() == 1 || p.toLong() == 2, "only p == 1 and p == 2 supported");
  check_margin_input(self);
  const int64_t rows = self.dim() <= 1 ? 1 : self.size(0), classes = self.dim() == 0 ? 1 : self.size(-1);
  TORCH_CHECK(target.dim() <= 1 && target.numel() == rows, "inconsistent target size, expected ", rows, " but got ",
              target.sizes());
  TORCH_CHECK(!weight.has_value() || !weight->defined() || (weight->dim() <= 1 && weight->numel() == classes),
              "inconsistent weight size, expected ", classes, " but got ", weight->sizes());
}

void check_multilabel_margin(const at::Tensor& self, const at::Tensor& target) {
  check_margin_input(self);
  TORCH_CHECK(self.dim() <= 1 ? target.dim() <= 1 && target.numel() == self.numel() : target.sizes() == self.sizes(),
              "inconsistent target size: ", target.sizes(), " for input of size: ", self.sizes());
}

}  // namespace

at::Tensor& multi_margin_loss_out(const at::Tensor& self, const at::Tensor& target, const at::Scalar& p,
                                  const at::Scalar& margin, const OptionalTensor& weight, int64_t reduction,
                                  at::Tensor& out) {
  check_multi_margin(self, target, p, weight);
  shape::resize(self.dim() == 0 || reduction != at::Reduction::None || target.dim() == 0
                    ? shape::sized({}, self)
                    : shape::sized({target.size(0)}, self),
                out);
  launch(aclnn::MultiMarginLoss, self, target, p, margin, weight, reduction, out);
  return out;
}
at::Tensor multi_margin_loss(const at::Tensor& self, const at::Tensor& target, const at::Scalar& p,
                             const at::Scalar& margin, const OptionalTensor& weight, int64_t reduction) {
  at::Tensor out = empty({0}, self.scalar_type(), self.device());
  return multi_margin_loss_out(self, target, p, margin, weight, reduction, out);
}
at::Tensor& multi_margin_loss_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self,
                                                  const at::Tensor& target, const at::Scalar& p,
                                                  const at::Scalar& margin, const OptionalTensor& weight,
                                                  int64_t reduction, at::Tensor& grad_input) {
  check_multi_margin(self, target, p, weight);
  shape::resize(shape::sized(self.sizes(), self), grad_input);
  launch(aclnn::MultiMarginLossBackward, grad_output, self, target, p, margin, weight, reduction, grad_input);
  return grad_input;
}
at::Tensor multi_margin_loss_backward(const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& target,
                                      const at::Scalar& p, const at::Scalar& margin, const OptionalTensor& weight,
                                      int64_t reduction) {
  at::Tensor grad_input = empty(self.sizes(), self.scalar_type(), self.device());
  return multi_margin_loss_backward_grad_input(grad_output, self, target, p, margin, weight, reduction, grad_input);
}

std::tuple<at::Tensor&, at::Tensor&> multilabel_margin_loss_forward_output(const at::Tensor& self,
                                                                           const at::Tensor& target, int64_t reduction,
                                                                           at::Tensor& output, at::Tensor& is_target) {
  check_multilabel_margin(self, target);
  shape::resize(rowwise(self, reduction), output);
  shape::resize(shape::sized(target.sizes(), self), is_target);
  launch(aclnn::MultilabelMarginLoss, self, target, reduction, output, is_target);
  return {output, is_target};
}
std::tuple<at::Tensor, at::Tensor> multilabel_margin_loss_forward(const at::Tensor& self, const at::Tensor& target,
                                                                  int64_t reduction) {
  at::Tensor output = empty({0}, self.scalar_type(), self.device()),
             is_target = empty({0}, self.scalar_type(), self.device());
  multilabel_margin_loss_forward_output(self, target, reduction, output, is_target);
  return {output, is_target};
}
at::Tensor& multilabel_margin_loss_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self,
                                                       const at::Tensor& target, int64_t reduction,
                                                       const at::Tensor& is_target, at::Tensor& grad_input) {
  check_multilabel_margin(self, target);
  shape::resize(shape::sized(self.sizes(), self), grad_input);
  launch(aclnn::MultilabelMarginLossBackward, grad_output, self, target, reduction, is_target, grad_input);
  return grad_input;
}
at::Tensor multilabel_margin_loss_backward(const at::Tensor& grad_output, const at::Tensor& self,
                                           const at::Tensor& target, int64_t reduction, const at::Tensor& is_target) {
  at::Tensor grad_input = empty(self.sizes(), self.scalar_type(), self.device());
  return multilabel_margin_loss_backward_grad_input(grad_output, self, target, reduction, is_target, grad_input);
}

}  // namespace torch_npu::op
