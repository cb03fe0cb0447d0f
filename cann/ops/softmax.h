// Softmax and log-softmax over one dimension, and their gradients. Any strides; float32, float64, float16, bfloat16;
// a half input may give a float32 result.
#pragma once

#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

Result<Launch> softmax(const TensorView& self, int64_t dim, const TensorView& out);
Result<Launch> log_softmax(const TensorView& self, int64_t dim, const TensorView& out);
// grad_output and output as the forward gave them; out has the input's type.
Result<Launch> softmax_backward(const TensorView& grad_output, const TensorView& output, int64_t dim,
                                const TensorView& out);
Result<Launch> log_softmax_backward(const TensorView& grad_output, const TensorView& output, int64_t dim,
                                    const TensorView& out);

}  // namespace cann::ops
