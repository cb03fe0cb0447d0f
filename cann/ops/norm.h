// Layer, RMS, group and batch norm and their gradients. float32, float64, float16, bfloat16; any strides; weight, bias
// and statistics may have another floating type than the input (mixed precision): they are read as, and written from,
// the compute type.
#pragma once

#include <span>

#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// The last normalized_shape.size() dimensions of input are one row. mean and rstd: one number a row, or null.
Result<Launch> layer_norm(const TensorView& input, IntArray normalized_shape, const TensorView* weight,
                          const TensorView* bias, double eps, const TensorView& out, const TensorView* mean,
                          const TensorView* rstd);
// output_mask: which of the gradients of input, weight and bias are wanted.
Result<Launch> layer_norm_backward(const TensorView& grad_out, const TensorView& input, IntArray normalized_shape,
                                   const TensorView& mean, const TensorView& rstd, const TensorView* weight,
                                   const TensorView* bias, std::span<const bool> output_mask,
                                   const TensorView* grad_input, const TensorView* grad_weight,
                                   const TensorView* grad_bias);

// The length of a row is the number of elements of x over that of rstd.
Result<Launch> rms_norm(const TensorView& x, const TensorView* gamma, double epsilon, const TensorView& out,
                        const TensorView& rstd);
Result<Launch> rms_norm_backward(const TensorView& dy, const TensorView& x, const TensorView& rstd,
                                 const TensorView* gamma, const TensorView* dx, const TensorView* dgamma);

// self is [n, c, hxw]; group divides c.
Result<Launch> group_norm(const TensorView& self, const TensorView* gamma, const TensorView* beta, int64_t n, int64_t c,
                          int64_t hxw, int64_t group, double eps, const TensorView& out, const TensorView& mean,
                          const TensorView& rstd);
Result<Launch> group_norm_backward(const TensorView& grad_out, const TensorView& input, const TensorView& mean,
                                   const TensorView& rstd, const TensorView* gamma, int64_t n, int64_t c, int64_t hxw,
                                   int64_t group, std::span<const bool> output_mask, const TensorView* grad_input,
                                   const TensorView* grad_gamma, const TensorView* grad_beta);

// input is [batch, channels, ...], channels first or last in memory. training: statistics of the batch are used, saved,
// and mixed into the running ones (where given) with weight `momentum`; else the running ones are used and save_* stay
// as they are.
Result<Launch> batch_norm(const TensorView& input, const TensorView* weight, const TensorView* bias,
                          const TensorView* running_mean, const TensorView* running_var, bool training, double momentum,
                          double eps, const TensorView& out, const TensorView* save_mean,
                          const TensorView* save_invstd);
Result<Launch> batch_norm_backward(const TensorView& grad_out, const TensorView& input, const TensorView* weight,
                                   const TensorView* running_mean, const TensorView* running_var,
                                   const TensorView* save_mean, const TensorView* save_invstd, bool training,
                                   double eps, std::span<const bool> output_mask, const TensorView* grad_input,
                                   const TensorView* grad_weight, const TensorView* grad_bias);

// The pieces of batch norm whose statistics come from several devices. mean and invstd: one element a channel, invstd
// 1 / sqrt(biased variance + eps).
Result<Launch> batch_norm_stats(const TensorView& input, double eps, const TensorView& mean, const TensorView& invstd);
// means and invstds [devices, channels], counts [devices]: how many elements each channel had on each.
Result<Launch> batch_norm_gather_stats(const TensorView& means, const TensorView& invstds,
                                       const TensorView* running_mean, const TensorView* running_var, double momentum,
                                       double eps, const TensorView& counts, const TensorView& mean,
                                       const TensorView& invstd);
Result<Launch> batch_norm_elemt(const TensorView& input, const TensorView* weight, const TensorView* bias,
                                const TensorView& mean, const TensorView& invstd, const TensorView& out);
// sum_dy, sum_dy_xmu = sum dy (x - mean), and the gradients of weight and bias; each may be null.
Result<Launch> batch_norm_reduce_backward(const TensorView& grad_out, const TensorView& input, const TensorView& mean,
                                          const TensorView& invstd, const TensorView* sum_dy,
                                          const TensorView* sum_dy_xmu, const TensorView* grad_weight,
                                          const TensorView* grad_bias);
// The sums are those of all devices, and so are counts.
Result<Launch> batch_norm_elemt_backward(const TensorView& grad_out, const TensorView& input, const TensorView& mean,
                                         const TensorView& invstd, const TensorView* weight, const TensorView& sum_dy,
                                         const TensorView& sum_dy_xmu, const TensorView& counts,
                                         const TensorView& grad_input);

}  // namespace cann::ops
