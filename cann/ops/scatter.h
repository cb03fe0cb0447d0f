// Writing through indices: scatter and its reductions, index_put, index_add, index_copy, index_fill, put,
// masked_scatter. Of equal indices all count where values are combined, and the last wins where they are assigned; the
// result does not depend on the number of threads. Where self and out differ, out becomes a copy of self first.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// aclnn's numbers for the reduction of a scatter.
enum class ScatterReduction : int64_t { None = 0, Add = 1, Multiply = 2, Max = 3, Min = 4, Mean = 5 };

// out[i][index[i, j, k]][k] (op)= src[i, j, k] for dim 1, and so on. Indices in [0, size).
Result<Launch> scatter(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& src,
                       int64_t reduce, const TensorView& out);
Result<Launch> scatter_value(const TensorView& self, int64_t dim, const TensorView& index, const Scalar& value,
                             int64_t reduce, const TensorView& out);
Result<Launch> scatter_add(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& src,
                           const TensorView& out);
Result<Launch> scatter_reduce(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& src,
                              int64_t reduce, bool include_self, const TensorView& out);

// out[..., index[i], ...] = source[..., i, ...], combined or assigned. Indices in [0, size); index_fill's in [-size,
// size).
Result<Launch> index_add(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& source,
                         const Scalar& alpha, const TensorView& out);
Result<Launch> index_reduce(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& source,
                            int64_t reduce, bool include_self, const TensorView& out);
Result<Launch> index_copy(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& source,
                          const TensorView& out);
Result<Launch> index_fill(const TensorView& self, int64_t dim, const TensorView& index, const Scalar& value,
                          const TensorView& out);

// The same with indices that the host knows.
Result<Launch> index_fill(const TensorView& self, int64_t dim, IntArray index, const Scalar& value,
                          const TensorView& out);

// self[indices] = values, or += where `accumulate`. Indices as ops::index's.
Result<Launch> index_put(const TensorView& self, TensorList indices, const TensorView& values, bool accumulate);

// self, flattened, at `index`. pre: self is contiguous
Result<Launch> put(const TensorView& self, const TensorView& index, const TensorView& source, bool accumulate);

// out = zeros [num_weights, ...] plus grad's rows at `indices`; rows of `padding_idx` do not count; by frequency: each
// row divided by how often its index occurs.
Result<Launch> embedding_dense_backward(const TensorView& grad, const TensorView& indices, int64_t num_weights,
                                        int64_t padding_idx, bool scale_grad_by_freq, const TensorView& out);

// out: off_value, but on_value at self's element along the new dimension `axis` (-1: the last). Both are device scalars
// of out's type.
Result<Launch> one_hot(const TensorView& self, int64_t num_classes, const TensorView& on_value,
                       const TensorView& off_value, int64_t axis, const TensorView& out);

}  // namespace cann::ops
