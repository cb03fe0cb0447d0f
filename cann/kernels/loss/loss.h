// Losses whose targets are classes, on dense operands in the compute type (float32 or float64: the tables' index is 0
// or 1).
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

// [batch, classes, spatial]; targets and losses [batch, spatial].
struct NllShape {
  int64_t batch, classes, spatial, ignore_index;
};

struct MarginShape {
  int64_t classes;
  double margin;
  bool squared;  // p is 2
};

struct LossKernels {
  // Of (batch, place) [begin, end): out given: the losses; else their sum; always the sum of weights. Gives
  // the place of the first target out of range, or -1.
  int64_t (*nll_forward[2])(const void* x, const int64_t* target, const void* weight, const NllShape&, void* out,
                            double* sum, double* total_weight, int64_t begin, int64_t end);
  // dx must be zero. scale: g, or with one_grad false grads[i] is multiplied in.
  void (*nll_backward[2])(const int64_t* target, const void* weight, const NllShape&, const void* grads, bool one_grad,
                          double scale, void* dx, int64_t begin, int64_t end);
  // Rows [begin, end) of [batch, classes]: out[row] = sum over j != t of max(0, margin - x_t + x_j)^p w_t / classes.
  void (*multi_margin[2])(const void* x, const int64_t* target, const void* weight, const MarginShape&, void* out,
                          int64_t begin, int64_t end);
  void (*multi_margin_backward[2])(const void* x, const int64_t* target, const void* weight, const MarginShape&,
                                   const void* grads, bool one_grad, double scale, void* dx, int64_t begin,
                                   int64_t end);
  // Targets of a row end at the first -1; is_target is written.
  void (*multilabel_margin[2])(const void* x, const int64_t* target, int64_t classes, void* is_target, void* out,
                               int64_t begin, int64_t end);
  void (*multilabel_margin_backward[2])(const void* x, const int64_t* target, const void* is_target, int64_t classes,
                                        const void* grads, bool one_grad, double scale, void* dx, int64_t begin,
                                        int64_t end);
};
CANN_KERNEL_TABLE(LossKernels, loss)

}  // namespace cann::kernels
