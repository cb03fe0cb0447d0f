// How an indexing operator becomes a walk (kernels/index/walk.h), and how a Task runs one over the Team.
#pragma once

#include <atomic>
#include <string>

#include "cann/base/status.h"
#include "cann/base/team.h"
#include "cann/base/tensor_view.h"
#include "cann/kernels/index/walk.h"

namespace cann::ops {

using kernels::BadIndex;
using kernels::IndexWalk;

inline bool is_index_type(DType t) { return t == DType::Int64 || t == DType::Int32; }

// "index_select: dim 3 is out of range for a tensor of 2 dimensions", or the dimension counted from the front (0 for a
// 0-d tensor).
Result<int> wrap_dim(const char* op, int64_t dim, int ndim);

// self[..., index, ...]: the walk runs over `plain`, whose dimension `dim` takes its index from the vector `index`.
IndexWalk select_walk(const TensorView& self, int dim, const TensorView& index, const TensorView& plain);

// self[i][..., index[i, j, k], ...]: the walk runs over `index`; `self` and `plain` may be larger along the other
// dimensions.
IndexWalk gather_walk(const TensorView& self, int dim, const TensorView& index, const TensorView& plain);

// Advanced indexing: entry d of `indices`, if given, selects from dimension d. The walk runs over the result's shape,
// to which `plain` is broadcast; `shape` receives it.
Result<IndexWalk> advanced_walk(const char* op, const TensorView& self, TensorList indices, const TensorView& plain);

// self seen as one dimension: an index counts elements in row-major order. pre: self is contiguous
IndexWalk flat_walk(const TensorView& self, const TensorView& index, const TensorView& plain);

// Drops dimensions of size 1 and joins neighbours where every operand allows; leaves at least one.
void simplify(IndexWalk& walk);

// Which message PyTorch's CPU gives, and with it the Python exception.
enum class IndexFault { IndexError, RuntimeError };

// "index_select: index 7 is out of range for dimension 0 with size 5" (IndexError), or "out of bounds" (RuntimeError).
Status index_status(const char* op, const BadIndex& bad, IndexFault fault);

// The least bad index of several chunks, so that the message does not depend on who came first.
class BadIndices {
 public:
  void add(const BadIndex& bad);
  const BadIndex& worst() const { return worst_; }

 private:
  std::atomic_flag busy_;
  BadIndex worst_;
};

}  // namespace cann::ops
