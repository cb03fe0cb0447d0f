// Sizes and dtypes of what a Fourier transform gives; more than one dimension is transformed by the device, pass by
// pass.
#include "torch_npu/csrc/dispatch/fft.h"

#include <algorithm>

#include <ATen/WrapDimUtils.h>
#include <c10/util/Exception.h>

namespace torch_npu {

namespace {

// The result's strides, which a view of it shows: dimensions that are not transformed come first, then those that are,
// each group in the order of self's strides (but for the last `fixed` of `dim`).
void lay_out(shape::Spec& spec, const at::Tensor& self, at::IntArrayRef dim, size_t fixed) {
  c10::SmallVector<int64_t, 6> order, transformed;
  for (const int64_t d : dim) transformed.push_back(at::maybe_wrap_dim(d, self.dim()));
  for (int64_t d = 0; d < self.dim(); ++d)
    if (std::find(transformed.begin(), transformed.end(), d) == transformed.end()) order.push_back(d);
  auto by_stride = [&](int64_t a, int64_t b) { return self.stride(a) > self.stride(b); };
  std::sort(order.begin(), order.end(), by_stride);
  if (transformed.size() > fixed)
    std::sort(transformed.begin(), transformed.end() - static_cast<int64_t>(fixed), by_stride);
  order.append(transformed.begin(), transformed.end());
  spec.strides.resize(spec.sizes.size());
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    spec.strides[order[i]] = stride;
    stride *= std::max<int64_t>(spec.sizes[order[i]], 1);
  }
}

}  // namespace

shape::Spec fft_c2c_spec(const at::Tensor& self, at::IntArrayRef dim) {
  TORCH_CHECK(self.is_complex(), "_fft_c2c: expected a complex tensor, but got ", self.scalar_type());
  shape::Spec spec = shape::sized(self.sizes(), self);
  lay_out(spec, self, dim, 0);
  return spec;
}

shape::Spec fft_r2c_spec(const at::Tensor& self, at::IntArrayRef dim, bool onesided) {
  TORCH_CHECK(self.is_floating_point(), "_fft_r2c: expected a real tensor, but got ", self.scalar_type());
  shape::Spec spec = shape::sized(self.sizes(), c10::toComplexType(self.scalar_type()), self.device());
  const int64_t last = at::maybe_wrap_dim(dim.back(), self.dim());
  if (onesided) spec.sizes[last] = self.size(last) / 2 + 1;
  lay_out(spec, self, dim, 1);
  return spec;
}

shape::Spec fft_c2r_spec(const at::Tensor& self, at::IntArrayRef dim, int64_t last_dim_size) {
  TORCH_CHECK(self.is_complex(), "_fft_c2r: expected a complex tensor, but got ", self.scalar_type());
  shape::Spec spec = shape::sized(self.sizes(), c10::toRealValueType(self.scalar_type()), self.device());
  spec.sizes[at::maybe_wrap_dim(dim.back(), self.dim())] = last_dim_size;
  return spec;
}

}  // namespace torch_npu
