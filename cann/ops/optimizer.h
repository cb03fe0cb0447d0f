// Fused optimizer steps and the gradient scaler's operators: the rows of optimizer.yaml. Parameters, gradients and
// state are updated in one pass; all tensors of one parameter share a dense layout.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

struct AdamOptions {
  double lr, beta1, beta2, weight_decay, eps;
  bool amsgrad, maximize, decoupled;
};

// Lists have one entry for each parameter; max_second_moments is empty unless amsgrad. steps: one number each, already
// counted up. grad_scale: gradients are divided by it; found_inf: not zero leaves everything as it is.
Result<Launch> fused_adam(TensorList params, TensorList grads, TensorList moments, TensorList second_moments,
                          TensorList max_second_moments, TensorList steps, const TensorView* grad_scale,
                          const TensorView* found_inf, const AdamOptions& options);

struct SgdOptions {
  double lr, momentum, dampening, weight_decay;
  bool nesterov, maximize, first_step;
};
Result<Launch> fused_sgd(TensorList params, TensorList grads, TensorList momentum_buffers, const TensorView* grad_scale,
                         const TensorView* found_inf, const SgdOptions& options);

struct AdagradOptions {
  double lr, lr_decay, weight_decay, eps;
  bool maximize;
};
Result<Launch> fused_adagrad(TensorList params, TensorList grads, TensorList square_sums, TensorList steps,
                             const TensorView* grad_scale, const TensorView* found_inf, const AdagradOptions& options);

// CANN's step of one parameter. max_second_moment: null unless amsgrad.
Result<Launch> apply_adamw(const TensorView& param, const TensorView& moment, const TensorView& second_moment,
                           const TensorView* max_second_moment, const TensorView& grad, const TensorView& step,
                           const AdamOptions& options);

// grads *= inv_scale; found_inf = 1 if any was infinite or NaN.
Result<Launch> check_and_unscale(TensorList grads, const TensorView& found_inf, const TensorView& inv_scale);

// The scaler's rule: back off after an overflow, grow after growth_interval good steps.
Result<Launch> update_scale(const TensorView& scale, const TensorView& growth_tracker, const TensorView& found_inf,
                            double growth, double backoff, int64_t interval, const TensorView& scale_out,
                            const TensorView& tracker_out);

}  // namespace cann::ops
