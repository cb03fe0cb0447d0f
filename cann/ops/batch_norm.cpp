// Batch norm from the pieces of cann/kernels/norm/channel.cpp: statistics by channel, then one affine map.
#include "cann/ops/batch_norm.h"

#include <cmath>

#include "cann/ops/norm.h"
#include "cann/ops/staging.h"

namespace cann::ops {
using namespace by_channel;
namespace {

struct ForwardSlots {
  Slot x, w, b, running_mean, running_var, y, save_mean, save_invstd, scratch, partials;
};

template <class A>
void forward(TaskContext& context, const BatchNorm<A>& norm, const ForwardSlots& s, bool training, double momentum,
             double eps) {
  const int64_t channels = norm.layout.shape.channels, count = norm.layout.rows();
  A* mean = s.scratch.in<A>(context);
  A *var = mean + channels, *scale = var + channels, *shift = scale + channels;
  A *running_mean = s.running_mean.in<A>(context), *running_var = s.running_var.in<A>(context);
  if (training) {
    norm.moments(context.team, s.x.in(context), mean, var, s.partials.in<A>(context));
    const A m = static_cast<A>(momentum), unbias = static_cast<A>(count) / static_cast<A>(count - 1);
    for (int64_t c = 0; running_mean && c < channels; ++c) running_mean[c] = m * mean[c] + (1 - m) * running_mean[c];
    for (int64_t c = 0; running_var && c < channels; ++c)
      running_var[c] = m * var[c] * unbias + (1 - m) * running_var[c];
  } else {
    std::copy_n(running_mean, channels, mean);
    std::copy_n(running_var, channels, var);
  }
  const A *w = s.w.in<A>(context), *b = s.b.in<A>(context);
  A *save_mean = s.save_mean.in<A>(context), *save_invstd = s.save_invstd.in<A>(context);
  for (int64_t c = 0; c < channels; ++c) {
    A invstd = A(1) / std::sqrt(var[c] + static_cast<A>(eps));
    if (training && save_mean) save_mean[c] = mean[c];
    if (training && save_invstd) save_invstd[c] = invstd;
    scale[c] = w ? invstd * w[c] : invstd;
    shift[c] = (b ? b[c] : A(0)) - mean[c] * scale[c];
  }
  norm.affine(context.team, s.x.in(context), scale, shift, s.y.in(context));
}

struct BackwardSlots {
  Slot dy, x, w, mean, var_or_invstd, dx, dw, db, scratch, partials;
};

// training: dx = w invstd (dy - mean(dy) - xhat mean(dy xhat)); else dx = w invstd dy.
template <class A>
void backward(TaskContext& context, const BatchNorm<A>& norm, const BackwardSlots& s, bool training, double eps) {
  const int64_t channels = norm.layout.shape.channels;
  const A n = static_cast<A>(norm.layout.rows());
  A* sum_dy = s.scratch.in<A>(context);
  A *dot = sum_dy + channels, *invstd = dot + channels, *a = invstd + channels, *b = a + channels, *d = b + channels;
  const A *mean = s.mean.in<A>(context), *given = s.var_or_invstd.in<A>(context), *w = s.w.in<A>(context);
  for (int64_t c = 0; c < channels; ++c)
    invstd[c] = training ? given[c] : A(1) / std::sqrt(given[c] + static_cast<A>(eps));
  norm.dots(context.team, s.dy.in(context), s.x.in(context), mean, invstd, sum_dy, dot, s.partials.in<A>(context));
  if (A* dw = s.dw.in<A>(context)) std::copy_n(dot, channels, dw);
  if (A* db = s.db.in<A>(context)) std::copy_n(sum_dy, channels, db);
  void* dx = s.dx.in(context);
  if (!dx) return;
  for (int64_t c = 0; c < channels; ++c) {
    a[c] = w ? w[c] * invstd[c] : invstd[c];
    b[c] = training ? -a[c] * invstd[c] * dot[c] / n : A(0);
    d[c] = training ? -a[c] * sum_dy[c] / n - b[c] * mean[c] : A(0);
  }
  if (training) {
    norm.affine2(context.team, s.dy.in(context), s.x.in(context), a, b, d, dx);
  } else {
    norm.affine(context.team, s.dy.in(context), a, d, dx);
  }
}

}  // namespace

Result<Launch> batch_norm(const TensorView& input, const TensorView* weight, const TensorView* bias,
                          const TensorView* running_mean, const TensorView* running_var, bool training, double momentum,
                          double eps, const TensorView& out, const TensorView* save_mean,
                          const TensorView* save_invstd) {
  RETURN_IF_ERROR(check_input("batch_norm", input, out));
  Layout layout = layout_of(input);
  const int64_t channels = layout.shape.channels;
  RETURN_IF_ERROR(check_channels("batch_norm", "weight", weight, channels));
  RETURN_IF_ERROR(check_channels("batch_norm", "bias", bias, channels));
  RETURN_IF_ERROR(check_channels("batch_norm", "running_mean", running_mean, channels));
  RETURN_IF_ERROR(check_channels("batch_norm", "running_var", running_var, channels));
  if (!training && (!running_mean || !running_var))
    return bad_parameter("batch_norm: running_mean and running_var are needed when not training");
  DType compute = compute_type(input.dtype);
  Staging staging;
  ForwardSlots s;
  s.x = staging.input(arranged(input, layout));
  s.w = staging.input(weight, compute);
  s.b = staging.input(bias, compute);
  s.running_mean = training ? staging.update(running_mean, compute) : staging.input(running_mean, compute);
  s.running_var = training ? staging.update(running_var, compute) : staging.input(running_var, compute);
  s.y = staging.output(arranged(out, layout));
  if (training) {
    RETURN_IF_ERROR(check_channels("batch_norm", "save_mean", save_mean, channels));
    RETURN_IF_ERROR(check_channels("batch_norm", "save_invstd", save_invstd, channels));
    s.save_mean = staging.output(save_mean, compute);
    s.save_invstd = staging.output(save_invstd, compute);
  }
  s.scratch = staging.scratch(4 * channels * size_of(compute));
  if (layout.columns) s.partials = staging.scratch(column_chunks(layout) * channels * size_of(compute));
  const int type = floating_index(input.dtype);
  const bool wide = compute == DType::Float64;
  return std::move(staging).launch("batch_norm", layout.elements() / (training ? 1800.0 : 3000.0),
                                   [=](TaskContext& context) {
                                     if (wide)
                                       forward(context, BatchNorm<double>{layout, type}, s, training, momentum, eps);
                                     else
                                       forward(context, BatchNorm<float>{layout, type}, s, training, momentum, eps);
                                   });
}

Result<Launch> batch_norm_backward(const TensorView& grad_out, const TensorView& input, const TensorView* weight,
                                   const TensorView* running_mean, const TensorView* running_var,
                                   const TensorView* save_mean, const TensorView* save_invstd, bool training,
                                   double eps, std::span<const bool> output_mask, const TensorView* grad_input,
                                   const TensorView* grad_weight, const TensorView* grad_bias) {
  RETURN_IF_ERROR(check_input("batch_norm_backward", input, grad_out));
  if (output_mask.size() != 3) return bad_parameter("batch_norm_backward: output_mask: three flags needed");
  Layout layout = layout_of(input);
  const int64_t channels = layout.shape.channels;
  const TensorView *mean = training ? save_mean : running_mean, *spread = training ? save_invstd : running_var;
  if (!mean || !spread) return bad_parameter("batch_norm_backward: the statistics of the forward are needed");
  RETURN_IF_ERROR(check_channels("batch_norm_backward", "weight", weight, channels));
  RETURN_IF_ERROR(check_channels("batch_norm_backward", "mean", mean, channels));
  RETURN_IF_ERROR(check_channels("batch_norm_backward", "invstd or var", spread, channels));
  DType compute = compute_type(input.dtype);
  Staging staging;
  BackwardSlots s;
  s.dy = staging.input(arranged(grad_out, layout));
  s.x = staging.input(arranged(input, layout));
  s.w = staging.input(weight, compute);
  s.mean = staging.input(mean, compute);
  s.var_or_invstd = staging.input(spread, compute);
  if (output_mask[0] && grad_input) s.dx = staging.output(arranged(*grad_input, layout));
  s.dw = staging.output(output_mask[1] ? grad_weight : nullptr, compute);
  s.db = staging.output(output_mask[2] ? grad_bias : nullptr, compute);
  s.scratch = staging.scratch(6 * channels * size_of(compute));
  if (layout.columns) s.partials = staging.scratch(2 * column_chunks(layout) * channels * size_of(compute));
  const int type = floating_index(input.dtype);
  const bool wide = compute == DType::Float64;
  return std::move(staging).launch("batch_norm_backward", layout.elements() / 800.0, [=](TaskContext& context) {
    if (wide)
      backward(context, BatchNorm<double>{layout, type}, s, training, eps);
    else
      backward(context, BatchNorm<float>{layout, type}, s, training, eps);
  });
}

}  // namespace cann::ops
