// Fused optimizers and the unscaling of gradients: lists go through as they are; a learning rate that is a tensor is
// read on the host.
#include "aclnn_functions.h"
#include "handwritten_optimizer.h"

namespace torch_npu::op {

void _fused_adamw_(at::TensorList self, at::TensorList grads, at::TensorList exp_avgs, at::TensorList exp_avg_sqs,
                   at::TensorList max_exp_avg_sqs, at::TensorList state_steps, double lr, double beta1, double beta2,
                   double weight_decay, double eps, bool amsgrad, bool maximize,
                   const std::optional<at::Tensor>& grad_scale, const std::optional<at::Tensor>& found_inf) {
  if (self.empty()) return;
  launch(aclnn::FusedAdamw, self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, grad_scale, found_inf, lr,
         beta1, beta2, weight_decay, eps, amsgrad, maximize);
}
void _fused_adamw__tensor_lr(at::TensorList self, at::TensorList grads, at::TensorList exp_avgs,
                             at::TensorList exp_avg_sqs, at::TensorList max_exp_avg_sqs, at::TensorList state_steps,
                             const at::Tensor& lr, double beta1, double beta2, double weight_decay, double eps,
                             bool amsgrad, bool maximize, const std::optional<at::Tensor>& grad_scale,
                             const std::optional<at::Tensor>& found_inf) {
  _fused_adamw_(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr.item().toDouble(), beta1, beta2,
                weight_decay, eps, amsgrad, maximize, grad_scale, found_inf);
}

void _fused_adam_(at::TensorList self, at::TensorList grads, at::TensorList exp_avgs, at::TensorList exp_avg_sqs,
                  at::TensorList max_exp_avg_sqs, at::TensorList state_steps, double lr, double beta1, double beta2,
                  double weight_decay, double eps, bool amsgrad, bool maximize,
                  const std::optional<at::Tensor>& grad_scale, const std::optional<at::Tensor>& found_inf) {
  if (self.empty()) return;
  launch(aclnn::FusedAdam, self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, grad_scale, found_inf, lr,
         beta1, beta2, weight_decay, eps, amsgrad, maximize);
}
void _fused_adam__tensor_lr(at::TensorList self, at::TensorList grads, at::TensorList exp_avgs,
                            at::TensorList exp_avg_sqs, at::TensorList max_exp_avg_sqs, at::TensorList state_steps,
                            const at::Tensor& lr, double beta1, double beta2, double weight_decay, double eps,
                            bool amsgrad, bool maximize, const std::optional<at::Tensor>& grad_scale,
                            const std::optional<at::Tensor>& found_inf) {
  _fused_adam_(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr.item().toDouble(), beta1, beta2,
               weight_decay, eps, amsgrad, maximize, grad_scale, found_inf);
}

void _fused_sgd_(at::TensorList self, at::TensorList grads, at::TensorList momentum_buffer_list, double weight_decay,
                 double momentum, double lr, double dampening, bool nesterov, bool maximize, bool is_first_step,
                 const std::optional<at::Tensor>& grad_scale, const std::optional<at::Tensor>& found_inf) {
  if (self.empty()) return;
  launch(aclnn::FusedSgdChecked, self, grads, momentum_buffer_list, grad_scale, found_inf, weight_decay, momentum, lr,
         dampening, nesterov, maximize, is_first_step);
}
void _fused_sgd__tensor_lr(at::TensorList self, at::TensorList grads, at::TensorList momentum_buffer_list,
                           double weight_decay, double momentum, const at::Tensor& lr, double dampening, bool nesterov,
                           bool maximize, bool is_first_step, const std::optional<at::Tensor>& grad_scale,
                           const std::optional<at::Tensor>& found_inf) {
  _fused_sgd_(self, grads, momentum_buffer_list, weight_decay, momentum, lr.item().toDouble(), dampening, nesterov,
              maximize, is_first_step, grad_scale, found_inf);
}

void _fused_adagrad_(at::TensorList self, at::TensorList grads, at::TensorList state_sums, at::TensorList state_steps,
                     double lr, double lr_decay, double weight_decay, double eps, bool maximize,
                     const std::optional<at::Tensor>& grad_scale, const std::optional<at::Tensor>& found_inf) {
  if (self.empty()) return;
  launch(aclnn::FusedAdagrad, self, grads, state_sums, state_steps, grad_scale, found_inf, lr, lr_decay, weight_decay,
         eps, maximize);
}
void _fused_adagrad__tensor_lr(at::TensorList self, at::TensorList grads, at::TensorList state_sums,
                               at::TensorList state_steps, const at::Tensor& lr, double lr_decay, double weight_decay,
                               double eps, bool maximize, const std::optional<at::Tensor>& grad_scale,
                               const std::optional<at::Tensor>& found_inf) {
  _fused_adagrad_(self, grads, state_sums, state_steps, lr.item().toDouble(), lr_decay, weight_decay, eps, maximize,
                  grad_scale, found_inf);
}

void _amp_foreach_non_finite_check_and_unscale_(at::TensorList self, at::Tensor& found_inf,
                                                const at::Tensor& inv_scale) {
  TORCH_CHECK(inv_scale.numel() == 1, "inv_scale must be a 1-element tensor.");
  TORCH_CHECK(found_inf.numel() == 1, "found_inf must be a 1-element tensor.");
  TORCH_CHECK(inv_scale.scalar_type() == at::kFloat, "inv_scale must be a float tensor.");
  TORCH_CHECK(found_inf.scalar_type() == at::kFloat, "found_inf must be a float tensor.");
  if (self.empty()) return;
  launch(aclnn::ForeachNonFiniteCheckAndUnscale, self, found_inf, inv_scale);
}

}  // namespace torch_npu::op
