// Pooling overloads without a structured meta: shapes and errors as PyTorch's CPU gives them.
#include <ATen/native/AdaptivePooling.h>
#include <ATen/native/Pool.h>

#include "functions_pool.h"
#include "handwritten_pool.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::op {
namespace {

using shape::Spec;

Spec in_format_of(const at::Tensor& self, at::IntArrayRef sizes, at::ScalarType dtype) {
  Spec spec = shape::sized(sizes, dtype, self.device());
  const auto format = self.suggest_memory_format();
  if (format == at::MemoryFormat::ChannelsLast && sizes.size() == 4) {
    const auto strides = c10::get_channels_last_strides_2d(sizes);
    spec.strides.assign(strides.begin(), strides.end());
  } else if (format == at::MemoryFormat::ChannelsLast3d && sizes.size() == 5) {
    const auto strides = c10::get_channels_last_strides_3d(sizes);
    spec.strides.assign(strides.begin(), strides.end());
  }
  return spec;
}

// self's leading dimensions followed by `spatial`.
at::DimVector with_spatial(const at::Tensor& self, at::IntArrayRef spatial) {
  at::DimVector sizes(self.sizes().begin(), self.sizes().end() - static_cast<int64_t>(spatial.size()));
  sizes.append(spatial.begin(), spatial.end());
  return sizes;
}

// --- max_pool3d ---

at::DimVector three(at::IntArrayRef values, const char* name) {
  TORCH_CHECK(values.size() == 1 || values.size() == 3, "max_pool3d: ", name,
              " must either be a single int, or a tuple of three ints");
  return values.size() == 1 ? at::DimVector(3, values[0]) : at::DimVector(values.begin(), values.end());
}

Spec max_pool3d_spec(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride,
                     at::IntArrayRef padding, at::IntArrayRef dilation, bool ceil_mode) {
  const auto k = three(kernel_size, "kernel_size"), s = stride.empty() ? k : three(stride, "stride");
  const auto p = three(padding, "padding"), d = three(dilation, "dilation");
  TORCH_CHECK(self.dim() == 4 || self.dim() == 5, "non-empty 4D or 5D (batch mode) tensor expected for input");
  int64_t out[3];
  for (int i = 0; i < 3; ++i)
    out[i] = at::native::pooling_output_shape<int64_t>(self.size(i - 3), k[i], p[i], s[i], d[i], ceil_mode);
  const auto n = [](int64_t v) { return static_cast<int>(v); };
  at::native::pool3d_shape_check(self, self.size(-4), n(k[0]), n(k[1]), n(k[2]), n(s[0]), n(s[1]), n(s[2]), n(p[0]),
                                 n(p[1]), n(p[2]), n(d[0]), n(d[1]), n(d[2]), self.size(-3), self.size(-2),
                                 self.size(-1), out[0], out[1], out[2], "max_pool3d_with_indices_out_cpu_template()");
  return in_format_of(self, with_spatial(self, out), self.scalar_type());
}

Spec as_indices(Spec spec) {
  spec.dtype = at::kLong;
  return spec;
}

}  // namespace

std::tuple<at::Tensor&, at::Tensor&> max_pool3d_with_indices_out(const at::Tensor& self, at::IntArrayRef kernel_size,
                                                                 at::IntArrayRef stride, at::IntArrayRef padding,
                                                                 at::IntArrayRef dilation, bool ceil_mode,
                                                                 at::Tensor& out, at::Tensor& indices) {
  const Spec spec = max_pool3d_spec(self, kernel_size, stride, padding, dilation, ceil_mode);
  shape::resize(spec, out);
  shape::resize(as_indices(spec), indices);
  launch(aclnn::MaxPool3dWithArgmax, self, kernel_size, stride, padding, dilation, ceil_mode, out, indices);
  return {out, indices};
}
std::tuple<at::Tensor, at::Tensor> max_pool3d_with_indices(const at::Tensor& self, at::IntArrayRef kernel_size,
                                                           at::IntArrayRef stride, at::IntArrayRef padding,
                                                           at::IntArrayRef dilation, bool ceil_mode) {
  const Spec spec = max_pool3d_spec(self, kernel_size, stride, padding, dilation, ceil_mode);
  at::Tensor out = shape::allocate_one(spec), indices = shape::allocate_one(as_indices(spec));
  launch(aclnn::MaxPool3dWithArgmax, self, kernel_size, stride, padding, dilation, ceil_mode, out, indices);
  return {out, indices};
}
at::Tensor& max_pool3d_with_indices_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self,
                                                        at::IntArrayRef kernel_size, at::IntArrayRef stride,
                                                        at::IntArrayRef padding, at::IntArrayRef dilation,
                                                        bool ceil_mode, const at::Tensor& indices,
                                                        at::Tensor& grad_input) {
  shape::resize(in_format_of(self, self.sizes(), self.scalar_type()), grad_input);
  launch(aclnn::MaxPool3dWithArgmaxBackward, grad_output, self, indices, kernel_size, stride, padding, dilation,
         ceil_mode, grad_input);
  return grad_input;
}
at::Tensor max_pool3d_with_indices_backward(const at::Tensor& grad_output, const at::Tensor& self,
                                            at::IntArrayRef kernel_size, at::IntArrayRef stride,
                                            at::IntArrayRef padding, at::IntArrayRef dilation, bool ceil_mode,
                                            const at::Tensor& indices) {
  at::Tensor grad_input = shape::allocate_one(in_format_of(self, self.sizes(), self.scalar_type()));
  launch(aclnn::MaxPool3dWithArgmaxBackward, grad_output, self, indices, kernel_size, stride, padding, dilation,
         ceil_mode, grad_input);
  return grad_input;
}

// --- adaptive average ---

namespace {

Spec adaptive_spec(const char* name, int64_t dims, const at::Tensor& self, at::IntArrayRef output_size) {
  TORCH_CHECK(static_cast<int64_t>(output_size.size()) == dims, name, ": output_size must be ", dims);
  TORCH_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2, name, "(): Expected ", dims + 1, "D or ", dims + 2,
              "D tensor, but got ", self.sizes());
  for (int64_t i = 1; i <= dims; ++i)
    TORCH_CHECK(self.size(-i) > 0, name,
                "(): Expected input to have non-zero size for non-batch dimensions, but input has sizes ", self.sizes(),
                " with dimension ", self.dim() - i, " being empty");
  return in_format_of(self, with_spatial(self, output_size), self.scalar_type());
}

void check_adaptive_gradient(const char* name, int64_t dims, const at::Tensor& grad_output, const at::Tensor& self) {
  at::native::adaptive_pool_empty_output_check(grad_output, name);
  TORCH_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2, name, "(): Expected ", dims + 1, "D or ", dims + 2,
              "D tensor, but got ", self.sizes());
  TORCH_CHECK(self.dim() == grad_output.dim(), name,
              "(): Expected grad_output to have the dimensions of input, but got ", grad_output.sizes());
  TORCH_CHECK(self.dtype() == grad_output.dtype(), "expected dtype ", self.dtype(), " for `grad_output` but got dtype ",
              grad_output.dtype());
}

}  // namespace

at::Tensor& adaptive_avg_pool2d_out(const at::Tensor& self, at::IntArrayRef output_size, at::Tensor& out) {
  shape::resize(adaptive_spec("adaptive_avg_pool2d", 2, self, output_size), out);
  launch(aclnn::AdaptiveAvgPool2d, self, output_size, out);
  return out;
}
at::Tensor _adaptive_avg_pool2d(const at::Tensor& self, at::IntArrayRef output_size) {
  at::Tensor out = shape::allocate_one(adaptive_spec("adaptive_avg_pool2d", 2, self, output_size));
  launch(aclnn::AdaptiveAvgPool2d, self, output_size, out);
  return out;
}
at::Tensor _adaptive_avg_pool2d_backward(const at::Tensor& grad_output, const at::Tensor& self) {
  check_adaptive_gradient("adaptive_avg_pool2d_backward", 2, grad_output, self);
  at::Tensor grad_input = shape::allocate_one(in_format_of(self, self.sizes(), self.scalar_type()));
  launch(aclnn::AdaptiveAvgPool2dBackward, grad_output, self, grad_input);
  return grad_input;
}
at::Tensor& adaptive_avg_pool3d_out(const at::Tensor& self, at::IntArrayRef output_size, at::Tensor& out) {
  shape::resize(adaptive_spec("adaptive_avg_pool3d", 3, self, output_size), out);
  launch(aclnn::AdaptiveAvgPool3d, self, output_size, out);
  return out;
}
at::Tensor _adaptive_avg_pool3d(const at::Tensor& self, at::IntArrayRef output_size) {
  at::Tensor out = shape::allocate_one(adaptive_spec("adaptive_avg_pool3d", 3, self, output_size));
  launch(aclnn::AdaptiveAvgPool3d, self, output_size, out);
  return out;
}
at::Tensor& adaptive_avg_pool3d_backward_grad_input(const at::Tensor& grad_output, const at::Tensor& self,
                                                    at::Tensor& grad_input) {
  check_adaptive_gradient("adaptive_avg_pool3d_backward", 3, grad_output, self);
  shape::resize(in_format_of(self, self.sizes(), self.scalar_type()), grad_input);
  launch(aclnn::AdaptiveAvgPool3dBackward, grad_output, self, grad_input);
  return grad_input;
}
at::Tensor _adaptive_avg_pool3d_backward(const at::Tensor& grad_output, const at::Tensor& self) {
  check_adaptive_gradient("adaptive_avg_pool3d_backward", 3, grad_output, self);
  at::Tensor grad_input = shape::allocate_one(in_format_of(self, self.sizes(), self.scalar_type()));
  launch(aclnn::AdaptiveAvgPool3dBackward, grad_output, self, grad_input);
  return grad_input;
}

// --- max_unpool ---

namespace {

Spec unpool_spec(int64_t dims, const at::Tensor& self, const at::Tensor& indices, at::IntArrayRef output_size) {
  const char* elements = dims == 2 ? "two elements (height, width)" : "three elements (depth, height, width)";
  TORCH_CHECK(indices.scalar_type() == at::kLong,
              "elements in indices should be type int64 but got: ", indices.scalar_type());
  TORCH_CHECK(static_cast<int64_t>(output_size.size()) == dims, "There should be exactly ", elements,
              " in output_size, but got ", output_size.size(), " elements.");
  TORCH_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2, "Input to max_unpooling", dims, "d should be a ",
              dims + 1, "d or ", dims + 2, "d Tensor, but got a tensor with ", self.dim(), " dimensions.");
  TORCH_CHECK(self.sizes() == indices.sizes(), "Expected shape of indices to be same as that of the input tensor (",
              self.sizes(), ") but got indices tensor with shape: ", indices.sizes());
  for (int64_t i = 1; i < self.dim(); ++i)
    TORCH_CHECK(self.size(i) > 0, "max_unpooling", dims,
                "d_forward_out_cpu(): Expected input to have non-zero size for non-batch ", "dimensions, but got ",
                self.sizes(), " with dimension ", i, " being empty.");
  return in_format_of(self, with_spatial(self, output_size), self.scalar_type());
}

void check_unpool3d(at::IntArrayRef stride, at::IntArrayRef padding) {
  TORCH_CHECK(stride.size() == 3,
              "There should be exactly three elements (depth, height, width) in stride, but got: ", stride.size(),
              " elements.");
  TORCH_CHECK(padding.size() == 3,
              "There should be exactly three elements (depth, height, width) in padding, but got: ", padding.size(),
              " elements.");
  TORCH_CHECK(stride[0] > 0 && stride[1] > 0 && stride[2] > 0,
              "strides should be greater than zero, but got stride: ", stride);
}

}  // namespace

at::Tensor& max_unpool2d_out(const at::Tensor& self, const at::Tensor& indices, at::IntArrayRef output_size,
                             at::Tensor& out) {
  shape::resize(unpool_spec(2, self, indices, output_size), out);
  launch(aclnn::MaxUnpool2d, self, indices, output_size, out);
  return out;
}
at::Tensor max_unpool2d(const at::Tensor& self, const at::Tensor& indices, at::IntArrayRef output_size) {
  at::Tensor out = shape::allocate_one(unpool_spec(2, self, indices, output_size));
  launch(aclnn::MaxUnpool2d, self, indices, output_size, out);
  return out;
}
at::Tensor& max_unpool3d_out(const at::Tensor& self, const at::Tensor& indices, at::IntArrayRef output_size,
                             at::IntArrayRef stride, at::IntArrayRef padding, at::Tensor& out) {
  check_unpool3d(stride, padding);
  shape::resize(unpool_spec(3, self, indices, output_size), out);
  launch(aclnn::MaxUnpool3d, self, indices, output_size, stride, padding, out);
  return out;
}
at::Tensor max_unpool3d(const at::Tensor& self, const at::Tensor& indices, at::IntArrayRef output_size,
                        at::IntArrayRef stride, at::IntArrayRef padding) {
  check_unpool3d(stride, padding);
  at::Tensor out = shape::allocate_one(unpool_spec(3, self, indices, output_size));
  launch(aclnn::MaxUnpool3d, self, indices, output_size, stride, padding, out);
  return out;
}

}  // namespace torch_npu::op
