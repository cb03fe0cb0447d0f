// Norms: their ATen overloads have no structured meta, so results are made here, with the sizes and dtypes that
// PyTorch's CPU gives.
#include <limits>

#include <ATen/core/Tensor.h>
#include <ATen/native/layer_norm.h>

#include "functions_norm.h"
#include "handwritten_norm.h"
#include "torch_npu/csrc/dispatch/creation.h"
#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu::op {
namespace {

using OptionalTensor = std::optional<at::Tensor>;
using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

const at::Tensor& or_undefined(const OptionalTensor& t) {
  static const at::Tensor none;
  return t.has_value() ? *t : none;
}

// Half inputs may come with float32 parameters; statistics then are float32 too, else they have the input's type.
template <class... Parameters>
at::ScalarType statistics_type(const at::Tensor& input, const Parameters&... parameters) {
  at::ScalarType type = at::ScalarType::Undefined;
  auto first = [&](const OptionalTensor& p) {
    if (type == at::ScalarType::Undefined && p.has_value() && p->defined()) type = p->scalar_type();
  };
  (first(parameters), ...);
  return type == at::ScalarType::Undefined || type == input.scalar_type() ? input.scalar_type() : at::kFloat;
}

at::DimVector sizes_of_statistics(const at::Tensor& input, size_t normalized_dims) {
  at::DimVector sizes(input.sizes().begin(), input.sizes().end());
  for (size_t d = sizes.size() - normalized_dims; d < sizes.size(); ++d) sizes[d] = 1;
  return sizes;
}

at::Tensor gradient_like(const OptionalTensor& parameter, at::IntArrayRef sizes, const at::Tensor& input) {
  return empty(sizes, parameter.has_value() && parameter->defined() ? parameter->scalar_type() : input.scalar_type(),
               input.device());
}

at::Tensor in_its_format(const at::Tensor& input) {
  return empty(input.sizes(), input.scalar_type(), input.device(), input.suggest_memory_format());
}

Three batch_norm(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                 const OptionalTensor& running_mean, const OptionalTensor& running_var, bool training, double momentum,
                 double eps) {
  TORCH_CHECK(input.dim() >= 2, "native_batch_norm: input ", input.sizes(), ": two or more dimensions are needed");
  const at::ScalarType type = statistics_type(input, weight, bias, running_mean, running_var);
  const int64_t saved = training ? input.size(1) : 0;
  at::Tensor out = in_its_format(input), mean = empty({saved}, type, input.device()),
             invstd = empty({saved}, type, input.device());
  launch(aclnn::BatchNorm, input, weight, bias, running_mean, running_var, training, momentum, eps, out, mean, invstd);
  return {out, mean, invstd};
}

}  // namespace

Three native_layer_norm(const at::Tensor& input, at::IntArrayRef normalized_shape, const OptionalTensor& weight,
                        const OptionalTensor& bias, double eps) {
  at::native::_check_layer_norm_inputs(input, normalized_shape, or_undefined(weight), or_undefined(bias));
  const auto sizes = sizes_of_statistics(input, normalized_shape.size());
  const at::ScalarType type = statistics_type(input, weight, bias);
  at::Tensor out = empty(input.sizes(), input.scalar_type(), input.device());
  at::Tensor mean = empty(sizes, type, input.device()), rstd = empty(sizes, type, input.device());
  launch(aclnn::LayerNorm, input, normalized_shape, weight, bias, eps, out, mean, rstd);
  return {out, mean, rstd};
}

Three native_layer_norm_backward(const at::Tensor& grad_out, const at::Tensor& input, at::IntArrayRef normalized_shape,
                                 const at::Tensor& mean, const at::Tensor& rstd, const OptionalTensor& weight,
                                 const OptionalTensor& bias, std::array<bool, 3> output_mask) {
  at::Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) grad_input = empty(input.sizes(), input.scalar_type(), input.device());
  if (output_mask[1]) grad_weight = gradient_like(weight, normalized_shape, input);
  if (output_mask[2])
    grad_bias = gradient_like(bias.has_value() && bias->defined() ? bias : weight, normalized_shape, input);
  launch(aclnn::LayerNormBackward, grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask, grad_input,
         grad_weight, grad_bias);
  return {grad_input, grad_weight, grad_bias};
}

std::tuple<at::Tensor, at::Tensor> _fused_rms_norm(const at::Tensor& input, at::IntArrayRef normalized_shape,
                                                   const OptionalTensor& weight, std::optional<double> eps) {
  at::native::_check_layer_norm_inputs(input, normalized_shape, or_undefined(weight), at::Tensor());
  const bool wide = input.scalar_type() == at::kDouble;
  const double epsilon =
      eps.value_or(wide ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon());
  at::Tensor out = empty(input.sizes(), input.scalar_type(), input.device());
  at::Tensor rstd =
      empty(sizes_of_statistics(input, normalized_shape.size()), wide ? at::kDouble : at::kFloat, input.device());
  launch(aclnn::RmsNorm, input, weight, epsilon, out, rstd);
  return {out, rstd};
}

std::tuple<at::Tensor, at::Tensor> _fused_rms_norm_backward(const at::Tensor& grad_out, const at::Tensor& input,
                                                            at::IntArrayRef normalized_shape, const at::Tensor& rstd,
                                                            const OptionalTensor& weight,
                                                            std::array<bool, 2> output_mask) {
  at::Tensor grad_input, grad_weight;
  if (output_mask[0]) grad_input = empty(input.sizes(), input.scalar_type(), input.device());
  if (output_mask[1] && weight.has_value() && weight->defined())
    grad_weight = gradient_like(weight, normalized_shape, input);
  launch(aclnn::RmsNormGrad, grad_out, input, rstd, weight, grad_input, grad_weight);
  return {grad_input, grad_weight};
}

Three native_group_norm(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias, int64_t N,
                        int64_t C, int64_t HxW, int64_t group, double eps) {
  const at::ScalarType type = statistics_type(input, weight, bias);
  at::Tensor out = in_its_format(input);
  at::Tensor mean = empty({N, group}, type, input.device()), rstd = empty({N, group}, type, input.device());
  launch(aclnn::GroupNorm, input, weight, bias, N, C, HxW, group, eps, out, mean, rstd);
  return {out, mean, rstd};
}

Three native_group_norm_backward(const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& mean,
                                 const at::Tensor& rstd, const OptionalTensor& weight, int64_t N, int64_t C,
                                 int64_t HxW, int64_t group, std::array<bool, 3> output_mask) {
  at::Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) grad_input = in_its_format(input);
  if (output_mask[1]) grad_weight = gradient_like(weight, {C}, input);
  if (output_mask[2]) grad_bias = gradient_like(weight, {C}, input);
  launch(aclnn::GroupNormBackward, grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask, grad_input,
         grad_weight, grad_bias);
  return {grad_input, grad_weight, grad_bias};
}

Three native_batch_norm(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                        const OptionalTensor& running_mean, const OptionalTensor& running_var, bool training,
                        double momentum, double eps) {
  return batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
}

std::tuple<at::Tensor&, at::Tensor&, at::Tensor&> native_batch_norm_out(
    const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    const OptionalTensor& running_mean, const OptionalTensor& running_var, bool training, double momentum, double eps,
    at::Tensor& out, at::Tensor& save_mean, at::Tensor& save_invstd) {
  TORCH_CHECK(input.dim() >= 2, "native_batch_norm: input ", input.sizes(), ": two or more dimensions are needed");
  const at::ScalarType type = statistics_type(input, weight, bias, running_mean, running_var);
  const int64_t saved = training ? input.size(1) : 0;
  shape::resize(shape::sized(input.sizes(), input), out);
  shape::resize(shape::sized({saved}, type, input.device()), save_mean);
  shape::resize(shape::sized({saved}, type, input.device()), save_invstd);
  launch(aclnn::BatchNorm, input, weight, bias, running_mean, running_var, training, momentum, eps, out, save_mean,
         save_invstd);
  return {out, save_mean, save_invstd};
}

Three _native_batch_norm_legit(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                               at::Tensor& running_mean, at::Tensor& running_var, bool training, double momentum,
                               double eps) {
  return batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
}

Three _native_batch_norm_legit_no_stats(const at::Tensor& input, const OptionalTensor& weight,
                                        const OptionalTensor& bias, bool training, double momentum, double eps) {
  return batch_norm(input, weight, bias, std::nullopt, std::nullopt, training, momentum, eps);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> _batch_norm_with_update(
    const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias, at::Tensor& running_mean,
    at::Tensor& running_var, double momentum, double eps) {
  auto [out, mean, invstd] =
      batch_norm(input, weight, bias, running_mean, running_var, /*training=*/true, momentum, eps);
  return {out, mean, invstd, empty({0}, at::kByte, input.device())};
}

Three native_batch_norm_backward(const at::Tensor& grad_out, const at::Tensor& input, const OptionalTensor& weight,
                                 const OptionalTensor& running_mean, const OptionalTensor& running_var,
                                 const OptionalTensor& save_mean, const OptionalTensor& save_invstd, bool train,
                                 double eps, std::array<bool, 3> output_mask) {
  const at::ScalarType type = statistics_type(input, weight, running_mean, running_var, save_mean, save_invstd);
  const int64_t channels = input.size(1);
  at::Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) grad_input = in_its_format(input);
  if (output_mask[1]) grad_weight = empty({channels}, type, input.device());
  if (output_mask[2]) grad_bias = empty({channels}, type, input.device());
  launch(aclnn::BatchNormBackward, grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train,
         eps, output_mask, grad_input, grad_weight, grad_bias);
  return {grad_input, grad_weight, grad_bias};
}

Three batch_norm_backward(const at::Tensor& grad_out, const at::Tensor& input, const at::Tensor& weight,
                          const OptionalTensor& running_mean, const OptionalTensor& running_var,
                          const OptionalTensor& save_mean, const OptionalTensor& save_var, bool update, double eps,
                          std::array<bool, 3> output_mask, const at::Tensor&) {
  return native_batch_norm_backward(grad_out, input, weight, running_mean, running_var, save_mean, save_var, update,
                                    eps, output_mask);
}

}  // namespace torch_npu::op
