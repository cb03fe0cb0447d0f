// See the header. Rows of the batch are shared out over the Team; the sum for a bias runs over columns, in the order
// of the batch whatever the number of threads.
#include "cann/ops/rnn.h"

#include "cann/kernels/norm/norm.h"
#include "cann/kernels/rnn/rnn.h"
#include "cann/ops/family.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

constexpr double kElementsPerUs = 120;  // of `hidden`: three sigmoids and two tanh each
constexpr int64_t kChunk = 512;         // of `hidden`, at least, that a thread takes

// pre: t is what a cell calls [batch, parts * hidden], with the state's batch and hidden
Status check_part(const char* op, const char* name, const TensorView& t, const TensorView& state, int64_t parts) {
  if (t.ndim == 2 && t.dtype == state.dtype && t.sizes[0] == state.sizes[0] && t.sizes[1] == parts * state.sizes[1])
    return {};
  return bad_parameter(std::string(op) + ": " + name + " " + describe(t) + ", state " + describe(state) + ": needs [" +
                       std::to_string(state.sizes[0]) + ", " + std::to_string(parts * state.sizes[1]) +
                       "] of the state's type");
}

Status check_state(const char* op, const char* name, const TensorView& t) {
  if (t.ndim == 2 && floating_index(t.dtype) >= 0) return {};
  return bad_parameter(std::string(op) + ": " + name + " " + describe(t) +
                       ": [batch, hidden] of a floating type needed");
}

Status check_bias(const char* op, const char* name, const TensorView* t, int64_t n) {
  if (!t || (t->numel() == n && floating_index(t->dtype) >= 0)) return {};
  return bad_parameter(std::string(op) + ": " + name + " " + describe(*t) + ": " + std::to_string(n) +
                       " floating elements needed");
}

// What enters a cell: gates of `parts` each from the input and the state before, and their biases, if any.
Status check_entry(const char* op, int64_t parts, const TensorView& state, const TensorView& input_gates,
                   const TensorView& hidden_gates, const TensorView* input_bias, const TensorView* hidden_bias) {
  RETURN_IF_ERROR(check_part(op, "input_gates", input_gates, state, parts));
  RETURN_IF_ERROR(check_part(op, "hidden_gates", hidden_gates, state, parts));
  RETURN_IF_ERROR(check_bias(op, "input_bias", input_bias, parts * state.sizes[1]));
  return check_bias(op, "hidden_bias", hidden_bias, parts * state.sizes[1]);
}

int64_t rows_in_chunk(int64_t hidden) { return std::max<int64_t>(1, kChunk / std::max<int64_t>(hidden, 1)); }

double estimate_us(const TensorView& state) { return static_cast<double>(state.numel()) / kElementsPerUs; }

// out[j] = sum over the batch of gates[row, j]
void sum_rows(TaskContext& c, DType compute, const void* gates, int64_t rows, int64_t n, void* out) {
  if (!out) return;
  auto add = kernels::norm().add_partials[compute == DType::Float64];
  c.team.for_ranges(n, 4096, [&](int64_t begin, int64_t end) { add(gates, rows, n, out, begin, end); });
}

}  // namespace

Result<Launch> lstm_cell(const TensorView& input_gates, const TensorView& hidden_gates, const TensorView& cx,
                         const TensorView* input_bias, const TensorView* hidden_bias, const TensorView& hy,
                         const TensorView& cy, const TensorView& storage) {
  RETURN_IF_ERROR(check_state("lstm_cell", "cx", cx));
  RETURN_IF_ERROR(check_entry("lstm_cell", 4, cx, input_gates, hidden_gates, input_bias, hidden_bias));
  RETURN_IF_ERROR(check_part("lstm_cell", "hy", hy, cx, 1));
  RETURN_IF_ERROR(check_part("lstm_cell", "cy", cy, cx, 1));
  RETURN_IF_ERROR(check_part("lstm_cell", "storage", storage, cx, 4));
  const int64_t rows = cx.sizes[0], hidden = cx.sizes[1];
  const DType compute = compute_type(cx.dtype);
  Staging staging;
  const Slot x = staging.input(input_gates, compute), h = staging.input(hidden_gates, compute);
  const Slot state = staging.input(cx, compute), x_bias = staging.input(input_bias, compute),
             h_bias = staging.input(hidden_bias, compute);
  const Slot to_h = staging.output(hy, compute), to_c = staging.output(cy, compute),
             kept = staging.output(storage, compute);
  auto kernel = kernels::rnn().lstm[compute == DType::Float64];
  return std::move(staging).launch("lstm_cell", estimate_us(cx), [=](TaskContext& c) {
    const kernels::LstmCell p{x.in(c),    h.in(c),    state.in(c), x_bias.in(c), h_bias.in(c),
                              to_h.in(c), to_c.in(c), kept.in(c),  hidden};
    c.team.for_ranges(rows, rows_in_chunk(hidden), [&](int64_t begin, int64_t end) { kernel(p, begin, end); });
  });
}

Result<Launch> lstm_cell_backward(const TensorView* grad_hy, const TensorView* grad_cy, const TensorView& cx,
                                  const TensorView& cy, const TensorView& storage, bool has_bias,
                                  const TensorView& grad_gates, const TensorView& grad_cx,
                                  const TensorView* grad_bias) {
  constexpr const char* kName = "lstm_cell_backward";
  RETURN_IF_ERROR(check_state(kName, "cx", cx));
  if (grad_hy) RETURN_IF_ERROR(check_part(kName, "grad_hy", *grad_hy, cx, 1));
  if (grad_cy) RETURN_IF_ERROR(check_part(kName, "grad_cy", *grad_cy, cx, 1));
  RETURN_IF_ERROR(check_part(kName, "cy", cy, cx, 1));
  RETURN_IF_ERROR(check_part(kName, "storage", storage, cx, 4));
  RETURN_IF_ERROR(check_part(kName, "grad_gates", grad_gates, cx, 4));
  RETURN_IF_ERROR(check_part(kName, "grad_cx", grad_cx, cx, 1));
  const int64_t rows = cx.sizes[0], hidden = cx.sizes[1];
  if (!has_bias) grad_bias = nullptr;
  RETURN_IF_ERROR(check_bias(kName, "grad_bias", grad_bias, 4 * hidden));
  const DType compute = compute_type(cx.dtype);
  Staging staging;
  const Slot dh = staging.input(grad_hy, compute), dc = staging.input(grad_cy, compute);
  const Slot before = staging.input(cx, compute), after = staging.input(cy, compute),
             kept = staging.input(storage, compute);
  const Slot gates = staging.output(grad_gates, compute), dcx = staging.output(grad_cx, compute),
             bias = staging.output(grad_bias, compute);
  auto kernel = kernels::rnn().lstm_backward[compute == DType::Float64];
  return std::move(staging).launch(kName, estimate_us(cx), [=](TaskContext& c) {
    const kernels::LstmCellBackward p{dh.in(c),   dc.in(c),    before.in(c), after.in(c),
                                      kept.in(c), gates.in(c), dcx.in(c),    hidden};
    c.team.for_ranges(rows, rows_in_chunk(hidden), [&](int64_t begin, int64_t end) { kernel(p, begin, end); });
    sum_rows(c, compute, gates.in(c), rows, 4 * hidden, bias.in(c));
  });
}

Result<Launch> gru_cell(const TensorView& input_gates, const TensorView& hidden_gates, const TensorView& hx,
                        const TensorView* input_bias, const TensorView* hidden_bias, const TensorView& hy,
                        const TensorView& storage) {
  RETURN_IF_ERROR(check_state("gru_cell", "hx", hx));
  RETURN_IF_ERROR(check_entry("gru_cell", 3, hx, input_gates, hidden_gates, input_bias, hidden_bias));
  RETURN_IF_ERROR(check_part("gru_cell", "hy", hy, hx, 1));
  RETURN_IF_ERROR(check_part("gru_cell", "storage", storage, hx, 5));
  const int64_t rows = hx.sizes[0], hidden = hx.sizes[1];
  const DType compute = compute_type(hx.dtype);
  Staging staging;
  const Slot x = staging.input(input_gates, compute), h = staging.input(hidden_gates, compute);
  const Slot state = staging.input(hx, compute), x_bias = staging.input(input_bias, compute),
             h_bias = staging.input(hidden_bias, compute);
  const Slot to = staging.output(hy, compute), kept = staging.output(storage, compute);
  auto kernel = kernels::rnn().gru[compute == DType::Float64];
  return std::move(staging).launch("gru_cell", estimate_us(hx), [=](TaskContext& c) {
    const kernels::GruCell p{x.in(c), h.in(c), state.in(c), x_bias.in(c), h_bias.in(c), to.in(c), kept.in(c), hidden};
    c.team.for_ranges(rows, rows_in_chunk(hidden), [&](int64_t begin, int64_t end) { kernel(p, begin, end); });
  });
}

Result<Launch> gru_cell_backward(const TensorView& grad_hy, const TensorView& storage,
                                 const TensorView& grad_input_gates, const TensorView& grad_hidden_gates,
                                 const TensorView& grad_hx, const TensorView* grad_input_bias,
                                 const TensorView* grad_hidden_bias) {
  constexpr const char* kName = "gru_cell_backward";
  RETURN_IF_ERROR(check_state(kName, "grad_hy", grad_hy));
  RETURN_IF_ERROR(check_part(kName, "storage", storage, grad_hy, 5));
  RETURN_IF_ERROR(check_part(kName, "grad_input_gates", grad_input_gates, grad_hy, 3));
  RETURN_IF_ERROR(check_part(kName, "grad_hidden_gates", grad_hidden_gates, grad_hy, 3));
  RETURN_IF_ERROR(check_part(kName, "grad_hx", grad_hx, grad_hy, 1));
  const int64_t rows = grad_hy.sizes[0], hidden = grad_hy.sizes[1];
  RETURN_IF_ERROR(check_bias(kName, "grad_input_bias", grad_input_bias, 3 * hidden));
  RETURN_IF_ERROR(check_bias(kName, "grad_hidden_bias", grad_hidden_bias, 3 * hidden));
  const DType compute = compute_type(grad_hy.dtype);
  Staging staging;
  const Slot dh = staging.input(grad_hy, compute), kept = staging.input(storage, compute);
  const Slot dx = staging.output(grad_input_gates, compute), dhidden = staging.output(grad_hidden_gates, compute);
  const Slot dstate = staging.output(grad_hx, compute);
  const Slot x_bias = staging.output(grad_input_bias, compute), h_bias = staging.output(grad_hidden_bias, compute);
  auto kernel = kernels::rnn().gru_backward[compute == DType::Float64];
  return std::move(staging).launch(kName, estimate_us(grad_hy), [=](TaskContext& c) {
    const kernels::GruCellBackward p{dh.in(c), kept.in(c), dx.in(c), dhidden.in(c), dstate.in(c), hidden};
    c.team.for_ranges(rows, rows_in_chunk(hidden), [&](int64_t begin, int64_t end) { kernel(p, begin, end); });
    sum_rows(c, compute, dx.in(c), rows, 3 * hidden, x_bias.in(c));
    sum_rows(c, compute, dhidden.in(c), rows, 3 * hidden, h_bias.in(c));
  });
}

}  // namespace cann::ops
