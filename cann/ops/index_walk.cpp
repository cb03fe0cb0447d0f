// Turns sizes and strides into walks. Everything here runs on the caller's thread and touches no element.
#include "cann/ops/index_walk.h"

#include <algorithm>

namespace cann::ops {

namespace {

IndexWalk walk_over(std::span<const int64_t> shape, DType dtype) {
  IndexWalk walk;
  walk.ndim = static_cast<int32_t>(shape.size());
  walk.element_bytes = size_of(dtype);
  std::copy(shape.begin(), shape.end(), walk.sizes);
  return walk;
}

IndexWalk::Index& add_index(IndexWalk& walk, const TensorView& index, const TensorView& self, int dim) {
  IndexWalk::Index& to = walk.index[walk.indices++];
  to = {};
  to.data = index.as<const char>();
  to.size = self.ndim ? self.sizes[dim] : 1;
  to.stride = self.ndim ? self.strides[dim] * walk.element_bytes : 0;
  to.dim = dim;
  to.is_int32 = index.dtype == DType::Int32;
  return to;
}

// What the given ones of advanced indices broadcast to, and where they stand.
struct Together {
  int64_t sizes[kMaxDims];  // from the last dimension to the first
  int ndim = 0;
  int first = -1;        // the first dimension that has an index
  int given = 0;         // how many have one
  bool adjacent = true;  // side by side?
};

Result<Together> broadcast_together(const char* op, const TensorView& self, TensorList indices) {
  if (indices.size() > static_cast<size_t>(self.ndim))
    return bad_parameter(std::string(op) + ": " + std::to_string(indices.size()) + " indices for a tensor of " +
                         std::to_string(self.ndim) + " dimensions");
  Together all;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d]) continue;
    const TensorView& index = *indices[d];
    if (!is_index_type(index.dtype))
      return bad_parameter(std::string(op) + ": index " + describe(index) + ": needs int64 or int32");
    if (all.first < 0)
      all.first = static_cast<int>(d);
    else if (!indices[d - 1])
      all.adjacent = false;
    ++all.given;
    for (int k = 0; k < index.ndim; ++k) {
      const int from_back = index.ndim - 1 - k;
      while (all.ndim <= from_back) all.sizes[all.ndim++] = 1;
      int64_t& size = all.sizes[from_back];
      if (size == 1)
        size = index.sizes[k];
      else if (index.sizes[k] != 1 && index.sizes[k] != size)
        return bad_parameter(std::string(op) + ": indices " + to_string(index.shape()) +
                             " and others do not broadcast together");
    }
  }
  if (all.given == 0) return bad_parameter(std::string(op) + ": no index is given");
  return all;
}

// Lets `plain` run along the walk, broadcast to its sizes.
Status broadcast_plain(const char* op, const TensorView& plain, IndexWalk& walk) {
  bool fits = plain.ndim <= walk.ndim;
  for (int k = 0; fits && k < plain.ndim; ++k) {
    const int d = walk.ndim - plain.ndim + k;
    fits = plain.sizes[k] == walk.sizes[d] || plain.sizes[k] == 1;
    walk.plain_strides[d] = plain.sizes[k] == 1 ? 0 : plain.strides[k] * walk.element_bytes;
  }
  if (fits) return {};
  return bad_parameter(std::string(op) + ": " + to_string(plain.shape()) + " does not fit the result " +
                       to_string({walk.sizes, static_cast<size_t>(walk.ndim)}));
}

}  // namespace

Result<int> wrap_dim(const char* op, int64_t dim, int ndim) {
  const int64_t n = std::max(ndim, 1);
  if (dim < -n || dim >= n)
    return bad_parameter(std::string(op) + ": dim " + std::to_string(dim) + " is out of range for a tensor of " +
                         std::to_string(ndim) + " dimensions");
  return static_cast<int>(dim < 0 ? dim + n : dim);
}

IndexWalk select_walk(const TensorView& self, int dim, const TensorView& index, const TensorView& plain) {
  IndexWalk walk = walk_over(plain.shape(), self.dtype);
  walk.indexed = self.as<char>();
  walk.plain = plain.as<char>();
  IndexWalk::Index& from = add_index(walk, index, self, dim);
  const int64_t index_bytes = size_of(index.dtype);
  for (int d = 0; d < plain.ndim; ++d) {
    walk.plain_strides[d] = plain.strides[d] * walk.element_bytes;
    walk.indexed_strides[d] = d == dim ? 0 : self.strides[d] * walk.element_bytes;
    from.strides[d] = d == dim && index.ndim == 1 ? index.strides[0] * index_bytes : 0;
  }
  simplify(walk);
  return walk;
}

IndexWalk gather_walk(const TensorView& self, int dim, const TensorView& index, const TensorView& plain) {
  IndexWalk walk = walk_over(index.shape(), self.dtype);
  walk.indexed = self.as<char>();
  walk.plain = plain.as<char>();
  IndexWalk::Index& from = add_index(walk, index, self, dim);
  const int64_t index_bytes = size_of(index.dtype);
  for (int d = 0; d < index.ndim; ++d) {
    walk.plain_strides[d] = d < plain.ndim ? plain.strides[d] * walk.element_bytes : 0;
    walk.indexed_strides[d] = d == dim || d >= self.ndim ? 0 : self.strides[d] * walk.element_bytes;
    from.strides[d] = index.strides[d] * index_bytes;
  }
  simplify(walk);
  return walk;
}

Result<IndexWalk> advanced_walk(const char* op, const TensorView& self, TensorList indices, const TensorView& plain) {
  ASSIGN_OR_RETURN(const Together together, broadcast_together(op, self, indices));
  IndexWalk walk = walk_over({}, self.dtype);
  walk.wraps = true;
  walk.indexed = self.as<char>();
  walk.plain = plain.as<char>();
  walk.ndim = self.ndim - together.given + together.ndim;
  if (walk.ndim > kMaxDims)
    return bad_parameter(std::string(op) + ": the result has " + std::to_string(walk.ndim) +
                         " dimensions, at most 8 are possible");
  const int where = together.adjacent ? together.first : 0;  // where the indices' dimensions stand in the result
  for (int k = 0; k < together.ndim; ++k) walk.sizes[where + k] = together.sizes[together.ndim - 1 - k];
  for (int d = 0, to = 0; d < self.ndim; ++d) {
    if (d < static_cast<int>(indices.size()) && indices[d]) continue;
    if (to == where) to += together.ndim;
    walk.sizes[to] = self.sizes[d];
    walk.indexed_strides[to] = self.strides[d] * walk.element_bytes;
    ++to;
    if (to == where) to += together.ndim;
  }
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d]) continue;
    const TensorView& index = *indices[d];
    IndexWalk::Index& from = add_index(walk, index, self, static_cast<int>(d));
    for (int k = 0; k < index.ndim; ++k)
      from.strides[where + together.ndim - index.ndim + k] =
          index.sizes[k] == 1 ? 0 : index.strides[k] * size_of(index.dtype);
  }
  RETURN_IF_ERROR(broadcast_plain(op, plain, walk));
  simplify(walk);
  return walk;
}

IndexWalk flat_walk(const TensorView& self, const TensorView& index, const TensorView& plain) {
  TensorView flat = self;
  flat.ndim = 1;
  flat.sizes[0] = self.numel();
  flat.strides[0] = 1;
  IndexWalk walk = walk_over(index.shape(), self.dtype);
  walk.wraps = true;
  walk.indexed = self.as<char>();
  walk.plain = plain.as<char>();
  IndexWalk::Index& from = add_index(walk, index, flat, 0);
  for (int d = 0; d < index.ndim; ++d) {
    walk.plain_strides[d] = plain.strides[d] * walk.element_bytes;
    walk.indexed_strides[d] = 0;
    from.strides[d] = index.strides[d] * size_of(index.dtype);
  }
  simplify(walk);
  return walk;
}

void simplify(IndexWalk& walk) {
  int n = 0;
  for (int d = 0; d < walk.ndim; ++d) {
    const int64_t size = walk.sizes[d];
    if (size == 1) continue;
    bool joins = n > 0 && walk.plain_strides[n - 1] == walk.plain_strides[d] * size &&
                 walk.indexed_strides[n - 1] == walk.indexed_strides[d] * size;
    for (int k = 0; joins && k < walk.indices; ++k)
      joins = walk.index[k].strides[n - 1] == walk.index[k].strides[d] * size;
    const int to = joins ? n - 1 : n++;
    walk.sizes[to] = joins ? walk.sizes[to] * size : size;
    walk.plain_strides[to] = walk.plain_strides[d];
    walk.indexed_strides[to] = walk.indexed_strides[d];
    for (int k = 0; k < walk.indices; ++k) walk.index[k].strides[to] = walk.index[k].strides[d];
  }
  if (n == 0) {
    walk.sizes[0] = 1;
    walk.plain_strides[0] = walk.indexed_strides[0] = walk.element_bytes;
    for (int k = 0; k < walk.indices; ++k) walk.index[k].strides[0] = 0;
    n = 1;
  }
  walk.ndim = n;
}

Status index_status(const char* op, const BadIndex& bad, IndexFault fault) {
  return bad_parameter(std::string(op) + ": index " + std::to_string(bad.value) + " is out of " +
                       (fault == IndexFault::IndexError ? "range" : "bounds") + " for dimension " +
                       std::to_string(bad.dim) + " with size " + std::to_string(bad.size));
}

void BadIndices::add(const BadIndex& bad) {
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  if (!worst_.found || std::pair(bad.dim, bad.value) < std::pair(worst_.dim, worst_.value)) worst_ = bad;
  busy_.clear(std::memory_order_release);
}

}  // namespace cann::ops
