// Sizes and dtypes of what a Fourier transform gives; more than one dimension is transformed by the device, pass by
// pass.
#include "torch_npu/csrc/dispatch/fft.h"

#include <ATen/WrapDimUtils.h>
#include <c10/util/Exception.h>

namespace torch_npu {

shape::Spec fft_c2c_spec(const at::Tensor& self) {
  TORCH_CHECK(self.is_complex(), "_fft_c2c: expected a complex tensor, but got ", self.scalar_type());
  return shape::sized(self.sizes(), self);
}

shape::Spec fft_r2c_spec(const at::Tensor& self, at::IntArrayRef dim, bool onesided) {
  TORCH_CHECK(self.is_floating_point(), "_fft_r2c: expected a real tensor, but got ", self.scalar_type());
  shape::Spec spec = shape::sized(self.sizes(), c10::toComplexType(self.scalar_type()), self.device());
  const int64_t last = at::maybe_wrap_dim(dim.back(), self.dim());
  if (onesided) spec.sizes[last] = self.size(last) / 2 + 1;
  return spec;
}

shape::Spec fft_c2r_spec(const at::Tensor& self, at::IntArrayRef dim, int64_t last_dim_size) {
  TORCH_CHECK(self.is_complex(), "_fft_c2r: expected a complex tensor, but got ", self.scalar_type());
  shape::Spec spec = shape::sized(self.sizes(), c10::toRealValueType(self.scalar_type()), self.device());
  spec.sizes[at::maybe_wrap_dim(dim.back(), self.dim())] = last_dim_size;
  return spec;
}

}  // namespace torch_npu
