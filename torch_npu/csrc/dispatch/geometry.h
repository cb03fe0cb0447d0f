// Shapes of the distances, where ATen has no structured meta.
#pragma once

#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu {

// [..., n, d] and [..., m, d] -> [..., n, m]
shape::Spec cdist_spec(const at::Tensor& x1, const at::Tensor& x2);
// The gradient of x1, with the batch of the distances: autograd sums over what was broadcast.
shape::Spec cdist_backward_spec(const at::Tensor& x1, const at::Tensor& distances);
// [n, d] -> [n (n - 1) / 2]
shape::Spec pdist_spec(const at::Tensor& self);

}  // namespace torch_npu
