// Losses whose targets are classes (elementwise ones: pointwise_loss.h) and their gradients. Real operands of any type
// and stride are read in the compute type (float32; float64 where the result is). reduction: 0 none, 1 mean, 2 sum, as
// PyTorch numbers them. Sums are taken in chunks of fixed size, then in float64.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// self [N, C, ...] or [C], target [N, ...] or []; weight [C] or null. A target out of range is an error of the task.
Result<Launch> nll_loss(const TensorView& self, const TensorView& target, const TensorView* weight, int64_t reduction,
                        int64_t ignore_index, const TensorView& output, const TensorView& total_weight);
Result<Launch> nll_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                 const TensorView* weight, int64_t reduction, int64_t ignore_index,
                                 const TensorView& total_weight, const TensorView& grad_input);

// self [N, C] or [C]. p is 1 or 2.
Result<Launch> multi_margin_loss(const TensorView& self, const TensorView& target, const Scalar& p,
                                 const Scalar& margin, const TensorView* weight, int64_t reduction,
                                 const TensorView& out);
Result<Launch> multi_margin_loss_backward(const TensorView& grad_output, const TensorView& self,
                                          const TensorView& target, const Scalar& p, const Scalar& margin,
                                          const TensorView* weight, int64_t reduction, const TensorView& grad_input);
Result<Launch> multilabel_margin_loss(const TensorView& self, const TensorView& target, int64_t reduction,
                                      const TensorView& out, const TensorView& is_target);
Result<Launch> multilabel_margin_loss_backward(const TensorView& grad_output, const TensorView& self,
                                               const TensorView& target, int64_t reduction, const TensorView& is_target,
                                               const TensorView& grad_input);

// target (log target - self), or with log_target e^target (target - self); target broadcasts to self.
Result<Launch> kl_div(const TensorView& self, const TensorView& target, int64_t reduction, bool log_target,
                      const TensorView& out);
Result<Launch> kl_div_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                               int64_t reduction, bool log_target, const TensorView& out);
Result<Launch> kl_div_target_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                      int64_t reduction, bool log_target, const TensorView& out);
Result<Launch> binary_cross_entropy_with_logits_backward(const TensorView& grad_output, const TensorView& self,
                                                         const TensorView& target, const TensorView* weight,
                                                         const TensorView* pos_weight, int64_t reduction,
                                                         const TensorView& out);

}  // namespace cann::ops
