// Reading through indices: gather, index_select, embedding, advanced indexing, take.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// out = self with dimension `dim` taken at `index` (a vector, or one number). Indices in [0, size).
Result<Launch> index_select(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& out);

// out[i..., :] = weight[indices[i...], :]
Result<Launch> embedding(const TensorView& weight, const TensorView& indices, const TensorView& out);

// out[i, j, k] = self[i, index[i, j, k], k] for dim 1, and so on. Indices in [0, size).
Result<Launch> gather(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& out);

// The same for an index of any shape, whose dimensions stand in the place of `dim`.
Result<Launch> gather_v2(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& out);

// Advanced indexing: entry d selects from dimension d; a missing one (null, or an empty vector where the result is not
// empty) takes all of it. Negative indices count from the end.
Result<Launch> index(const TensorView& self, TensorList indices, const TensorView& out);

// out = self, flattened, at `index`. Negative indices count from the end.
Result<Launch> take(const TensorView& self, const TensorView& index, const TensorView& out);

}  // namespace cann::ops
