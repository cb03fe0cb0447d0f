// The outputs of connectionist temporal classification. What does not fit is refused, so that PyTorch's CPU says its
// errors.
#include "functions_ctc_loss.h"
#include "handwritten_ctc_loss.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::op {

std::tuple<at::Tensor, at::Tensor> _ctc_loss(const at::Tensor& log_probs, const at::Tensor& targets,
                                             at::IntArrayRef input_lengths, at::IntArrayRef target_lengths,
                                             int64_t blank, bool zero_infinity) {
  if (log_probs.dim() != 3 || log_probs.numel() == 0)
    throw Refusal("ctc_loss: log_probs needs steps, a batch and classes");
  int64_t longest = 0;
  for (const int64_t length : target_lengths) longest = std::max(longest, length);
  at::Tensor loss = empty({log_probs.size(1)}, log_probs.scalar_type(), log_probs.device());
  at::Tensor log_alpha =
      empty({log_probs.size(1), log_probs.size(0), 2 * longest + 1}, log_probs.scalar_type(), log_probs.device());
  launch(aclnn::CtcLoss, log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, loss, log_alpha);
  return {loss, log_alpha};
}

at::Tensor _ctc_loss_backward(const at::Tensor& grad, const at::Tensor& log_probs, const at::Tensor& targets,
                              at::IntArrayRef input_lengths, at::IntArrayRef target_lengths,
                              const at::Tensor& neg_log_likelihood, const at::Tensor& log_alpha, int64_t blank,
                              bool zero_infinity) {
  at::Tensor out = empty(log_probs.sizes(), log_probs.scalar_type(), log_probs.device());
  launch(aclnn::CtcLossBackward, grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha,
         blank, zero_infinity, out);
  return out;
}

}  // namespace torch_npu::op
