// Activations with more to them than a tile function: the rows of pointwise_activation.yaml. See pointwise.h.
#pragma once

#include "cann/ops/pointwise.h"

namespace cann::ops {

// elu with scale 1 and input_scale 1 / alpha; elu with Klambauer et al.'s constants.
Result<Launch> celu(const TensorView& self, const Scalar& alpha, const TensorView& out);
Result<Launch> selu(const TensorView& self, const TensorView& out);
Result<Launch> selu_backward(const TensorView& grad_output, const TensorView& result, const TensorView& out);

// approximate: 0 for the exact form, 1 for the one through tanh.
Result<Launch> gelu(const TensorView& self, int64_t approximate, const TensorView& out);
// approximate: "none" or "tanh".
Result<Launch> gelu_backward(const TensorView& grad_output, const TensorView& self, const char* approximate,
                             const TensorView& out);

// weight: one element for each channel (dimension 1), or already broadcast against self.
Result<Launch> prelu(const TensorView& self, const TensorView& weight, const TensorView& out);
// grad_weight has self's shape: its sum over all but the channels is the caller's.
Result<Launch> prelu_backward(const TensorView& grad_output, const TensorView& self, const TensorView& weight,
                              const TensorView& grad_input, const TensorView& grad_weight);

// self's first half along dim times the sigmoid of its second half.
Result<Launch> glu(const TensorView& self, int64_t dim, const TensorView& out);
Result<Launch> glu_backward(const TensorView& grad_output, const TensorView& self, int64_t dim, const TensorView& out);

// self sigmoid(beta self); beta null: 1.
Result<Launch> swish(const TensorView& self, const Scalar* beta, const TensorView& out);

}  // namespace cann::ops
