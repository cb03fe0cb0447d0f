// Convolutions of one, two or three dimensions, grouped, dilated, transposed, in any memory layout whose pixels follow
// each other evenly. float32, half types (sums in float32, rounded once), float64, integers.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

struct ConvOptions {
  IntArray stride, padding, dilation;  // one number for all dimensions, or one each
  bool transposed;
  int64_t groups;
};

// input [N, C, ...], weight [O, C / groups, ...] (transposed: [C, O / groups, ...]), out [N, O, ...].
Result<Launch> convolution(const TensorView& input, const TensorView& weight, const TensorView* bias,
                           const ConvOptions& options, const TensorView& out);

// A null gradient is not wanted.
Result<Launch> convolution_backward(const TensorView& grad_out, const TensorView& input, const TensorView& weight,
                                    const ConvOptions& options, const TensorView* grad_input,
                                    const TensorView* grad_weight, const TensorView* grad_bias);

// input [T, B, C], weight [taps, C, O], bias [O], out [T', B, O]: a convolution over time.
Result<Launch> conv_tbc(const TensorView& input, const TensorView& weight, const TensorView& bias, int64_t padding,
                        const TensorView& out);

}  // namespace cann::ops
