// Cells of LSTM and GRU after their matrix products, and their gradients. float32, float64, float16, bfloat16; any
// strides; half types are computed in float32 and rounded once.
#pragma once

#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// Gates are [batch, 4 hidden]: input, forget, cell, output. storage takes the activated gates, for the gradient.
Result<Launch> lstm_cell(const TensorView& input_gates, const TensorView& hidden_gates, const TensorView& cx,
                         const TensorView* input_bias, const TensorView* hidden_bias, const TensorView& hy,
                         const TensorView& cy, const TensorView& storage);
// grad_bias, the sum of grad_gates over the batch, is the gradient of either bias; wanted where has_bias.
Result<Launch> lstm_cell_backward(const TensorView* grad_hy, const TensorView* grad_cy, const TensorView& cx,
                                  const TensorView& cy, const TensorView& storage, bool has_bias,
                                  const TensorView& grad_gates, const TensorView& grad_cx, const TensorView* grad_bias);

// Gates are [batch, 3 hidden]: reset, update, new. storage is [batch, 5 hidden].
Result<Launch> gru_cell(const TensorView& input_gates, const TensorView& hidden_gates, const TensorView& hx,
                        const TensorView* input_bias, const TensorView* hidden_bias, const TensorView& hy,
                        const TensorView& storage);
Result<Launch> gru_cell_backward(const TensorView& grad_hy, const TensorView& storage,
                                 const TensorView& grad_input_gates, const TensorView& grad_hidden_gates,
                                 const TensorView& grad_hx, const TensorView* grad_input_bias,
                                 const TensorView* grad_hidden_bias);

}  // namespace cann::ops
