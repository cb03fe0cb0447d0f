// Tensors that are made of numbers alone: arange, range, linspace, logspace, eye, triangle indices; and repeated
// positions.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// out[i] = start + i * step, for as many as out has. Integers are computed in int64, the rest in float64; rounded once.
Result<Launch> arange(const char* op, const Scalar& start, const Scalar& step, const TensorView& out);
// From start to end in out.numel() even steps, both ends exact.
Result<Launch> linspace(const Scalar& start, const Scalar& end, const TensorView& out);
// base to the power of linspace.
Result<Launch> logspace(const Scalar& start, const Scalar& end, double base, const TensorView& out);
Result<Launch> eye(const TensorView& out);
// out [2, n]: rows, then columns, of the positions of a rows x columns matrix at or below (above, if upper) the
// diagonal.
Result<Launch> triangle_indices(int64_t rows, int64_t columns, int64_t offset, bool upper, const TensorView& out);
// out: each i as often as repeats[i] says. Fails in the Task if one is negative or the sum is not out's size.
Result<Launch> repeat_interleave(const TensorView& repeats, const TensorView& out);

}  // namespace cann::ops
