// Connectionist temporal classification (Graves et al. 2006): the probability of a target over all its alignments with
// a sequence of log probabilities, by the forward recursion, and its gradient by the backward one. One sequence a call.
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

struct CtcSequence {
  const void* log_probs;  // [steps, classes], rows row_step elements apart
  int64_t steps, classes, row_step;
  const int64_t* target;  // labels of `length`; none is the blank
  int64_t length, blank;
  void* log_alpha;  // [steps, 2 length + 1], rows alpha_step apart: of the target with blanks around and between
  int64_t alpha_step;
};

struct CtcGradient {
  CtcSequence sequence;
  double grad, loss;  // of the sequence's negative log likelihood, and that itself
  void* out;          // as log_probs
  void* scratch;      // 2 (2 length + 1) elements
};

struct CtcKernels {
  // Fills log_alpha and gives the negative log likelihood: inf where no alignment fits. float, double.
  double (*forward[2])(const CtcSequence&);
  void (*gradient[2])(const CtcGradient&);
};
CANN_KERNEL_TABLE(CtcKernels, ctc)

}  // namespace cann::kernels
