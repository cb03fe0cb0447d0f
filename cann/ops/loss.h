// Losses and their gradients. Real operands of any type and stride are read in the compute type (float32; float64 where the result is).
// reduction: 0 none, 1 mean, 2 sum, as PyTorch numbers them. Sums are taken in chunks of fixed size, then in float64.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// Elementwise losses; self, target and weight broadcast to the losses' shape (grad_input's in the gradients).
Result<Launch> mse_loss(const TensorView& self, const TensorView& target, int64_t reduction, const TensorView& out);
Result<Launch> mse_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target, int64_t reduction,
                                 const TensorView& grad_input);
Result<Launch> smooth_l1_loss(const TensorView& self, const TensorView& target, int64_t reduction, double beta, const TensorView& out);
Result<Launch> smooth_l1_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                       int64_t reduction, double beta, const TensorView& grad_input);
Result<Launch> huber_loss(const TensorView& self, const TensorView& target, int64_t reduction, double delta, const TensorView& out);
Result<Launch> huber_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target, int64_t reduction,
                                   double delta, const TensorView& grad_input);
Result<Launch> soft_margin_loss(const TensorView& self, const TensorView& target, int64_t reduction, const TensorView& out);
Result<Launch> soft_margin_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                         int64_t reduction, const TensorView& grad_input);
// An element of self outside [0, 1] is an error of the task.
Result<Launch> binary_cross_entropy(const TensorView& self, const TensorView& target, const TensorView* weight, int64_t reduction,
                                    const TensorView& out);
Result<Launch> binary_cross_entropy_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                             const TensorView* weight, int64_t reduction, const TensorView& grad_input);

// self [N, C, ...] or [C], target [N, ...] or []; weight [C] or null. A target out of range is an error of the task.
Result<Launch> nll_loss(const TensorView& self, const TensorView& target, const TensorView* weight, int64_t reduction,
                        int64_t ignore_index, const TensorView& output, const TensorView& total_weight);
Result<Launch> nll_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                 const TensorView* weight, int64_t reduction, int64_t ignore_index, const TensorView& total_weight,
                                 const TensorView& grad_input);

// self [N, C] or [C]. p is 1 or 2.
Result<Launch> multi_margin_loss(const TensorView& self, const TensorView& target, const Scalar& p, const Scalar& margin,
                                 const TensorView* weight, int64_t reduction, const TensorView& out);
Result<Launch> multi_margin_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                          const Scalar& p, const Scalar& margin, const TensorView* weight, int64_t reduction,
                                          const TensorView& grad_input);
Result<Launch> multilabel_margin_loss(const TensorView& self, const TensorView& target, int64_t reduction, const TensorView& out,
                                      const TensorView& is_target);
Result<Launch> multilabel_margin_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                               int64_t reduction, const TensorView& is_target, const TensorView& grad_input);

}  // namespace cann::ops
