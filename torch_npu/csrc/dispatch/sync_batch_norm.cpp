// The pieces of torch.nn.SyncBatchNorm. PyTorch has them for GPUs only, so there is no CPU kernel to agree with:
// statistics are float32 for half inputs, as there.
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>

#include "functions_norm.h"
#include "handwritten_norm.h"
#include "torch_npu/csrc/dispatch/creation.h"
#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu::op {
namespace {

using OptionalTensor = std::optional<at::Tensor>;
using Two = std::tuple<at::Tensor, at::Tensor>;

void check_input(const char* op, const at::Tensor& input) {
  TORCH_CHECK(input.dim() >= 2, op, ": input ", input.sizes(), ": two or more dimensions are needed");
  TORCH_CHECK(at::isFloatingType(input.scalar_type()), op, ": input has type ", input.scalar_type(),
              ": a floating type is needed");
}

at::Tensor statistic(const at::Tensor& input) {
  return empty({input.size(1)}, input.scalar_type() == at::kDouble ? at::kDouble : at::kFloat, input.device());
}

at::Tensor in_its_format(const at::Tensor& input) {
  return empty(input.sizes(), input.scalar_type(), input.device(), input.suggest_memory_format());
}

}  // namespace

Two batch_norm_stats(const at::Tensor& input, double eps) {
  check_input("batch_norm_stats", input);
  at::Tensor mean = statistic(input), invstd = statistic(input);
  launch(aclnn::BatchNormStats, input, eps, mean, invstd);
  return {mean, invstd};
}

Two batch_norm_gather_stats_with_counts(const at::Tensor& input, const at::Tensor& mean, const at::Tensor& invstd,
                                        const OptionalTensor& running_mean, const OptionalTensor& running_var,
                                        double momentum, double eps, const at::Tensor& counts) {
  check_input("batch_norm_gather_stats_with_counts", input);
  at::Tensor mean_all = statistic(input), invstd_all = statistic(input);
  launch(aclnn::BatchNormGatherStatsWithCounts, input, mean, invstd, running_mean, running_var, momentum, eps, counts,
         mean_all, invstd_all);
  return {mean_all, invstd_all};
}

Two batch_norm_gather_stats(const at::Tensor& input, const at::Tensor& mean, const at::Tensor& invstd,
                            const OptionalTensor& running_mean, const OptionalTensor& running_var, double momentum,
                            double eps, int64_t count) {
  const at::Tensor counts = at::full({mean.size(0)}, count, mean.options());
  return batch_norm_gather_stats_with_counts(input, mean, invstd, running_mean, running_var, momentum, eps, counts);
}

at::Tensor& batch_norm_elemt_out(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                                 const at::Tensor& mean, const at::Tensor& invstd, double eps, at::Tensor& out) {
  check_input("batch_norm_elemt", input);
  shape::resize(shape::like(input), out);
  launch(aclnn::BatchNormElemt, input, weight, bias, mean, invstd, eps, out);
  return out;
}

at::Tensor batch_norm_elemt(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                            const at::Tensor& mean, const at::Tensor& invstd, double eps) {
  check_input("batch_norm_elemt", input);
  at::Tensor out = in_its_format(input);
  launch(aclnn::BatchNormElemt, input, weight, bias, mean, invstd, eps, out);
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> batch_norm_backward_reduce(
    const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& mean, const at::Tensor& invstd,
    const OptionalTensor& weight, bool input_g, bool weight_g, bool bias_g) {
  check_input("batch_norm_backward_reduce", input);
  const at::ScalarType parameter = weight.has_value() && weight->defined() ? weight->scalar_type() : mean.scalar_type();
  at::Tensor sum_dy, sum_dy_xmu, grad_weight, grad_bias;
  if (input_g) sum_dy = statistic(input), sum_dy_xmu = statistic(input);
  if (weight_g) grad_weight = empty({input.size(1)}, parameter, input.device());
  if (bias_g) grad_bias = empty({input.size(1)}, parameter, input.device());
  launch(aclnn::BatchNormReduceBackward, grad_out, input, mean, invstd, weight, input_g, weight_g, bias_g, sum_dy,
         sum_dy_xmu, grad_weight, grad_bias);
  return {sum_dy, sum_dy_xmu, grad_weight, grad_bias};
}

at::Tensor batch_norm_backward_elemt(const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& mean,
                                     const at::Tensor& invstd, const OptionalTensor& weight, const at::Tensor& sum_dy,
                                     const at::Tensor& sum_dy_xmu, const at::Tensor& count) {
  check_input("batch_norm_backward_elemt", input);
  at::Tensor grad_input = in_its_format(input);
  launch(aclnn::BatchNormElemtBackward, grad_out, input, mean, invstd, weight, sum_dy, sum_dy_xmu, count, grad_input);
  return grad_input;
}

}  // namespace torch_npu::op
