// Distances between points, and the cross product. Half types are computed in float32 and rounded once.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// x1 [..., n, d], x2 [..., m, d], out [..., n, m]: the norms of order p of all differences. Batches broadcast.
Result<Launch> cdist(const TensorView& x1, const TensorView& x2, double p, const TensorView& out);
// The gradient with respect to x1; out [..., n, d].
Result<Launch> cdist_backward(const TensorView& grad, const TensorView& x1, const TensorView& x2,
                              const TensorView& distances, double p, const TensorView& out);
// self [n, d], out [n (n - 1) / 2]: the distances of each row to those after it.
Result<Launch> pdist(const TensorView& self, double p, const TensorView& out);

// The two broadcast to out, whose size is 3 along dim.
Result<Launch> cross(const TensorView& self, const TensorView& other, int64_t dim, const TensorView& out);

}  // namespace cann::ops
