// The convolutions that PyTorch keeps under names of their own (torch._C._nn.slow_conv...): convolution computes them.
#include <array>

#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>

#include "handwritten_conv.h"
#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu::op {
namespace {

using OptionalTensor = std::optional<at::Tensor>;

void check_kernel(const char* op, const at::Tensor& weight, at::IntArrayRef kernel_size) {
  TORCH_CHECK(weight.dim() == static_cast<int64_t>(kernel_size.size()) + 2 && weight.sizes().slice(2) == kernel_size,
              op, ": weight ", weight.sizes(), ", kernel_size ", kernel_size, ": the sizes must match");
}

// An input without a batch is one of a single image.
template <class Convolve>
at::Tensor batched(const at::Tensor& self, const at::Tensor& weight, Convolve&& convolve) {
  return self.dim() == weight.dim() - 1 ? convolve(self.unsqueeze(0)).squeeze(0) : convolve(self);
}

at::Tensor convolve(const char* op, const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                    const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                    at::IntArrayRef dilation, int64_t groups = 1) {
  check_kernel(op, weight, kernel_size);
  return batched(self, weight, [&](const at::Tensor& input) {
    constexpr std::array<int64_t, 3> no_padding{};
    return at::convolution(input, weight, bias, stride, padding, dilation, /*transposed=*/false,
                           at::IntArrayRef(no_padding.data(), kernel_size.size()), groups);
  });
}

at::Tensor transposed(const char* op, const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                      const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                      at::IntArrayRef output_padding, at::IntArrayRef dilation) {
  check_kernel(op, weight, kernel_size);
  return batched(self, weight, [&](const at::Tensor& input) {
    return at::convolution(input, weight, bias, stride, padding, dilation, /*transposed=*/true, output_padding, 1);
  });
}

at::Tensor& into(at::Tensor& out, const at::Tensor& result) {
  shape::resize(shape::like(result), out);
  return out.copy_(result);
}

}  // namespace

at::Tensor _slow_conv2d_forward(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                                const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding) {
  return convolve("slow_conv2d", self, weight, kernel_size, bias, stride, padding, {1, 1});
}
at::Tensor& _slow_conv2d_forward_output(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                                        const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                                        at::Tensor& output) {
  return into(output, _slow_conv2d_forward(self, weight, kernel_size, bias, stride, padding));
}
std::tuple<at::Tensor, at::Tensor, at::Tensor> _slow_conv2d_backward_output_mask(
    const at::Tensor& grad_output, const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
    at::IntArrayRef stride, at::IntArrayRef padding, std::array<bool, 3> output_mask) {
  check_kernel("slow_conv2d_backward", weight, kernel_size);
  return at::convolution_backward(grad_output, self, weight, at::IntArrayRef(weight.size(0)), stride, padding, {1, 1},
                                  /*transposed=*/false, {0, 0}, 1, output_mask);
}

at::Tensor slow_conv3d_forward(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                               const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding) {
  return convolve("slow_conv3d", self, weight, kernel_size, bias, stride, padding, {1, 1, 1});
}
at::Tensor& slow_conv3d_forward_output(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                                       const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                                       at::Tensor& output) {
  return into(output, slow_conv3d_forward(self, weight, kernel_size, bias, stride, padding));
}

at::Tensor slow_conv_dilated2d(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                               const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                               at::IntArrayRef dilation) {
  return convolve("slow_conv_dilated2d", self, weight, kernel_size, bias, stride, padding, dilation);
}
at::Tensor slow_conv_dilated3d(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                               const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                               at::IntArrayRef dilation) {
  return convolve("slow_conv_dilated3d", self, weight, kernel_size, bias, stride, padding, dilation);
}
at::Tensor slow_conv_transpose2d(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                                 const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                                 at::IntArrayRef output_padding, at::IntArrayRef dilation) {
  return transposed("slow_conv_transpose2d", self, weight, kernel_size, bias, stride, padding, output_padding,
                    dilation);
}
at::Tensor& slow_conv_transpose2d_out(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                                      const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                                      at::IntArrayRef output_padding, at::IntArrayRef dilation, at::Tensor& out) {
  return into(out, slow_conv_transpose2d(self, weight, kernel_size, bias, stride, padding, output_padding, dilation));
}
at::Tensor slow_conv_transpose3d(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                                 const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                                 at::IntArrayRef output_padding, at::IntArrayRef dilation) {
  return transposed("slow_conv_transpose3d", self, weight, kernel_size, bias, stride, padding, output_padding,
                    dilation);
}

at::Tensor _conv_depthwise2d(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                             const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                             at::IntArrayRef dilation) {
  const int64_t channels = self.dim() == weight.dim() ? self.size(1) : self.size(0);
  return convolve("_conv_depthwise2d", self, weight, kernel_size, bias, stride, padding, dilation, channels);
}
at::Tensor& _conv_depthwise2d_out(const at::Tensor& self, const at::Tensor& weight, at::IntArrayRef kernel_size,
                                  const OptionalTensor& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                                  at::IntArrayRef dilation, at::Tensor& out) {
  return into(out, _conv_depthwise2d(self, weight, kernel_size, bias, stride, padding, dilation));
}

}  // namespace torch_npu::op
