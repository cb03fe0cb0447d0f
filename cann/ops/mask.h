// Picking and writing by a boolean mask.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// The elements of self where mask is true, in row-major order. self and mask have one shape (expanded ones too); `out`
// is a contiguous vector that holds them all.
Result<Launch> masked_select(const TensorView& self, const TensorView& mask, const TensorView& out);

// self where mask is true becomes source's elements, in order. Fails in the Task if the mask selects more than source
// has.
Result<Launch> masked_scatter(const TensorView& self, const TensorView& mask, const TensorView& source);

}  // namespace cann::ops
