// Padding that repeats what is inside: by reflection at the edge, by the edge itself, or around the other side.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

enum class PadMode { Reflect, Replicate, Circular };

// pad: (before, after) of the last dimension, then of the one before it, and so on; negative numbers cut off.
Result<Launch> pad(const char* op, PadMode mode, const TensorView& self, IntArray pad, const TensorView& out);

// grad_in gets, for each element, the sum over the places that it was read to.
Result<Launch> pad_backward(const char* op, PadMode mode, const TensorView& grad_output, IntArray pad,
                            const TensorView& grad_in);

}  // namespace cann::ops
