// Copies, casts and fills: the rows of copy.yaml. See pointwise.h.
#pragma once

#include "cann/ops/pointwise.h"

namespace cann::ops {

// aclnnCast: `dtype` repeats out's type.
Result<Launch> cast(const TensorView& self, DType dtype, const TensorView& out);

}  // namespace cann::ops
