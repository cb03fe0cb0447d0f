// Cells of recurrent networks, after the matrix products: gates to the next state, and back. Dense operands in the
// compute type (tables are indexed by float32, float64); every call does rows [begin, end) of the batch.
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

// Gates are [batch, 4 hidden] in the order input, forget, cell, output; biases [4 hidden] or null.
struct LstmCell {
  const void *input_gates, *hidden_gates, *cx, *input_bias, *hidden_bias;
  void *hy, *cy;
  void* storage;  // the activated gates, [batch, 4 hidden]
  int64_t hidden;
};
struct LstmCellBackward {
  const void *grad_hy, *grad_cy;  // either may be null: zeros
  const void *cx, *cy, *storage;
  void *grad_gates, *grad_cx;
  int64_t hidden;
};

// Gates are [batch, 3 hidden] in the order reset, update, new; biases [3 hidden] or null.
struct GruCell {
  const void *input_gates, *hidden_gates, *hx, *input_bias, *hidden_bias;
  void* hy;
  void* storage;  // reset, update, new, hx, and the hidden part of new before the reset: [batch, 5 hidden]
  int64_t hidden;
};
struct GruCellBackward {
  const void *grad_hy, *storage;
  void *grad_input_gates, *grad_hidden_gates, *grad_hx;
  int64_t hidden;
};

struct RnnKernels {
  void (*lstm[2])(const LstmCell&, int64_t begin, int64_t end);
  void (*lstm_backward[2])(const LstmCellBackward&, int64_t begin, int64_t end);
  void (*gru[2])(const GruCell&, int64_t begin, int64_t end);
  void (*gru_backward[2])(const GruCellBackward&, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(RnnKernels, rnn)

}  // namespace cann::kernels
