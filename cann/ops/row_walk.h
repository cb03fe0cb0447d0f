// Rows of a tensor along one dimension, whatever its strides: gathered into contiguous memory (a few neighbours at a
// time, so that cache lines are used whole) and scattered back. Several tensors may be walked together; they differ in
// that dimension only.
#pragma once

#include <algorithm>

#include "cann/base/tensor_view.h"
#include "cann/kernels/reduce/convert.h"

namespace cann::ops {

// One tensor's part in a walk.
struct RowOperand {
  char* data = nullptr;
  int64_t bytes = 0, length = 1, along = 1, inner = 0;  // length and stride of a row; stride to the neighbouring row
  int64_t strides[kMaxDims] = {};                       // of the other dimensions, in the walk's order
  kernels::Convert gather = nullptr, scatter = nullptr;
  bool contiguous = false;  // the row can be used where it stands

  bool present() const { return data != nullptr; }
};

class RowWalk {
 public:
  // pre: dim is a dimension of x, or x has none.
  RowWalk(const TensorView& x, int dim) : ndim_(x.ndim) {
    for (int d = 0; d < x.ndim; ++d) {
      if (d == dim) continue;
      rows_ *= x.sizes[d];
      if (x.sizes[d] != 1) dims_[count_++] = d;
    }
    std::stable_sort(dims_, dims_ + count_, [&](int a, int b) { return x.strides[a] > x.strides[b]; });
    for (int i = 0; i < count_; ++i) sizes_[i] = x.sizes[dims_[i]];
  }

  int64_t rows() const { return rows_; }
  // Neighbours that lie one stride apart.
  int64_t group() const { return count_ ? sizes_[count_ - 1] : 1; }

  // t has x's dimensions; `dim` may be missing if a row of t is one element. Rows in memory are of type `as`.
  RowOperand operand(const TensorView& t, int dim, DType as) const {
    RowOperand o;
    o.data = t.as<char>();
    o.bytes = size_of(t.dtype);
    const bool has_dim = t.ndim == ndim_ && t.ndim > 0;
    o.length = has_dim ? t.sizes[dim] : 1;
    o.along = has_dim ? t.strides[dim] : 1;
    for (int i = 0; i < count_; ++i) o.strides[i] = t.strides[dims_[i] - (!has_dim && dims_[i] > dim ? 1 : 0)];
    o.inner = count_ ? o.strides[count_ - 1] : 0;
    o.gather = kernels::convert().find(t.dtype, as);
    o.scatter = kernels::convert().find(as, t.dtype);
    o.contiguous = t.dtype == as && (o.along == 1 || o.length == 1);
    return o;
  }

  char* address(const RowOperand& o, int64_t row) const {
    int64_t offset = 0;
    for (int i = count_ - 1; i >= 0; --i) {
      offset += row % sizes_[i] * o.strides[i];
      row /= sizes_[i];
    }
    return o.data + offset * o.bytes;
  }

  // Rows [row, row + count), which must lie in one group, to or from contiguous memory.
  void read(const RowOperand& o, int64_t row, int64_t count, void* to) const {
    if (count == 0 || o.length == 0) return;
    o.gather(address(o, row), {o.inner, o.along}, to, {o.length, 1}, count, o.length);
  }
  void write(const RowOperand& o, int64_t row, int64_t count, const void* from) const {
    if (count == 0 || o.length == 0) return;
    o.scatter(from, {o.length, 1}, address(o, row), {o.inner, o.along}, count, o.length);
  }

 private:
  int ndim_;
  int dims_[kMaxDims], count_ = 0;
  int64_t sizes_[kMaxDims], rows_ = 1;
};

}  // namespace cann::ops
