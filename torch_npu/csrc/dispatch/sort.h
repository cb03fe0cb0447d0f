// Shape rules of the order operators, with the errors PyTorch raises in its kernels.
#pragma once

#include <array>

#include "torch_npu/csrc/dispatch/arguments.h"
#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu {

// values and indices of a reduction along one dimension that is not empty
std::array<shape::Spec, 2> indexed(const char* name, const at::Tensor& self, int64_t dim, bool keepdim);

std::array<shape::Spec, 2> kth_shape(const at::Tensor& self, int64_t k, int64_t dim, bool keepdim);

}  // namespace torch_npu
