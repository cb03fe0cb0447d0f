// LSTM and GRU cells: PyTorch's own lstm and gru call these for each step. Results are made here, with the shapes that
// the gradient formulas of PyTorch expect back (storage: the activated gates).
#include <ATen/core/Tensor.h>

#include "functions_rnn.h"
#include "handwritten_rnn.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::op {
namespace {

using OptionalTensor = std::optional<at::Tensor>;

void check_gates(const char* name, const at::Tensor& gates, const at::Tensor& state, int64_t parts) {
  TORCH_CHECK(
      gates.dim() == 2 && state.dim() == 2 && gates.size(0) == state.size(0) && gates.size(1) == parts * state.size(1),
      name, ": gates ", gates.sizes(), ", state ", state.sizes(), ": [batch, ", parts,
      " * hidden] and [batch, hidden] needed");
}

at::Tensor parts_of(const at::Tensor& state, int64_t parts) {
  return empty({state.size(0), parts * state.size(1)}, state.scalar_type(), state.device());
}

}  // namespace

std::tuple<at::Tensor, at::Tensor, at::Tensor> _thnn_fused_lstm_cell(const at::Tensor& input_gates,
                                                                     const at::Tensor& hidden_gates,
                                                                     const at::Tensor& cx,
                                                                     const OptionalTensor& input_bias,
                                                                     const OptionalTensor& hidden_bias) {
  check_gates("_thnn_fused_lstm_cell", input_gates, cx, 4);
  check_gates("_thnn_fused_lstm_cell", hidden_gates, cx, 4);
  at::Tensor hy = parts_of(cx, 1), cy = parts_of(cx, 1), storage = parts_of(cx, 4);
  launch(aclnn::ThnnFusedLstmCell, input_gates, hidden_gates, cx, input_bias, hidden_bias, hy, cy, storage);
  return {hy, cy, storage};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> _thnn_fused_lstm_cell_backward_impl(
    const OptionalTensor& grad_hy, const OptionalTensor& grad_cy, const at::Tensor& cx, const at::Tensor& cy,
    const at::Tensor& workspace, bool has_bias) {
  at::Tensor grad_gates = parts_of(cx, 4), grad_cx = parts_of(cx, 1), grad_bias;
  if (has_bias) grad_bias = empty({4 * cx.size(1)}, cx.scalar_type(), cx.device());
  launch(aclnn::ThnnFusedLstmCellBackward, grad_hy, grad_cy, cx, cy, workspace, has_bias, grad_gates, grad_cx,
         grad_bias);
  return {grad_gates, grad_cx, grad_bias};
}

std::tuple<at::Tensor, at::Tensor> _thnn_fused_gru_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                                        const at::Tensor& hx, const OptionalTensor& input_bias,
                                                        const OptionalTensor& hidden_bias) {
  check_gates("_thnn_fused_gru_cell", input_gates, hx, 3);
  check_gates("_thnn_fused_gru_cell", hidden_gates, hx, 3);
  at::Tensor hy = parts_of(hx, 1), storage = parts_of(hx, 5);
  launch(aclnn::ThnnFusedGruCell, input_gates, hidden_gates, hx, input_bias, hidden_bias, hy, storage);
  return {hy, storage};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> _thnn_fused_gru_cell_backward(
    const at::Tensor& grad_hy, const at::Tensor& workspace, bool has_bias) {
  at::Tensor grad_input_gates = parts_of(grad_hy, 3), grad_hidden_gates = parts_of(grad_hy, 3);
  at::Tensor grad_hx = parts_of(grad_hy, 1), grad_input_bias, grad_hidden_bias;
  if (has_bias) {
    const int64_t gates = 3 * grad_hy.size(1);
    grad_input_bias = empty({gates}, grad_hy.scalar_type(), grad_hy.device());
    grad_hidden_bias = empty({gates}, grad_hy.scalar_type(), grad_hy.device());
  }
  launch(aclnn::ThnnFusedGruCellBackward, grad_hy, workspace, grad_input_gates, grad_hidden_gates, grad_hx,
         grad_input_bias, grad_hidden_bias);
  return {grad_input_gates, grad_hidden_gates, grad_hx, grad_input_bias, grad_hidden_bias};
}

}  // namespace torch_npu::op
