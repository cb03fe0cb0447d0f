// Convolutions, where PyTorch leaves them to a backend: the result's size and memory format, then one call.
#include "functions_conv.h"
#include "handwritten_conv.h"

#include <ATen/ops/convolution_ops.h>

namespace torch_npu::op {
namespace {

// PyTorch's own rule for a backend that has no say of its own: the input's format.
c10::MemoryFormat format_of(const at::Tensor& input) {
  const c10::MemoryFormat format = input.suggest_memory_format();
  return input.dim() == 4 || input.dim() == 5 ? format : c10::MemoryFormat::Contiguous;
}

void check_dtypes(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias) {
  TORCH_CHECK(input.options().type_equal(weight.options()), "Input type (", input.toString(), ") and weight type (",
              weight.toString(), ") should be the same");
  TORCH_CHECK(!bias.has_value() || !bias->defined() || input.options().type_equal(bias->options()), "Input type (",
              input.toString(), ") and bias type (", bias->toString(), ") should be the same");
}

c10::SmallVector<int64_t, 6> output_sizes(const at::Tensor& input, const at::Tensor& weight, at::IntArrayRef stride,
                                          at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                                          at::IntArrayRef output_padding, int64_t groups) {
  const auto at = [](at::IntArrayRef values, size_t d) { return values.size() == 1 ? values[0] : values[d]; };
  c10::SmallVector<int64_t, 6> sizes{input.size(0), transposed ? weight.size(1) * groups : weight.size(0)};
  for (int64_t d = 2; d < input.dim(); ++d) {
    const size_t i = static_cast<size_t>(d - 2);
    const int64_t reach = at(dilation, i) * (weight.size(d) - 1) + 1;
    sizes.push_back(transposed
                        ? (input.size(d) - 1) * at(stride, i) - 2 * at(padding, i) + reach + at(output_padding, i)
                        : (input.size(d) + 2 * at(padding, i) - reach) / at(stride, i) + 1);
  }
  return sizes;
}

// Half types, transposed, an output padding that reaches a stride: there PyTorch's CPU multiplies into columns and adds
// these up, rounding at each step. No model is known to ask for it; the fallback gives its bits.
bool rounds_by_columns(const at::Tensor& input, at::IntArrayRef stride, bool transposed,
                       at::IntArrayRef output_padding) {
  if (!transposed || !at::isReducedFloatingType(input.scalar_type())) return false;
  for (size_t d = 0; d < output_padding.size(); ++d)
    if (output_padding[d] >= stride[stride.size() == 1 ? 0 : d]) return true;
  return false;
}

}  // namespace

at::Tensor convolution_overrideable(const at::Tensor& input, const at::Tensor& weight,
                                    const std::optional<at::Tensor>& bias, at::IntArrayRef stride,
                                    at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                                    at::IntArrayRef output_padding, int64_t groups) {
  check_dtypes(input, weight, bias);
  if (rounds_by_columns(input, stride, transposed, output_padding)) {
    note_refusal(Refusal("a half type with an output padding not smaller than the stride"));
    return at::native::call_fallback_fn<&cpu_fallback, at::_ops::convolution>::call(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
  }
  const auto sizes = output_sizes(input, weight, stride, padding, dilation, transposed, output_padding, groups);
  at::Tensor out = empty(sizes, input.scalar_type(), input.device(), format_of(input));
  launch(aclnn::Convolution, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, out,
         0);
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward_overrideable(
    const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight, at::IntArrayRef stride,
    at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed, at::IntArrayRef output_padding, int64_t groups,
    std::array<bool, 3> output_mask) {
  at::Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) grad_input = empty(input.sizes(), input.scalar_type(), input.device(), format_of(input));
  if (output_mask[1]) grad_weight = empty(weight.sizes(), weight.scalar_type(), weight.device(), format_of(weight));
  if (output_mask[2]) grad_bias = empty({grad_output.size(1)}, grad_output.scalar_type(), grad_output.device());
  const int64_t bias_sizes[] = {grad_output.size(1)};
  launch(aclnn::ConvolutionBackward, grad_output, input, weight, at::IntArrayRef(bias_sizes), stride, padding, dilation,
         transposed, output_padding, groups, output_mask, 0, grad_input, grad_weight, grad_bias);
  return {grad_input, grad_weight, grad_bias};
}

at::Tensor conv_tbc(const at::Tensor& self, const at::Tensor& weight, const at::Tensor& bias, int64_t pad) {
  if (self.dim() != 3 || weight.dim() != 3 || bias.dim() != 1 || self.size(2) != weight.size(1) ||
      weight.size(2) != bias.size(0))
    throw Refusal("conv_tbc: sizes that do not fit");
  at::Tensor out = empty({self.size(0) + 2 * pad - weight.size(0) + 1, self.size(1), weight.size(2)},
                         self.scalar_type(), self.device());
  launch(aclnn::ConvTbc, self, weight, bias, pad, out, 0);
  return out;
}

}  // namespace torch_npu::op
