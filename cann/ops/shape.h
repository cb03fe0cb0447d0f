// Operators that move elements without changing them: cat, flip, roll, repeat, constant_pad_nd, tril, triu, expand-like
// copies; and unfold's backward, which sums where windows overlap.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// All of out's element type; tensors without elements are skipped, whatever their shape.
Result<Launch> cat(TensorList tensors, int64_t dim, const TensorView& out);
// A new dimension `dim` that counts the tensors, all of one shape.
Result<Launch> stack(TensorList tensors, int64_t dim, const TensorView& out);

Result<Launch> flip(const TensorView& self, IntArray dims, const TensorView& out);
// No dims: self is rolled as if flat.
Result<Launch> roll(const TensorView& self, IntArray shifts, IntArray dims, const TensorView& out);
Result<Launch> repeat(const TensorView& self, IntArray repeats, const TensorView& out);
// pad: (before, after) of the last dimension, then of the one before it, and so on; negative numbers cut off.
Result<Launch> constant_pad(const TensorView& self, IntArray pad, const Scalar& value, const TensorView& out);
Result<Launch> triangle(const char* op, const TensorView& self, int64_t diagonal, bool upper, const TensorView& out);

// Each element (or slice of `dim`) `repeats` times in a row. Flat: self in row-major order, contiguous.
Result<Launch> repeat_interleave(const TensorView& self, int64_t repeats, int64_t dim, const TensorView& out);
Result<Launch> repeat_interleave_flat(const TensorView& self, int64_t repeats, const TensorView& out);
// The i-th repeats[i] times; repeats of one element stand for all. The Task fails if they do not add up to out's size.
Result<Launch> repeat_interleave(const TensorView& self, const TensorView& repeats, int64_t dim, const TensorView& out);
Result<Launch> repeat_interleave_flat(const TensorView& self, const TensorView& repeats, const TensorView& out);
// Copies of self's pieces along `dim`.
Result<Launch> split(const TensorView& self, IntArray sizes, int64_t dim, TensorList out);
// Channels (dimension 1) taken in turns from each of the groups.
Result<Launch> channel_shuffle(const TensorView& self, int64_t groups, const TensorView& out);

// input_sizes: the sizes of what was unfolded along `dim` in windows of `size` every `step`.
Result<Launch> unfold_backward(const TensorView& grad_in, IntArray input_sizes, int64_t dim, int64_t size, int64_t step,
                               const TensorView& out);

// A copy between views of one shape and type: aclnnSlice, aclnnPermute and the like are views here, and then this.
Result<Launch> move(const char* op, const TensorView& from, const TensorView& to);

}  // namespace cann::ops
