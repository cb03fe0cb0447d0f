// Shape rules of the operators that move elements. They throw what PyTorch's own kernels throw.
#pragma once

#include <vector>

#include <ATen/core/IListRef.h>

#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu {

// The tensors, those of another dtype than out's cast: aclnnCat takes one dtype.
std::vector<at::Tensor> same_type(const at::ITensorListRef& tensors, const at::Tensor& out);

shape::Spec stack_spec(at::TensorList tensors, int64_t dim);
shape::Spec flip_spec(const at::Tensor& self, at::IntArrayRef dims);
shape::Spec roll_spec(const at::Tensor& self, at::IntArrayRef shifts, at::IntArrayRef dims);
shape::Spec repeat_spec(const at::Tensor& self, at::IntArrayRef repeats);
shape::Spec constant_pad_spec(const at::Tensor& self, at::IntArrayRef pad);
shape::Spec channel_shuffle_spec(const at::Tensor& self, int64_t groups);

}  // namespace torch_npu
