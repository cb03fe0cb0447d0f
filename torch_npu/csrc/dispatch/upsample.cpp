// Grid sampling and im2col overloads without a structured meta: shapes and errors as PyTorch's CPU gives them.
#include <ATen/native/GridSamplerUtils.h>
#include <ATen/native/im2col_shape_check.h>

#include "functions_upsample.h"
#include "handwritten_upsample.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::op {

using shape::Spec;

// --- grid sampling ---

at::Tensor grid_sampler_2d(const at::Tensor& input, const at::Tensor& grid, int64_t interpolation_mode,
                           int64_t padding_mode, bool align_corners) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_2d(input, grid);
  at::Tensor out =
      empty({input.size(0), input.size(1), grid.size(1), grid.size(2)}, input.scalar_type(), input.device());
  launch(aclnn::GridSampler2D, input, grid, interpolation_mode, padding_mode, align_corners, out);
  return out;
}
at::Tensor grid_sampler_3d(const at::Tensor& input, const at::Tensor& grid, int64_t interpolation_mode,
                           int64_t padding_mode, bool align_corners) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_3d(input, grid, interpolation_mode);
  at::Tensor out = empty({input.size(0), input.size(1), grid.size(1), grid.size(2), grid.size(3)}, input.scalar_type(),
                         input.device());
  launch(aclnn::GridSampler3D, input, grid, interpolation_mode, padding_mode, align_corners, out);
  return out;
}
std::tuple<at::Tensor, at::Tensor> grid_sampler_2d_backward(const at::Tensor& grad_output, const at::Tensor& input,
                                                            const at::Tensor& grid, int64_t interpolation_mode,
                                                            int64_t padding_mode, bool align_corners,
                                                            std::array<bool, 2> output_mask) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_2d(input, grid);
  at::Tensor grad_input, grad_grid = empty(grid.sizes(), grid.scalar_type(), grid.device());
  if (output_mask[0]) grad_input = empty(input.sizes(), input.scalar_type(), input.device());
  launch(aclnn::GridSampler2DBackward, grad_output, input, grid, interpolation_mode, padding_mode, align_corners,
         std::array<bool, 2>{output_mask[0], true}, grad_input, grad_grid);
  return {grad_input, grad_grid};
}
std::tuple<at::Tensor, at::Tensor> grid_sampler_3d_backward(const at::Tensor& grad_output, const at::Tensor& input,
                                                            const at::Tensor& grid, int64_t interpolation_mode,
                                                            int64_t padding_mode, bool align_corners,
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
    TORCH_CHECK(values.size() == 2, "It is expected ", what, " equals to 2, but got size ", values.size(), " in ",
                name);
}

Spec im2col_spec(const at::Tensor& self, at::IntArrayRef kernel, at::IntArrayRef dilation, at::IntArrayRef padding,
                 at::IntArrayRef stride) {
  check_pairs("im2col", {{"kernel_size", kernel}, {"dilation", dilation}, {"padding", padding}, {"stride", stride}});
  at::native::im2col_shape_check(self, at::Tensor(), kernel[0], kernel[1], dilation[0], dilation[1], padding[0],
                                 padding[1], stride[0], stride[1]);
  const int64_t rows = self.size(-3) * kernel[0] * kernel[1];
  const int64_t h = at::native::sliding_window_count(self.size(-2), padding[0], dilation[0], kernel[0], stride[0]);
  const int64_t w = at::native::sliding_window_count(self.size(-1), padding[1], dilation[1], kernel[1], stride[1]);
  return self.dim() == 4 ? shape::sized({self.size(0), rows, h * w}, self) : shape::sized({rows, h * w}, self);
}

Spec col2im_spec(const at::Tensor& self, at::IntArrayRef output_size, at::IntArrayRef kernel, at::IntArrayRef dilation,
                 at::IntArrayRef padding, at::IntArrayRef stride) {
  check_pairs("col2im", {{"output_size", output_size},
                         {"kernel_size", kernel},
                         {"dilation", dilation},
                         {"padding", padding},
                         {"stride", stride}});
  at::native::col2im_shape_check(self, at::Tensor(), output_size[0], output_size[1], kernel[0], kernel[1], dilation[0],
                                 dilation[1], padding[0], padding[1], stride[0], stride[1]);
  const int64_t channels = self.size(-2) / (kernel[0] * kernel[1]);
  return self.dim() == 3 ? shape::sized({self.size(0), channels, output_size[0], output_size[1]}, self)
                         : shape::sized({channels, output_size[0], output_size[1]}, self);
}

}  // namespace

at::Tensor& im2col_out(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef dilation,
                       at::IntArrayRef padding, at::IntArrayRef stride, at::Tensor& out) {
  shape::resize(im2col_spec(self, kernel_size, dilation, padding, stride), out);
  launch(aclnn::Im2col, self, kernel_size, dilation, padding, stride, out);
  return out;
}
at::Tensor im2col(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef dilation,
                  at::IntArrayRef padding, at::IntArrayRef stride) {
  at::Tensor out = shape::allocate_one(im2col_spec(self, kernel_size, dilation, padding, stride));
  launch(aclnn::Im2col, self, kernel_size, dilation, padding, stride, out);
  return out;
}
at::Tensor& col2im_out(const at::Tensor& self, at::IntArrayRef output_size, at::IntArrayRef kernel_size,
                       at::IntArrayRef dilation, at::IntArrayRef padding, at::IntArrayRef stride, at::Tensor& out) {
  shape::resize(col2im_spec(self, output_size, kernel_size, dilation, padding, stride), out);
  launch(aclnn::Im2colBackward, self, output_size, kernel_size, dilation, padding, stride, out);
  return out;
}
at::Tensor col2im(const at::Tensor& self, at::IntArrayRef output_size, at::IntArrayRef kernel_size,
                  at::IntArrayRef dilation, at::IntArrayRef padding, at::IntArrayRef stride) {
  at::Tensor out = shape::allocate_one(col2im_spec(self, output_size, kernel_size, dilation, padding, stride));
  launch(aclnn::Im2colBackward, self, output_size, kernel_size, dilation, padding, stride, out);
  return out;
}

}  // namespace torch_npu::op
