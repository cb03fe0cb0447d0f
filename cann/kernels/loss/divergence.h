// Losses of one element at a time that PyTorch composes and CANN has whole, on dense operands in float32 or float64
// (the tables' index is 0 or 1), elements [begin, end).
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

// A gradient that arrives: one number for all, or one for each element, times `scale`.
struct Incoming {
  const void* grads;
  bool one;
  double scale;
};

struct DivergenceKernels {
  // t (log t - x), 0 where t is 0; with log targets e^t (t - x). Into out if given; gives the sum.
  double (*kl_div[2])(const void* x, const void* t, bool log_target, void* out, int64_t begin, int64_t end);
  // dx = -g t, or -g e^t
  void (*kl_div_backward[2])(const Incoming& g, const void* t, bool log_target, void* dx, int64_t begin, int64_t end);
  // dt = g (log t + 1 - x), 0 where t is 0; with log targets g e^t (t + 1 - x)
  void (*kl_div_target_backward[2])(const Incoming& g, const void* x, const void* t, bool log_target, void* dt,
                                    int64_t begin, int64_t end);
  // dx = g w ((p t + 1 - t) sigmoid(x) - p t); the weights w and p may be null: 1.
  void (*bce_with_logits_backward[2])(const Incoming& g, const void* x, const void* t, const void* weight,
                                      const void* pos_weight, void* dx, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(DivergenceKernels, divergence)

}  // namespace cann::kernels
