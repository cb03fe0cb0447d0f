// Shape rules of the Fourier transforms.
#pragma once

#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu {

shape::Spec fft_c2c_spec(const at::Tensor& self, at::IntArrayRef dim);
shape::Spec fft_r2c_spec(const at::Tensor& self, at::IntArrayRef dim, bool onesided);
shape::Spec fft_c2r_spec(const at::Tensor& self, at::IntArrayRef dim, int64_t last_dim_size);

}  // namespace torch_npu
