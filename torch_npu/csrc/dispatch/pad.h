// Shape rules of the paddings that have no structured meta.
#pragma once

#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu {

shape::Spec reflection_pad2d_spec(const at::Tensor& self, at::IntArrayRef padding);
shape::Spec pad_backward_spec(const at::Tensor& grad_output, const at::Tensor& self, at::IntArrayRef padding);

}  // namespace torch_npu
