// Layer norm and RMS norm: rows of the last dimensions.
#include "cann/kernels/norm/norm.h"
#include "cann/ops/family.h"
#include "cann/ops/norm.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

int64_t rows_in_chunk(int64_t n) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(n, 1)); }

// For gradients a chunk also has a row of partial sums: at most 32 chunks, whatever the number of threads.
int64_t rows_in_backward_chunk(int64_t rows, int64_t n) { return std::max(rows_in_chunk(n), (rows + 31) / 32); }

Status check_parameter(const char* op, const char* name, const TensorView* t, int64_t n) {
  if (!t || (t->numel() == n && is_floating(t->dtype))) return {};
  return bad_parameter(std::string(op) + ": " + name + " " + describe(*t) + ": " + std::to_string(n) +
                       " floating elements needed");
}

Status check_statistic(const char* op, const char* name, const TensorView* t, int64_t rows) {
  return check_parameter(op, name, t, rows);
}

// Runs `kernel` over the rows in chunks, each with its own partial sums, then adds these up.
template <class Kernel>
Launch launch_backward(Staging staging, const char* name, int64_t rows, int64_t n, DType compute, Slot grad_weight,
                       Slot grad_bias, Kernel kernel) {
  const int64_t grain = rows_in_backward_chunk(rows, n), chunks = (rows + grain - 1) / grain;
  const int64_t row_bytes = n * size_of(compute);
  Slot weights = grad_weight ? staging.scratch(chunks * row_bytes) : Slot();
  Slot biases = grad_bias ? staging.scratch(chunks * row_bytes) : Slot();
  auto add = kernels::norm().add_partials[compute == DType::Float64];
  return std::move(staging).launch(name, static_cast<double>(rows * n) / 1600, [=](TaskContext& context) {
    char *dw = weights.in<char>(context), *db = biases.in<char>(context);
    context.team.run(chunks, [&](int64_t chunk) {
      kernel(context, dw ? dw + chunk * row_bytes : nullptr, db ? db + chunk * row_bytes : nullptr, chunk * grain,
             std::min(rows, (chunk + 1) * grain));
    });
    auto finish = [&](const char* partials, void* out) {
      if (!out) return;
      context.team.for_ranges(n, 4096, [&](int64_t begin, int64_t end) { add(partials, chunks, n, out, begin, end); });
    };
    finish(dw, grad_weight.in(context));
    finish(db, grad_bias.in(context));
  });
}

}  // namespace

Result<Launch> layer_norm(const TensorView& input, IntArray normalized_shape, const TensorView* weight,
                          const TensorView* bias, double eps, const TensorView& out, const TensorView* mean,
                          const TensorView* rstd) {
  int type = floating_index(input.dtype);
  if (type < 0 || out.dtype != input.dtype)
    return bad_parameter("layer_norm: input " + describe(input) + ", out " + describe(out) +
                         ": one floating type needed");
  RETURN_IF_ERROR(check_same_shape("layer_norm", "input", input, "out", out));
  int64_t n = 1;
  for (int64_t size : normalized_shape) n *= size;
  int64_t rows = n ? input.numel() / n : 0;
  RETURN_IF_ERROR(check_parameter("layer_norm", "weight", weight, n));
  RETURN_IF_ERROR(check_parameter("layer_norm", "bias", bias, n));
  RETURN_IF_ERROR(check_statistic("layer_norm", "mean", mean, rows));
  RETURN_IF_ERROR(check_statistic("layer_norm", "rstd", rstd, rows));
  DType compute = compute_type(input.dtype);
  Staging staging;
  Slot x = staging.input(input), w = staging.input(weight, compute), b = staging.input(bias, compute),
       y = staging.output(out);
  Slot m = staging.output(mean, compute), s = staging.output(rstd, compute);
  auto kernel = kernels::norm().layer_norm[type];
  return std::move(staging).launch("layer_norm", static_cast<double>(rows * n) / 2500, [=](TaskContext& c) {
    kernels::LayerNormForward p{x.in(c), w.in(c), b.in(c), y.in(c), m.in(c), s.in(c), n, eps};
    c.team.for_ranges(rows, rows_in_chunk(n), [&](int64_t begin, int64_t end) { kernel(p, begin, end); });
  });
}

Result<Launch> layer_norm_backward(const TensorView& grad_out, const TensorView& input, IntArray normalized_shape,
                                   const TensorView& mean, const TensorView& rstd, const TensorView* weight,
                                   const TensorView*, std::span<const bool> output_mask, const TensorView* grad_input,
                                   const TensorView* grad_weight, const TensorView* grad_bias) {
  int type = floating_index(input.dtype);
  if (type < 0 || grad_out.dtype != input.dtype)
    return bad_parameter("layer_norm_backward: grad_out " + describe(grad_out) + ", input " + describe(input) +
                         ": one floating type needed");
  if (output_mask.size() != 3) return bad_parameter("layer_norm_backward: output_mask: three flags needed");
  RETURN_IF_ERROR(check_same_shape("layer_norm_backward", "grad_out", grad_out, "input", input));
  int64_t n = 1;
  for (int64_t size : normalized_shape) n *= size;
  int64_t rows = n ? input.numel() / n : 0;
  RETURN_IF_ERROR(check_parameter("layer_norm_backward", "weight", weight, n));
  RETURN_IF_ERROR(check_statistic("layer_norm_backward", "mean", &mean, rows));
  RETURN_IF_ERROR(check_statistic("layer_norm_backward", "rstd", &rstd, rows));
  DType compute = compute_type(input.dtype);
  Staging staging;
  Slot dy = staging.input(grad_out), x = staging.input(input), m = staging.input(mean, compute),
       s = staging.input(rstd, compute);
  Slot w = staging.input(weight, compute);
  Slot dx = staging.output(output_mask[0] ? grad_input : nullptr);
  Slot dw = staging.output(output_mask[1] ? grad_weight : nullptr, compute);
  Slot db = staging.output(output_mask[2] ? grad_bias : nullptr, compute);
  auto kernel = kernels::norm().layer_norm_backward[type];
  return launch_backward(std::move(staging), "layer_norm_backward", rows, n, compute, dw, db,
                         [=](TaskContext& c, void* partial_weight, void* partial_bias, int64_t begin, int64_t end) {
                           kernels::LayerNormBackward p{dy.in(c), x.in(c), m.in(c), s.in(c), w.in(c), dx.in(c), n};
                           kernel(p, partial_weight, partial_bias, begin, end);
                         });
}

Result<Launch> rms_norm(const TensorView& x, const TensorView* gamma, double epsilon, const TensorView& out,
                        const TensorView& rstd) {
  int type = floating_index(x.dtype);
  if (type < 0 || out.dtype != x.dtype)
    return bad_parameter("rms_norm: x " + describe(x) + ", out " + describe(out) + ": one floating type needed");
  RETURN_IF_ERROR(check_same_shape("rms_norm", "x", x, "out", out));
  int64_t rows = rstd.numel(), n = rows ? x.numel() / rows : 0;
  if (rows) RETURN_IF_ERROR(check_parameter("rms_norm", "gamma", gamma, n));
  DType compute = compute_type(x.dtype);
  Staging staging;
  Slot from = staging.input(x), w = staging.input(gamma, compute), to = staging.output(out),
       s = staging.output(rstd, compute);
  auto kernel = kernels::norm().rms_norm[type];
  return std::move(staging).launch("rms_norm", static_cast<double>(rows * n) / 3000, [=](TaskContext& c) {
    kernels::LayerNormForward p{from.in(c), w.in(c), nullptr, to.in(c), nullptr, s.in(c), n, epsilon};
    c.team.for_ranges(rows, rows_in_chunk(n), [&](int64_t begin, int64_t end) { kernel(p, begin, end); });
  });
}

Result<Launch> rms_norm_backward(const TensorView& dy, const TensorView& x, const TensorView& rstd,
                                 const TensorView* gamma, const TensorView* dx, const TensorView* dgamma) {
  int type = floating_index(x.dtype);
  if (type < 0 || dy.dtype != x.dtype)
    return bad_parameter("rms_norm_backward: dy " + describe(dy) + ", x " + describe(x) + ": one floating type needed");
  RETURN_IF_ERROR(check_same_shape("rms_norm_backward", "dy", dy, "x", x));
  int64_t rows = rstd.numel(), n = rows ? x.numel() / rows : dgamma ? dgamma->numel() : 0;
  RETURN_IF_ERROR(check_parameter("rms_norm_backward", "gamma", gamma, n));
  DType compute = compute_type(x.dtype);
  Staging staging;
  Slot grad = staging.input(dy), from = staging.input(x), s = staging.input(rstd, compute),
       w = staging.input(gamma, compute);
  Slot to = staging.output(dx), dw = staging.output(dgamma, compute);
  auto kernel = kernels::norm().rms_norm_backward[type];
  return launch_backward(std::move(staging), "rms_norm_backward", rows, n, compute, dw, Slot(),
                         [=](TaskContext& c, void* partial_weight, void*, int64_t begin, int64_t end) {
                           kernels::LayerNormBackward p{grad.in(c), from.in(c), nullptr, s.in(c), w.in(c), to.in(c), n};
                           kernel(p, partial_weight, begin, end);
                         });
}

}  // namespace cann::ops
