// The checks that PyTorch's CPU kernels make, in their words.
#include "torch_npu/csrc/dispatch/pad.h"

#include <c10/util/Exception.h>

namespace torch_npu {

shape::Spec reflection_pad2d_spec(const at::Tensor& self, at::IntArrayRef padding) {
  TORCH_CHECK(padding.size() == 4, "padding size is expected to be 4");
  const int64_t ndim = self.dim();
  const bool valid = (ndim == 3 && self.size(1) != 0 && self.size(2) != 0) ||
                     (ndim == 4 && self.size(1) != 0 && self.size(2) != 0 && self.size(3) != 0);
  TORCH_CHECK(valid, "3D or 4D (batch mode) tensor expected for input, but got: ", self.sizes());
  shape::Spec spec = shape::sized(self.sizes(), self);
  for (int64_t i = 0; i < 2; ++i) {
    const int64_t d = ndim - 1 - i, before = padding[2 * i], after = padding[2 * i + 1], size = self.size(d);
    TORCH_CHECK(before < size && after < size, "Argument #", i == 0 ? 4 : 6,
                ": Padding size should be less than the corresponding input dimension, but got: padding (", before,
                ", ", after, ") at dimension ", d, " of input ", self.sizes());
    spec.sizes[d] = size + before + after;
  }
  TORCH_CHECK(spec.sizes[ndim - 1] >= 1 || spec.sizes[ndim - 2] >= 1, "input (H: ", self.size(ndim - 2),
              ", W: ", self.size(ndim - 1), ") is too small. Calculated output H: ", spec.sizes[ndim - 2],
              " W: ", spec.sizes[ndim - 1]);
  if (ndim == 4 && self.suggest_memory_format() == at::MemoryFormat::ChannelsLast) {
    const auto strides = c10::get_channels_last_strides_2d(spec.sizes);
    spec.strides.assign(strides.begin(), strides.end());
  }
  return spec;
}

shape::Spec pad_backward_spec(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef padding) {
  const int64_t ndim = self.dim();
  TORCH_CHECK(grad_output.dim() == ndim, "gradOutput has ", grad_output.dim(), " dimensions, expected ", ndim);
  for (size_t i = 0; i < padding.size() / 2; ++i) {
    const int64_t d = ndim - 1 - static_cast<int64_t>(i), expected = self.size(d) + padding[2 * i] + padding[2 * i + 1];
    TORCH_CHECK(grad_output.size(d) == expected, "gradOutput unexpected at dimension ", d, ". Expected: ", expected,
                ", Got: ", grad_output.size(d));
  }
  return shape::like(self);
}

}  // namespace torch_npu
