// New tensors on the device, without a trip through the dispatcher: what kernels in csrc use for their outputs.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/MemoryFormat.h>

namespace torch_npu {

// Contiguous, or in the given memory format. Throws PyTorch's errors for negative sizes and too much memory.
at::Tensor empty(at::IntArrayRef sizes, at::ScalarType dtype, c10::Device device);
at::Tensor empty(at::IntArrayRef sizes, at::ScalarType dtype, c10::Device device, c10::MemoryFormat format);
at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype, c10::Device device);

// Sizes of `like`; its strides too where it is dense and does not overlap.
at::Tensor empty_like(const at::Tensor& like, at::ScalarType dtype);
at::Tensor empty_like(const at::Tensor& like);

}  // namespace torch_npu
