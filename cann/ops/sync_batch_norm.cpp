// Batch norm whose statistics are gathered from several devices: each piece reads or gives the statistics of one.
#include <cmath>

#include "cann/ops/batch_norm.h"
#include "cann/ops/norm.h"
#include "cann/ops/staging.h"

namespace cann::ops {
using namespace by_channel;
namespace {

// body(BatchNorm<A>) in the type that the input is computed in.
template <class Body>
void compute_as(DType input, const Layout& layout, const Body& body) {
  const int type = floating_index(input);
  if (compute_type(input) == DType::Float64)
    body(BatchNorm<double>{layout, type});
  else
    body(BatchNorm<float>{layout, type});
}

struct GatherSlots {
  Slot means, invstds, counts, running_mean, running_var, mean, invstd;
  int64_t devices, channels;
  double momentum, eps;
};

// The variance of all is the mean of each device's variance and of its mean's distance from the mean of all.
template <class A>
void gather(TaskContext& context, const GatherSlots& s) {
  const A *means = s.means.in<A>(context), *invstds = s.invstds.in<A>(context), *counts = s.counts.in<A>(context);
  A *running_mean = s.running_mean.in<A>(context), *running_var = s.running_var.in<A>(context);
  A *mean = s.mean.in<A>(context), *invstd = s.invstd.in<A>(context);
  const A momentum = static_cast<A>(s.momentum), eps = static_cast<A>(s.eps);
  A n = 0;
  for (int64_t k = 0; k < s.devices; ++k) n += counts[k];
  for (int64_t c = 0; c < s.channels; ++c) {
    A average = 0, squares = 0;
    for (int64_t k = 0; k < s.devices; ++k) average += counts[k] * means[k * s.channels + c];
    average /= n;
    for (int64_t k = 0; k < s.devices; ++k) {
      const A one = invstds[k * s.channels + c], apart = means[k * s.channels + c] - average;
      squares += counts[k] * (1 / (one * one) - eps + apart * apart);
    }
    mean[c] = average;
    invstd[c] = 1 / std::sqrt(squares / n + eps);
    if (running_mean) running_mean[c] = (1 - momentum) * running_mean[c] + momentum * average;
    if (running_var) running_var[c] = (1 - momentum) * running_var[c] + momentum * squares / (n - 1);
  }
}

}  // namespace

Result<Launch> batch_norm_stats(const TensorView& input, double eps, const TensorView& mean, const TensorView& invstd) {
  RETURN_IF_ERROR(check_input("batch_norm_stats", input, input));
  const Layout layout = layout_of(input);
  RETURN_IF_ERROR(check_channels("batch_norm_stats", "mean", &mean, layout.shape.channels));
  RETURN_IF_ERROR(check_channels("batch_norm_stats", "invstd", &invstd, layout.shape.channels));
  const DType compute = compute_type(input.dtype);
  Staging staging;
  const Slot x = staging.input(arranged(input, layout)), m = staging.output(mean, compute),
             s = staging.output(invstd, compute);
  Slot partials;
  if (layout.columns) partials = staging.scratch(column_chunks(layout) * layout.shape.channels * size_of(compute));
  return std::move(staging).launch(
      "batch_norm_stats", layout.elements() / 2000.0, [=, dtype = input.dtype](TaskContext& context) {
        compute_as(dtype, layout, [&]<class A>(const BatchNorm<A>& norm) {
          A* var = s.in<A>(context);
          norm.moments(context.team, x.in(context), m.in<A>(context), var, partials.in<A>(context));
          for (int64_t c = 0; c < layout.shape.channels; ++c) var[c] = A(1) / std::sqrt(var[c] + static_cast<A>(eps));
        });
      });
}

Result<Launch> batch_norm_gather_stats(const TensorView& means, const TensorView& invstds,
                                       const TensorView* running_mean, const TensorView* running_var, double momentum,
                                       double eps, const TensorView& counts, const TensorView& mean,
                                       const TensorView& invstd) {
  if (means.ndim != 2 || !same_shape(means, invstds) || floating_index(means.dtype) < 0 ||
      counts.numel() != means.sizes[0])
    return bad_parameter("batch_norm_gather_stats: means " + describe(means) + ", invstds " + describe(invstds) +
                         ", counts " + describe(counts) + ": [devices, channels] twice and [devices] needed");
  const int64_t channels = means.sizes[1];
  RETURN_IF_ERROR(check_channels("batch_norm_gather_stats", "running_mean", running_mean, channels));
  RETURN_IF_ERROR(check_channels("batch_norm_gather_stats", "running_var", running_var, channels));
  RETURN_IF_ERROR(check_channels("batch_norm_gather_stats", "mean_all", &mean, channels));
  RETURN_IF_ERROR(check_channels("batch_norm_gather_stats", "invstd_all", &invstd, channels));
  const DType compute = compute_type(means.dtype);
  Staging staging;
  const GatherSlots s{staging.input(means, compute),
                      staging.input(invstds, compute),
                      staging.input(counts, compute),
                      staging.update(running_mean, compute),
                      staging.update(running_var, compute),
                      staging.output(mean, compute),
                      staging.output(invstd, compute),
                      means.sizes[0],
                      channels,
                      momentum,
                      eps};
  return std::move(staging).launch("batch_norm_gather_stats", static_cast<double>(means.numel()) / 300,
                                   [=](TaskContext& context) {
                                     if (compute == DType::Float64)
                                       gather<double>(context, s);
                                     else
                                       gather<float>(context, s);
                                   });
}

Result<Launch> batch_norm_elemt(const TensorView& input, const TensorView* weight, const TensorView* bias,
                                const TensorView& mean, const TensorView& invstd, const TensorView& out) {
  RETURN_IF_ERROR(check_input("batch_norm_elemt", input, out));
  const Layout layout = layout_of(input);
  const int64_t channels = layout.shape.channels;
  RETURN_IF_ERROR(check_channels("batch_norm_elemt", "weight", weight, channels));
  RETURN_IF_ERROR(check_channels("batch_norm_elemt", "bias", bias, channels));
  RETURN_IF_ERROR(check_channels("batch_norm_elemt", "mean", &mean, channels));
  RETURN_IF_ERROR(check_channels("batch_norm_elemt", "invstd", &invstd, channels));
  const DType compute = compute_type(input.dtype);
  Staging staging;
  const Slot x = staging.input(arranged(input, layout)), w = staging.input(weight, compute),
             b = staging.input(bias, compute), m = staging.input(mean, compute), s = staging.input(invstd, compute),
             y = staging.output(arranged(out, layout)), scratch = staging.scratch(2 * channels * size_of(compute));
  return std::move(staging).launch("batch_norm_elemt", layout.elements() / 3000.0,
                                   [=, dtype = input.dtype](TaskContext& context) {
                                     compute_as(dtype, layout, [&]<class A>(const BatchNorm<A>& norm) {
                                       const A *weights = w.in<A>(context), *biases = b.in<A>(context);
                                       A *scale = scratch.in<A>(context), *shift = scale + channels;
                                       for (int64_t c = 0; c < channels; ++c) {
                                         scale[c] = s.in<A>(context)[c] * (weights ? weights[c] : A(1));
                                         shift[c] = (biases ? biases[c] : A(0)) - m.in<A>(context)[c] * scale[c];
                                       }
                                       norm.affine(context.team, x.in(context), scale, shift, y.in(context));
                                     });
                                   });
}

Result<Launch> batch_norm_reduce_backward(const TensorView& grad_out, const TensorView& input, const TensorView& mean,
                                          const TensorView& invstd, const TensorView* sum_dy,
                                          const TensorView* sum_dy_xmu, const TensorView* grad_weight,
                                          const TensorView* grad_bias) {
  RETURN_IF_ERROR(check_input("batch_norm_reduce_backward", input, grad_out));
  const Layout layout = layout_of(input);
  const int64_t channels = layout.shape.channels;
  RETURN_IF_ERROR(check_channels("batch_norm_reduce_backward", "mean", &mean, channels));
  RETURN_IF_ERROR(check_channels("batch_norm_reduce_backward", "invstd", &invstd, channels));
  for (const TensorView* result : {sum_dy, sum_dy_xmu, grad_weight, grad_bias})
    RETURN_IF_ERROR(check_channels("batch_norm_reduce_backward", "a result", result, channels));
  const DType compute = compute_type(input.dtype);
  Staging staging;
  const Slot dy = staging.input(arranged(grad_out, layout)), x = staging.input(arranged(input, layout)),
             m = staging.input(mean, compute), s = staging.input(invstd, compute),
             sums = staging.output(sum_dy, compute), dots = staging.output(sum_dy_xmu, compute),
             dw = staging.output(grad_weight, compute), db = staging.output(grad_bias, compute),
             scratch = staging.scratch(3 * channels * size_of(compute));
  Slot partials;
  if (layout.columns) partials = staging.scratch(2 * column_chunks(layout) * channels * size_of(compute));
  return std::move(staging).launch("batch_norm_reduce_backward", layout.elements() / 1500.0,
                                   [=, dtype = input.dtype](TaskContext& context) {
                                     compute_as(dtype, layout, [&]<class A>(const BatchNorm<A>& norm) {
                                       A *ones = scratch.in<A>(context), *sum = ones + channels, *dot = sum + channels;
                                       std::fill_n(ones, channels, A(1));
                                       norm.dots(context.team, dy.in(context), x.in(context), m.in<A>(context), ones,
                                                 sum, dot, partials.in<A>(context));
                                       if (A* to = sums.in<A>(context)) std::copy_n(sum, channels, to);
                                       if (A* to = dots.in<A>(context)) std::copy_n(dot, channels, to);
                                       if (A* to = db.in<A>(context)) std::copy_n(sum, channels, to);
                                       if (A* to = dw.in<A>(context))
                                         for (int64_t c = 0; c < channels; ++c) to[c] = dot[c] * s.in<A>(context)[c];
                                     });
                                   });
}

// dx = w invstd (dy - sum_dy / n - (x - mean) invstd^2 sum_dy_xmu / n)
Result<Launch> batch_norm_elemt_backward(const TensorView& grad_out, const TensorView& input, const TensorView& mean,
                                         const TensorView& invstd, const TensorView* weight, const TensorView& sum_dy,
                                         const TensorView& sum_dy_xmu, const TensorView& counts,
                                         const TensorView& grad_input) {
  RETURN_IF_ERROR(check_input("batch_norm_elemt_backward", input, grad_out));
  RETURN_IF_ERROR(check_input("batch_norm_elemt_backward", input, grad_input));
  const Layout layout = layout_of(input);
  const int64_t channels = layout.shape.channels, devices = counts.numel();
  RETURN_IF_ERROR(check_channels("batch_norm_elemt_backward", "weight", weight, channels));
  for (const TensorView* one : {&mean, &invstd, &sum_dy, &sum_dy_xmu})
    RETURN_IF_ERROR(check_channels("batch_norm_elemt_backward", "a statistic", one, channels));
  const DType compute = compute_type(input.dtype);
  Staging staging;
  const Slot dy = staging.input(arranged(grad_out, layout)), x = staging.input(arranged(input, layout)),
             m = staging.input(mean, compute), s = staging.input(invstd, compute), w = staging.input(weight, compute),
             sums = staging.input(sum_dy, compute), dots = staging.input(sum_dy_xmu, compute),
             count = staging.input(counts, compute), dx = staging.output(arranged(grad_input, layout)),
             scratch = staging.scratch(3 * channels * size_of(compute));
  return std::move(staging).launch(
      "batch_norm_elemt_backward", layout.elements() / 2000.0, [=, dtype = input.dtype](TaskContext& context) {
        compute_as(dtype, layout, [&]<class A>(const BatchNorm<A>& norm) {
          A n = 0;
          for (int64_t k = 0; k < devices; ++k) n += count.in<A>(context)[k];
          A *a = scratch.in<A>(context), *b = a + channels, *d = b + channels;
          const A *invstds = s.in<A>(context), *weights = w.in<A>(context);
          for (int64_t c = 0; c < channels; ++c) {
            a[c] = invstds[c] * (weights ? weights[c] : A(1));
            b[c] = -a[c] * invstds[c] * invstds[c] * dots.in<A>(context)[c] / n;
            d[c] = -a[c] * sums.in<A>(context)[c] / n - b[c] * m.in<A>(context)[c];
          }
          norm.affine2(context.team, dy.in(context), x.in(context), a, b, d, dx.in(context));
        });
      });
}

}  // namespace cann::ops
