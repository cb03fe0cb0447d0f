// Connectionist temporal classification. log_probs [steps, batch, classes], float32 or float64; targets [batch,
// longest] or all of them one after the other, int64 or int32; neg_log_likelihood [batch]; log_alpha [batch, steps, 2
// longest + 1 or more], which the gradient reads.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// Sequences that no alignment fits give inf here; zero_infinity counts in the gradient alone, as in PyTorch.
Result<Launch> ctc_loss(const TensorView& log_probs, const TensorView& targets, IntArray input_lengths,
                        IntArray target_lengths, int64_t blank, bool zero_infinity,
                        const TensorView& neg_log_likelihood, const TensorView& log_alpha);
Result<Launch> ctc_loss_backward(const TensorView& grad_out, const TensorView& log_probs, const TensorView& targets,
                                 IntArray input_lengths, IntArray target_lengths, const TensorView& neg_log_likelihood,
                                 const TensorView& log_alpha, int64_t blank, bool zero_infinity, const TensorView& out);

}  // namespace cann::ops
