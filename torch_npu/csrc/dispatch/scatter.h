// Arguments of the operators that write through indices.
#pragma once

#include <string_view>

#include "torch_npu/csrc/dispatch/scalars.h"
#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu {

// CANN's number for a reduction by name. ATen's meta has checked the name.
int64_t scatter_reduction(std::string_view name);

// The value itself, once it is known to fit the dtype.
inline const at::Scalar& fitting(const at::Scalar& value, at::ScalarType dtype) {
  check_fits(value, dtype);
  return value;
}

shape::Spec embedding_dense_backward_spec(const at::Tensor& grad_output, const at::Tensor& indices,
                                          int64_t num_weights);

}  // namespace torch_npu
