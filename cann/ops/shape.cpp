// Each operator plans boxes (box_copy.h): which part of the input lies where in the output.
#include "cann/ops/shape.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "cann/ops/box_copy.h"
#include "cann/ops/index_walk.h"

namespace cann::ops {

namespace {

struct Boxes {
  std::vector<CopyBox> boxes;
  ElementBytes fill{};  // what a box without a source writes

  void add(const CopyBox& box) {
    if (box.numel() > 0) boxes.push_back(box);
  }
};

// The boxes stand on the heap: a Task that owns them may be moved.
Launch boxes_launch(const char* op, Boxes planned) {
  auto owned = std::make_unique<Boxes>(std::move(planned));
  for (CopyBox& box : owned->boxes)
    if (!box.from) box.from = reinterpret_cast<const char*>(owned->fill.data());
  int64_t bytes = 0;
  for (const CopyBox& box : owned->boxes) bytes += 2 * box.numel() * box.element_bytes;
  return {
      Task(op, copy_us(bytes), [owned = std::move(owned)](TaskContext& context) { run(context.team, owned->boxes); })};
}

Status same_type(const char* op, const TensorView& self, const TensorView& out) {
  if (self.dtype == out.dtype) return {};
  return bad_parameter(std::string(op) + ": self " + describe(self) + ", out " + describe(out) +
                       ": types must be equal");
}

Status mismatch(const char* op, const TensorView& self, const TensorView& out) {
  return bad_parameter(std::string(op) + ": self " + to_string(self.shape()) + ", out " + to_string(out.shape()) +
                       ": shapes do not fit");
}

// A roll by one shift cuts a dimension into two pieces, which change places.
struct Piece {
  TensorView from, to;
};

void roll_dim(std::vector<Piece>& pieces, int dim, int64_t shift) {
  std::vector<Piece> cut;
  for (const Piece& piece : pieces) {
    const int64_t size = piece.from.sizes[dim];
    if (size == 0) continue;
    const int64_t by = (shift % size + size) % size;
    if (by < size) cut.push_back({narrowed(piece.from, dim, 0, size - by), narrowed(piece.to, dim, by, size - by)});
    if (by > 0) cut.push_back({narrowed(piece.from, dim, size - by, by), narrowed(piece.to, dim, 0, by)});
  }
  pieces = std::move(cut);
}

TensorView flattened(const TensorView& contiguous) {
  TensorView flat = contiguous;
  flat.ndim = 1;
  flat.sizes[0] = contiguous.numel();
  flat.strides[0] = 1;
  return flat;
}

}  // namespace

Result<Launch> cat(TensorList tensors, int64_t dim, const TensorView& out) {
  ASSIGN_OR_RETURN(const int axis, wrap_dim("cat", dim, out.ndim));
  Boxes boxes;
  boxes.boxes.reserve(tensors.size());
  int64_t at = 0;
  for (const TensorView* tensor : tensors) {
    if (tensor == nullptr) return bad_parameter("cat: a tensor of the list is missing");
    if (tensor->numel() == 0) continue;
    RETURN_IF_ERROR(same_type("cat", *tensor, out));
    if (tensor->ndim != out.ndim || at + tensor->sizes[axis] > out.sizes[axis]) return mismatch("cat", *tensor, out);
    const TensorView place = narrowed(out, axis, at, tensor->sizes[axis]);
    if (!same_shape(place, *tensor)) return mismatch("cat", *tensor, out);
    boxes.add(copy_box(*tensor, place));
    at += tensor->sizes[axis];
  }
  return boxes_launch("cat", std::move(boxes));
}

Result<Launch> stack(TensorList tensors, int64_t dim, const TensorView& out) {
  ASSIGN_OR_RETURN(const int axis, wrap_dim("stack", dim, out.ndim));
  if (out.ndim == 0 || static_cast<int64_t>(tensors.size()) != out.sizes[axis])
    return bad_parameter("stack: out has another number of tensors");
  Boxes boxes;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i] == nullptr) return bad_parameter("stack: a tensor of the list is missing");
    TensorView place = narrowed(out, axis, static_cast<int64_t>(i), 1);
    for (int d = axis; d + 1 < place.ndim; ++d) {
      place.sizes[d] = place.sizes[d + 1];
      place.strides[d] = place.strides[d + 1];
    }
    --place.ndim;
    RETURN_IF_ERROR(same_type("stack", *tensors[i], out));
    if (!same_shape(place, *tensors[i])) return mismatch("stack", *tensors[i], out);
    boxes.add(copy_box(*tensors[i], place));
  }
  return boxes_launch("stack", std::move(boxes));
}

Result<Launch> flip(const TensorView& self, IntArray dims, const TensorView& out) {
  RETURN_IF_ERROR(same_type("flip", self, out));
  if (!same_shape(self, out)) return mismatch("flip", self, out);
  TensorView reversed = self;
  for (int64_t dim : dims) {
    ASSIGN_OR_RETURN(const int d, wrap_dim("flip", dim, self.ndim));
    if (self.ndim == 0 || self.sizes[d] == 0) continue;
    reversed.data = reversed.as<char>() + (self.sizes[d] - 1) * self.strides[d] * size_of(self.dtype);
    reversed.strides[d] = -self.strides[d];
  }
  Boxes boxes;
  boxes.add(copy_box(reversed, out));
  return boxes_launch("flip", std::move(boxes));
}

Result<Launch> roll(const TensorView& self, IntArray shifts, IntArray dims, const TensorView& out) {
  RETURN_IF_ERROR(same_type("roll", self, out));
  if (!same_shape(self, out)) return mismatch("roll", self, out);
  std::vector<Piece> pieces;
  if (dims.empty()) {
    if (shifts.size() != 1 || !self.is_contiguous() || !out.is_contiguous())
      return bad_parameter("roll: without dims it needs one shift and contiguous tensors");
    pieces.push_back({flattened(self), flattened(out)});
    roll_dim(pieces, 0, shifts[0]);
  } else {
    if (shifts.size() != dims.size())
      return bad_parameter("roll: " + std::to_string(shifts.size()) + " shifts for " + std::to_string(dims.size()) +
                           " dims");
    // Shifts of one dimension add up.
    int64_t total[kMaxDims] = {};
    for (size_t i = 0; i < dims.size(); ++i) {
      ASSIGN_OR_RETURN(const int d, wrap_dim("roll", dims[i], self.ndim));
      total[d] += self.sizes[d] ? shifts[i] % self.sizes[d] : 0;
    }
    pieces.push_back({self, out});
    for (int d = 0; d < self.ndim; ++d)
      if (total[d] != 0) roll_dim(pieces, d, total[d]);
  }
  Boxes boxes;
  for (const Piece& piece : pieces) boxes.add(copy_box(piece.from, piece.to));
  return boxes_launch("roll", std::move(boxes));
}

Result<Launch> repeat(const TensorView& self, IntArray repeats, const TensorView& out) {
  RETURN_IF_ERROR(same_type("repeat", self, out));
  if (static_cast<int>(repeats.size()) != out.ndim || self.ndim > out.ndim) return mismatch("repeat", self, out);
  // out's dimension d is repeats[d] times self's: two dimensions of a box whose source does not move along the first.
  const int64_t bytes = size_of(self.dtype);
  CopyBox box;
  box.ndim = 2 * out.ndim;
  box.element_bytes = static_cast<int32_t>(bytes);
  box.from = self.as<const char>();
  box.to = out.as<char>();
  for (int d = 0; d < out.ndim; ++d) {
    const int s = d - (out.ndim - self.ndim);
    const int64_t size = s < 0 ? 1 : self.sizes[s];
    if (out.sizes[d] != size * repeats[static_cast<size_t>(d)]) return mismatch("repeat", self, out);
    box.sizes[2 * d] = repeats[static_cast<size_t>(d)];
    box.sizes[2 * d + 1] = size;
    box.from_strides[2 * d] = 0;
    box.from_strides[2 * d + 1] = s < 0 ? 0 : self.strides[s] * bytes;
    box.to_strides[2 * d] = size * out.strides[d] * bytes;
    box.to_strides[2 * d + 1] = out.strides[d] * bytes;
  }
  Boxes boxes;
  if (box.numel() > 0) {
    simplify(box);
    boxes.add(box);
  }
  return boxes_launch("repeat", std::move(boxes));
}

Result<Launch> constant_pad(const TensorView& self, IntArray pad, const Scalar& value, const TensorView& out) {
  RETURN_IF_ERROR(same_type("constant_pad_nd", self, out));
  if (self.ndim != out.ndim || pad.size() % 2 != 0 || pad.size() / 2 > static_cast<size_t>(self.ndim))
    return mismatch("constant_pad_nd", self, out);
  Boxes boxes;
  boxes.fill = element_of(value, out.dtype);
  TensorView from = self, inside = out;
  // From the last dimension: what lies before and after the input becomes a box of the value; the rest is narrowed to
  // what is inside.
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const int d = self.ndim - 1 - static_cast<int>(i);
    const int64_t before = pad[2 * i], after = pad[2 * i + 1];
    if (out.sizes[d] != self.sizes[d] + before + after) return mismatch("constant_pad_nd", self, out);
    const int64_t cut = std::max<int64_t>(0, -before);
    const int64_t kept = std::max<int64_t>(0, self.sizes[d] - cut - std::max<int64_t>(0, -after));
    const int64_t lead = std::max<int64_t>(0, before), trail = std::max<int64_t>(0, after);
    if (lead > 0) boxes.add(fill_box(narrowed(inside, d, 0, lead)));
    if (trail > 0) boxes.add(fill_box(narrowed(inside, d, lead + kept, trail)));
    from = narrowed(from, d, cut, kept);
    inside = narrowed(inside, d, lead, kept);
  }
  if (!same_shape(from, inside)) return mismatch("constant_pad_nd", self, out);
  boxes.add(copy_box(from, inside));
  return boxes_launch("constant_pad_nd", std::move(boxes));
}

Result<Launch> repeat_interleave(const TensorView& self, int64_t repeats, int64_t dim, const TensorView& out) {
  RETURN_IF_ERROR(same_type("repeat_interleave", self, out));
  ASSIGN_OR_RETURN(const int axis, wrap_dim("repeat_interleave", dim, self.ndim));
  if (self.ndim != out.ndim || self.ndim == 0 || self.ndim == kMaxDims || repeats < 0)
    return mismatch("repeat_interleave", self, out);
  // Both with one dimension more, after `dim`, that counts the repetitions.
  auto split_axis = [&](TensorView view, int64_t outer, int64_t stride, int64_t inner, int64_t inner_stride) {
    for (int d = view.ndim; d > axis + 1; --d) {
      view.sizes[d] = view.sizes[d - 1];
      view.strides[d] = view.strides[d - 1];
    }
    ++view.ndim;
    view.sizes[axis] = outer;
    view.strides[axis] = stride;
    view.sizes[axis + 1] = inner;
    view.strides[axis + 1] = inner_stride;
    return view;
  };
  const int64_t n = self.sizes[axis];
  if (out.sizes[axis] != n * repeats) return mismatch("repeat_interleave", self, out);
  const TensorView from = split_axis(self, n, self.strides[axis], repeats, 0);
  const TensorView to = split_axis(out, n, repeats * out.strides[axis], repeats, out.strides[axis]);
  return move("repeat_interleave", from, to);
}

Result<Launch> repeat_interleave_flat(const TensorView& self, int64_t repeats, const TensorView& out) {
  if (!self.is_contiguous() || !out.is_contiguous())
    return bad_parameter("repeat_interleave: self and out must be contiguous");
  return repeat_interleave(flattened(self), repeats, 0, flattened(out));
}

Result<Launch> split(const TensorView& self, IntArray sizes, int64_t dim, TensorList out) {
  ASSIGN_OR_RETURN(const int axis, wrap_dim("split", dim, self.ndim));
  if (self.ndim == 0 || sizes.size() != out.size()) return bad_parameter("split: as many sizes as outputs are needed");
  Boxes boxes;
  int64_t at = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (out[i] == nullptr || sizes[i] < 0 || at + sizes[i] > self.sizes[axis])
      return bad_parameter("split: sizes and self do not fit");
    const TensorView piece = narrowed(self, axis, at, sizes[i]);
    RETURN_IF_ERROR(same_type("split", piece, *out[i]));
    if (!same_shape(piece, *out[i])) return mismatch("split", piece, *out[i]);
    boxes.add(copy_box(piece, *out[i]));
    at += sizes[i];
  }
  return boxes_launch("split", std::move(boxes));
}

Result<Launch> channel_shuffle(const TensorView& self, int64_t groups, const TensorView& out) {
  RETURN_IF_ERROR(same_type("channel_shuffle", self, out));
  if (!same_shape(self, out) || self.ndim < 2 || groups <= 0 || self.sizes[1] % groups != 0)
    return mismatch("channel_shuffle", self, out);
  const int64_t bytes = size_of(self.dtype), of_group = self.sizes[1] / groups;
  CopyBox box;
  box.ndim = 0;
  box.element_bytes = static_cast<int32_t>(bytes);
  box.from = self.as<const char>();
  box.to = out.as<char>();
  auto add = [&](int64_t size, int64_t from, int64_t to) {
    box.sizes[box.ndim] = size;
    box.from_strides[box.ndim] = from * bytes;
    box.to_strides[box.ndim++] = to * bytes;
  };
  add(self.sizes[0], self.strides[0], out.strides[0]);
  add(of_group, self.strides[1], groups * out.strides[1]);
  add(groups, of_group * self.strides[1], out.strides[1]);
  for (int d = 2; d < self.ndim; ++d) add(self.sizes[d], self.strides[d], out.strides[d]);
  Boxes boxes;
  if (box.numel() > 0) {
    simplify(box);
    boxes.add(box);
  }
  return boxes_launch("channel_shuffle", std::move(boxes));
}

Result<Launch> move(const char* op, const TensorView& from, const TensorView& to) {
  RETURN_IF_ERROR(same_type(op, from, to));
  if (!same_shape(from, to)) return mismatch(op, from, to);
  Boxes boxes;
  boxes.add(copy_box(from, to));
  return boxes_launch(op, std::move(boxes));
}

}  // namespace cann::ops
