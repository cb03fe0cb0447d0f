// Optimizer steps over contiguous runs: a parameter, its gradient and its state are read and written once. float32 or
// float64 (half types are widened tile by tile by the caller).
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

// Kingma and Ba's Adam, with Loshchilov and Hutter's decoupled weight decay where asked. Bias corrections are the
// caller's: step_size = lr / (1 - beta1^t), root_correction = sqrt(1 - beta2^t).
struct AdamStep {
  double lr, beta1, beta2, weight_decay, eps, step_size, root_correction;
  double grad_scale;  // gradients are divided by it
  bool decoupled, amsgrad, maximize;
};

struct SgdStep {
  double lr, momentum, dampening, weight_decay;
  double grad_scale;
  bool nesterov, maximize, first;  // first: the momentum buffer starts as the gradient
};

// Duchi, Hazan and Singer's Adagrad; rate = lr / (1 + (t - 1) lr_decay) is the caller's.
struct AdagradStep {
  double rate, weight_decay, eps;
  double grad_scale;
  bool maximize;
};

template <class T>
struct OptimizerKernelsOf {
  // max_second_moment may be null unless amsgrad.
  void (*adam)(T* param, const T* grad, T* moment, T* second_moment, T* max_second_moment, int64_t n,
               const AdamStep& step);
  // momentum may be null if step.momentum is 0.
  void (*sgd)(T* param, const T* grad, T* momentum, int64_t n, const SgdStep& step);
  void (*adagrad)(T* param, const T* grad, T* square_sum, int64_t n, const AdagradStep& step);
  // values *= factor; true if any was infinite or NaN before.
  bool (*unscale)(T* values, int64_t n, T factor);
};

struct OptimizerKernels {
  OptimizerKernelsOf<float> f32;
  OptimizerKernelsOf<double> f64;
};

CANN_KERNEL_TABLE(OptimizerKernels, optimizer)

}  // namespace cann::kernels
