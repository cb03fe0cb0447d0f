// Whether a host scalar fits a dtype, checked as PyTorch's CPU kernels do: before anything is enqueued.
#pragma once

#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>

namespace torch_npu {

// Throws PyTorch's "value cannot be converted to type ... without overflow".
void check_fits(const at::Scalar& value, at::ScalarType dtype);

}  // namespace torch_npu
