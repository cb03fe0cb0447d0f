// Copies between any two devices, sizes (by broadcasting), strides and dtypes.
#pragma once

#include <ATen/core/Tensor.h>

namespace torch_npu {

// dst gets src's values. Honours conjugate and negative bits on both sides. At least one of them is on an NPU.
void copy_into(const at::Tensor& dst, const at::Tensor& src, bool non_blocking);

}  // namespace torch_npu
