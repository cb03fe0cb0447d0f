// Copies as boxes: what the shape operators plan on the caller's thread and run in their Task. Knows no operator.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cann/base/scalar.h"
#include "cann/base/team.h"
#include "cann/base/tensor_view.h"
#include "cann/kernels/shape/copy.h"

namespace cann::ops {

using kernels::CopyBox;

// The copy of one view into another of the same shape and element type; neighbouring dimensions are joined where both
// sides allow.
CopyBox copy_box(const TensorView& from, const TensorView& to);

// Joins dimensions and drops those of size 1; leaves at least one.
void simplify(CopyBox& box);

// The part [start, start + length) of one dimension.
TensorView narrowed(TensorView view, int dim, int64_t start, int64_t length);

// One element of `dtype`, converted as PyTorch's fill does.
struct alignas(16) ElementBytes : std::array<std::byte, 16> {};  // kernels read it as the element's type
ElementBytes element_of(const Scalar& value, DType dtype);

// A box that fills `to` with one element. Its `from` is left null: the Task points it at its own copy of the element.
CopyBox fill_box(const TensorView& to);

// Runs the boxes, which must not overlap, side by side.
void run(Team& team, std::span<const CopyBox> boxes);

// What a host estimates for moving so many bytes: 8 GB/s.
inline float copy_us(int64_t bytes) { return 0.5f + static_cast<float>(bytes) / 8e3f; }

inline bool same_view(const TensorView& a, const TensorView& b) {
  if (a.data != b.data || !same_shape(a, b)) return false;
  for (int d = 0; d < a.ndim; ++d)
    if (a.sizes[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

}  // namespace cann::ops
