// Checks, turns the call into a walk, shares the walk out by elements. An index out of range is found while reading:
// nothing outside is read, and the Task answers with a Status.
#include "cann/ops/index.h"

#include <array>

#include "cann/kernels/index/gather.h"
#include "cann/ops/box_copy.h"
#include "cann/ops/index_walk.h"

namespace cann::ops {

namespace {

Launch nothing_to_do(const char* op) {
  return {Task(op, 0, [](TaskContext&) {})};
}

Launch gather_launch(const char* op, IndexFault fault, const IndexWalk& walk) {
  const int64_t n = walk.numel();
  if (n == 0) return nothing_to_do(op);
  const int64_t grain = std::max<int64_t>(1, 64 * 1024 / walk.element_bytes);
  // Read, written, and an index met somewhere else each time: about twice a copy.
  const float us = copy_us(2 * n * walk.element_bytes) +
                   static_cast<float>(n) / 4e3f * (walk.index[0].strides[walk.ndim - 1] ? 1 : 0);
  return {Task(op, us, [op, fault, walk, n, grain](TaskContext& context) -> Status {
    BadIndices bad;
    context.team.for_ranges(n, grain, [&](int64_t begin, int64_t end) {
      const BadIndex found = kernels::gather().gather(walk, begin, end);
      if (found.found) bad.add(found);
    });
    return bad.worst().found ? index_status(op, bad.worst(), fault) : Status{};
  })};
}

Status check_types(const char* op, const TensorView& self, const TensorView& index, const TensorView& out) {
  if (!is_index_type(index.dtype))
    return bad_parameter(std::string(op) + ": index " + describe(index) + ": needs int64 or int32");
  if (self.dtype != out.dtype)
    return bad_parameter(std::string(op) + ": self " + describe(self) + ", out " + describe(out) +
                         ": types must be equal");
  return {};
}

Status mismatch(const char* op, const TensorView& self, const TensorView& index, const TensorView& out) {
  return bad_parameter(std::string(op) + ": self " + to_string(self.shape()) + ", index " + to_string(index.shape()) +
                       ", out " + to_string(out.shape()) + ": shapes do not fit");
}

}  // namespace

Result<Launch> index_select(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& out) {
  constexpr const char* kOp = "index_select";
  RETURN_IF_ERROR(check_types(kOp, self, index, out));
  ASSIGN_OR_RETURN(const int axis, wrap_dim(kOp, dim, self.ndim));
  if (index.ndim > 1 || out.ndim != self.ndim) return mismatch(kOp, self, index, out);
  for (int d = 0; d < self.ndim; ++d)
    if (out.sizes[d] != (d == axis ? index.numel() : self.sizes[d])) return mismatch(kOp, self, index, out);
  return gather_launch(kOp, IndexFault::IndexError, select_walk(self, axis, index, out));
}

Result<Launch> embedding(const TensorView& weight, const TensorView& indices, const TensorView& out) {
  constexpr const char* kOp = "embedding";
  RETURN_IF_ERROR(check_types(kOp, weight, indices, out));
  if (weight.ndim != 2 || out.ndim != indices.ndim + 1 || out.sizes[out.ndim - 1] != weight.sizes[1])
    return mismatch(kOp, weight, indices, out);
  const TensorView* index = &indices;
  ASSIGN_OR_RETURN(IndexWalk walk, advanced_walk(kOp, weight, {&index, 1}, out));
  walk.wraps = false;
  return gather_launch(kOp, IndexFault::IndexError, walk);
}

Result<Launch> gather(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& out) {
  constexpr const char* kOp = "gather";
  if (index.numel() == 0) return nothing_to_do(kOp);  // of whatever type
  RETURN_IF_ERROR(check_types(kOp, self, index, out));
  ASSIGN_OR_RETURN(const int axis, wrap_dim(kOp, dim, self.ndim));
  if (!same_shape(index, out) ||
      (index.ndim != self.ndim && index.numel() > 0 && std::max(index.ndim, 1) != std::max(self.ndim, 1)))
    return mismatch(kOp, self, index, out);
  for (int d = 0; d < std::min(self.ndim, index.ndim); ++d)
    if (d != axis && index.sizes[d] > self.sizes[d] && index.numel() > 0) return mismatch(kOp, self, index, out);
  return gather_launch(kOp, IndexFault::RuntimeError, gather_walk(self, axis, index, out));
}

Result<Launch> gather_v2(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& out) {
  RETURN_IF_ERROR(check_types("gather_v2", self, index, out));
  ASSIGN_OR_RETURN(const int axis, wrap_dim("gather_v2", dim, self.ndim));
  std::array<const TensorView*, kMaxDims> indices{};
  indices[static_cast<size_t>(axis)] = &index;
  ASSIGN_OR_RETURN(const IndexWalk walk,
                   advanced_walk("gather_v2", self, {indices.data(), static_cast<size_t>(axis) + 1}, out));
  if (walk.numel() != out.numel()) return mismatch("gather_v2", self, index, out);
  return gather_launch("gather_v2", IndexFault::IndexError, walk);
}

Result<Launch> index(const TensorView& self, TensorList indices, const TensorView& out) {
  constexpr const char* kOp = "index";
  if (out.numel() == 0) return nothing_to_do(kOp);
  if (self.dtype != out.dtype)
    return bad_parameter("index: self " + describe(self) + ", out " + describe(out) + ": types must be equal");
  if (indices.size() > kMaxDims) return bad_parameter("index: more than 8 indices");
  // The genuine adapter writes a missing index as an empty vector.
  std::array<const TensorView*, kMaxDims> given{};
  size_t count = 0;
  for (const TensorView* entry : indices) given[count++] = entry && entry->numel() == 0 ? nullptr : entry;
  ASSIGN_OR_RETURN(const IndexWalk walk, advanced_walk(kOp, self, {given.data(), count}, out));
  if (walk.numel() != out.numel())
    return bad_parameter("index: out " + to_string(out.shape()) + " is larger than the result");
  return gather_launch(kOp, IndexFault::IndexError, walk);
}

Result<Launch> take(const TensorView& self, const TensorView& index, const TensorView& out) {
  constexpr const char* kOp = "take";
  RETURN_IF_ERROR(check_types(kOp, self, index, out));
  if (!same_shape(index, out)) return mismatch(kOp, self, index, out);
  if (self.is_contiguous()) return gather_launch(kOp, IndexFault::IndexError, flat_walk(self, index, out));
  // Any strides: a contiguous copy first.
  TensorView flat = self;
  int64_t stride = 1;
  for (int d = self.ndim - 1; d >= 0; stride *= self.sizes[d], --d) flat.strides[d] = stride;
  const IndexWalk walk = flat_walk(flat, index, out);
  if (walk.numel() == 0) return nothing_to_do(kOp);
  const int64_t bytes = self.numel() * size_of(self.dtype);
  return Launch{Task(kOp, copy_us(2 * bytes + 2 * walk.numel() * walk.element_bytes),
                     [walk, self, flat](TaskContext& context) -> Status {
                       TensorView copy = flat;
                       copy.data = context.workspace;
                       const CopyBox box = copy_box(self, copy);
                       if (box.numel() > 0) run(context.team, {&box, 1});
                       IndexWalk reading = walk;
                       reading.indexed = static_cast<char*>(context.workspace);
                       const BadIndex bad = kernels::gather().gather(reading, 0, reading.numel());
                       return bad.found ? index_status(kOp, bad, IndexFault::IndexError) : Status{};
                     }),
                static_cast<size_t>(bytes)};
}

}  // namespace cann::ops
