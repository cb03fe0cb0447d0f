// Padding, grid sampling and im2col overloads without a structured meta: shapes and errors as PyTorch's CPU gives them.
#include <ATen/native/GridSamplerUtils.h>
#include <ATen/native/Padding.h>
#include <ATen/native/im2col_shape_check.h>

#include "aclnn_functions.h"
#include "handwritten_upsample.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::op {
namespace {

using shape::Spec;

Spec padded_spec(bool reflect, const at::Tensor& self, at::IntArrayRef padding) {
  at::native::padding::check_valid_input<2>(self, padding);
  const int64_t h = self.size(-2), w = self.size(-1);
  const int64_t out_h = h + padding[2] + padding[3], out_w = w + padding[0] + padding[1];
  if (reflect) {
    TORCH_CHECK(padding[0] < w && padding[1] < w, "Argument #4: Padding size should be less than the corresponding input dimension, ",
                "but got: padding (", padding[0], ", ", padding[1], ") at dimension ", self.dim() - 1, " of input ", self.sizes());
    TORCH_CHECK(padding[2] < h && padding[3] < h, "Argument #6: Padding size should be less than the corresponding input dimension, ",
                "but got: padding (", padding[2], ", ", padding[3], ") at dimension ", self.dim() - 2, " of input ", self.sizes());
  }
  TORCH_CHECK(out_w >= 1 || out_h >= 1, "input (H: ", h, ", W: ", w, ") is too small. Calculated output H: ", out_h, " W: ", out_w);
  at::DimVector sizes(self.sizes().begin(), self.sizes().end());
  sizes[sizes.size() - 2] = out_h;
  sizes[sizes.size() - 1] = out_w;
  Spec spec = shape::sized(sizes, self);
  if (self.dim() == 4 && self.suggest_memory_format() == at::MemoryFormat::ChannelsLast) {
    const auto strides = c10::get_channels_last_strides_2d(sizes);
    spec.strides.assign(strides.begin(), strides.end());
  }
  return spec;
}

// The gradient of a padding has the padded size.
void check_padding_gradient(const char* name, int64_t dims, const at::Tensor& grad_output, const at::Tensor& self,
                            at::IntArrayRef padding) {
  TORCH_CHECK(static_cast<int64_t>(padding.size()) == 2 * dims, "padding size is expected to be ", 2 * dims, ", but got: ",
              padding.size());
  for (int64_t d = 1; d <= dims; ++d) {
    const int64_t expected = self.size(-d) + padding[2 * (d - 1)] + padding[2 * (d - 1) + 1];
    TORCH_CHECK(grad_output.size(-d) == expected, name, ": gradOutput size unexpected at dimension ", self.dim() - d, ". Expected: ",
                expected, ", Got: ", grad_output.size(-d));
  }
}

}  // namespace

at::Tensor& reflection_pad2d_out(const at::Tensor& self, at::IntArrayRef padding, at::Tensor& out) {
  shape::resize(padded_spec(true, self, padding), out);
  launch(aclnn::ReflectionPad2d, self, padding, out);
  return out;
}
at::Tensor reflection_pad2d(const at::Tensor& self, at::IntArrayRef padding) {
  at::Tensor out = shape::allocate_one(padded_spec(true, self, padding));
  launch(aclnn::ReflectionPad2d, self, padding, out);
  return out;
}
at::Tensor& reflection_pad2d_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef padding,
                                                 at::Tensor& grad_input) {
  check_padding_gradient("reflection_pad2d_backward", 2, grad_output, self, padding);
  shape::resize(shape::like(self), grad_input);
  launch(aclnn::ReflectionPad2dBackward, grad_output, self, padding, grad_input);
  return grad_input;
}
at::Tensor reflection_pad2d_backward(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef padding) {
  at::Tensor grad_input = empty_like(self);
  return reflection_pad2d_backward_grad_input(grad_output, self, padding, grad_input);
}
at::Tensor& replication_pad2d_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef padding,
                                                  at::Tensor& grad_input) {
  check_padding_gradient("replication_pad2d_backward", 2, grad_output, self, padding);
  shape::resize(shape::like(self), grad_input);
  launch(aclnn::ReplicationPad2dBackward, grad_output, self, padding, grad_input);
  return grad_input;
}
at::Tensor replication_pad2d_backward(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef padding) {
  at::Tensor grad_input = empty_like(self);
  return replication_pad2d_backward_grad_input(grad_output, self, padding, grad_input);
}
at::Tensor& replication_pad3d_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef padding,
                                                  at::Tensor& grad_input) {
  check_padding_gradient("replication_pad3d_backward", 3, grad_output, self, padding);
  shape::resize(shape::like(self), grad_input);
  launch(aclnn::ReplicationPad3dBackward, grad_output, self, padding, grad_input);
  return grad_input;
}
at::Tensor replication_pad3d_backward(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef padding) {
  at::Tensor grad_input = empty_like(self);
  return replication_pad3d_backward_grad_input(grad_output, self, padding, grad_input);
}

// --- grid sampling ---

at::Tensor grid_sampler_2d(const at::Tensor& input, const at::Tensor& grid, int64_t interpolation_mode, int64_t padding_mode,
                           bool align_corners) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_2d(input, grid);
  at::Tensor out = empty({input.size(0), input.size(1), grid.size(1), grid.size(2)}, input.scalar_type(), input.device());
  launch(aclnn::GridSampler2D, input, grid, interpolation_mode, padding_mode, align_corners, out);
  return out;
}
at::Tensor grid_sampler_3d(const at::Tensor& input, const at::Tensor& grid, int64_t interpolation_mode, int64_t padding_mode,
                           bool align_corners) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_3d(input, grid, interpolation_mode);
  at::Tensor out =
      empty({input.size(0), input.size(1), grid.size(1), grid.size(2), grid.size(3)}, input.scalar_type(), input.device());
  launch(aclnn::GridSampler3D, input, grid, interpolation_mode, padding_mode, align_corners, out);
  return out;
}
std::tuple<at::Tensor, at::Tensor> grid_sampler_2d_backward(const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& grid,
                                                            int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
                                                            std::array<bool, 2> output_mask) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_2d(input, grid);
  at::Tensor grad_input, grad_grid = empty(grid.sizes(), grid.scalar_type(), grid.device());
  if (output_mask[0]) grad_input = empty(input.sizes(), input.scalar_type(), input.device());
  launch(aclnn::GridSampler2DBackward, grad_output, input, grid, interpolation_mode, padding_mode, align_corners,
         std::array<bool, 2>{output_mask[0], true}, grad_input, grad_grid);
  return {grad_input, grad_grid};
}
std::tuple<at::Tensor, at::Tensor> grid_sampler_3d_backward(const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& grid,
                                                            int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
                                                            std::array<bool, 2> output_mask) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_3d(input, grid, interpolation_mode);
  at::Tensor grad_input, grad_grid = empty(grid.sizes(), grid.scalar_type(), grid.device());
  if (output_mask[0]) grad_input = empty(input.sizes(), input.scalar_type(), input.device());
  launch(aclnn::GridSampler3DBackward, grad_output, input, grid, interpolation_mode, padding_mode, align_corners,
         std::array<bool, 2>{output_mask[0], true}, grad_input, grad_grid);
  return {grad_input, grad_grid};
}

// --- im2col ---

namespace {

void check_pairs(const char* name, std::initializer_list<std::pair<const char*, at::IntArrayRef>> pairs) {
  for (const auto& [what, values] : pairs)
    TORCH_CHECK(values.size() == 2, "It is expected ", what, " equals to 2, but got size ", values.size(), " in ", name);
}

Spec im2col_spec(const at::Tensor& self, at::IntArrayRef kernel, at::IntArrayRef dilation, at::IntArrayRef padding, at::IntArrayRef stride) {
  check_pairs("im2col", {{"kernel_size", kernel}, {"dilation", dilation}, {"padding", padding}, {"stride", stride}});
  at::native::im2col_shape_check(self, at::Tensor(), kernel[0], kernel[1], dilation[0], dilation[1], padding[0], padding[1], stride[0],
                                 stride[1]);
  const int64_t rows = self.size(-3) * kernel[0] * kernel[1];
  const int64_t h = at::native::sliding_window_count(self.size(-2), padding[0], dilation[0], kernel[0], stride[0]);
  const int64_t w = at::native::sliding_window_count(self.size(-1), padding[1], dilation[1], kernel[1], stride[1]);
  return self.dim() == 4 ? shape::sized({self.size(0), rows, h * w}, self) : shape::sized({rows, h * w}, self);
}

Spec col2im_spec(const at::Tensor& self, at::IntArrayRef output_size, at::IntArrayRef kernel, at::IntArrayRef dilation,
                 at::IntArrayRef padding, at::IntArrayRef stride) {
  check_pairs("col2im", {{"output_size", output_size}, {"kernel_size", kernel}, {"dilation", dilation}, {"padding", padding}, {"stride", stride}});
  at::native::col2im_shape_check(self, at::Tensor(), output_size[0], output_size[1], kernel[0], kernel[1], dilation[0], dilation[1],
                                 padding[0], padding[1], stride[0], stride[1]);
  const int64_t channels = self.size(-2) / (kernel[0] * kernel[1]);
  return self.dim() == 3 ? shape::sized({self.size(0), channels, output_size[0], output_size[1]}, self)
                         : shape::sized({channels, output_size[0], output_size[1]}, self);
}

}  // namespace

at::Tensor& im2col_out(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef dilation, at::IntArrayRef padding,
                       at::IntArrayRef stride, at::Tensor& out) {
  shape::resize(im2col_spec(self, kernel_size, dilation, padding, stride), out);
  launch(aclnn::Im2col, self, kernel_size, dilation, padding, stride, out);
  return out;
}
at::Tensor im2col(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef dilation, at::IntArrayRef padding,
                  at::IntArrayRef stride) {
  at::Tensor out = shape::allocate_one(im2col_spec(self, kernel_size, dilation, padding, stride));
  launch(aclnn::Im2col, self, kernel_size, dilation, padding, stride, out);
  return out;
}
at::Tensor& col2im_out(const at::Tensor& self, at::IntArrayRef output_size, at::IntArrayRef kernel_size, at::IntArrayRef dilation,
                       at::IntArrayRef padding, at::IntArrayRef stride, at::Tensor& out) {
  shape::resize(col2im_spec(self, output_size, kernel_size, dilation, padding, stride), out);
  launch(aclnn::Im2colBackward, self, output_size, kernel_size, dilation, padding, stride, out);
  return out;
}
at::Tensor col2im(const at::Tensor& self, at::IntArrayRef output_size, at::IntArrayRef kernel_size, at::IntArrayRef dilation,
                  at::IntArrayRef padding, at::IntArrayRef stride) {
  at::Tensor out = shape::allocate_one(col2im_spec(self, output_size, kernel_size, dilation, padding, stride));
  launch(aclnn::Im2colBackward, self, output_size, kernel_size, dilation, padding, stride, out);
  return out;
}

}  // namespace torch_npu::op
