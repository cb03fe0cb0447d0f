// Pooling over the last two or three dimensions, with gradients. self is [N, C, ...] or [C, ...], any strides. Half
// types are pooled in float32 and rounded once; integers in int64.
#pragma once

#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// dims: 2 or 3. kernel_size, stride (empty: the kernel's), padding and dilation have one element or one for each
// dimension.
Result<Launch> max_pool(int dims, const TensorView& self, IntArray kernel_size, IntArray stride, IntArray padding,
                        IntArray dilation, const TensorView& out, const TensorView& indices);
// Each gradient goes to the element that was largest. Serves adaptive pooling too.
Result<Launch> max_pool_backward(int dims, const TensorView& grad_output, const TensorView& indices,
                                 const TensorView& grad_input);
// divisor_override 0: the window's size.
Result<Launch> avg_pool(int dims, const TensorView& self, IntArray kernel_size, IntArray stride, IntArray padding,
                        bool count_include_pad, int64_t divisor_override, const TensorView& out);
Result<Launch> avg_pool_backward(int dims, const TensorView& grad_output, IntArray kernel_size, IntArray stride,
                                 IntArray padding, bool count_include_pad, int64_t divisor_override,
                                 const TensorView& grad_input);
// The output's size gives the windows.
Result<Launch> adaptive_max_pool(int dims, const TensorView& self, const TensorView& out, const TensorView& indices);
Result<Launch> adaptive_avg_pool(int dims, const TensorView& self, const TensorView& out);
Result<Launch> adaptive_avg_pool_backward(int dims, const TensorView& grad_output, const TensorView& grad_input);
// out = 0, out[indices[i]] = self[i]; and the way back. An index outside is an error of the task.
Result<Launch> max_unpool(int dims, const TensorView& self, const TensorView& indices, const TensorView& out);
Result<Launch> max_unpool_backward(int dims, const TensorView& grad_output, const TensorView& indices,
                                   const TensorView& grad_input);

}  // namespace cann::ops
