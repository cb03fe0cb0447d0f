// A padded dimension is an advanced index: a short vector of positions, made on the caller's thread and kept in the
// Task. Forward reads through the indices, backward adds through them.
#include "cann/ops/pad.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "cann/kernels/index/gather.h"
#include "cann/ops/scatter_walk.h"

namespace cann::ops {

namespace {

// Where output position i of a dimension of `size` reads, with `before` positions in front.
int64_t source(PadMode mode, int64_t i, int64_t before, int64_t size) {
  const int64_t at = i - before;
  switch (mode) {
    case PadMode::Replicate: return std::clamp<int64_t>(at, 0, size - 1);
    case PadMode::Circular: return ((at % size) + size) % size;
    case PadMode::Reflect: break;
  }
  // One reflection is enough: padding is less than the size.
  return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}

struct Positions {
  std::vector<int64_t> values[kMaxDims];  // the walk's indices point here
  IndexWalk walk;
};

// The walk of `inside` read (or written) through positions over `outside`, which is larger.
Result<std::shared_ptr<Positions>> padded_walk(const char* op, PadMode mode, const TensorView& inside, IntArray pad,
                                               const TensorView& outside) {
  const int dims = static_cast<int>(pad.size() / 2);
  auto mismatch = [&] {
    return bad_parameter(std::string(op) + ": " + to_string(inside.shape()) + " padded by " + to_string(pad) +
                         " is not " + to_string(outside.shape()));
  };
  if (inside.dtype != outside.dtype)
    return bad_parameter(std::string(op) + ": " + describe(inside) + " and " + describe(outside) +
                         ": types must be equal");
  if (inside.ndim != outside.ndim || dims > inside.ndim || pad.size() % 2 != 0) return mismatch();
  auto positions = std::make_shared<Positions>();
  TensorView views[kMaxDims];
  const TensorView* indices[kMaxDims] = {};
  for (int i = 0; i < dims; ++i) {
    const int d = inside.ndim - 1 - i;
    const int64_t before = pad[2 * static_cast<size_t>(i)], after = pad[2 * static_cast<size_t>(i) + 1],
                  size = inside.sizes[d];
    if (outside.sizes[d] != size + before + after) return mismatch();
    if (size == 0 || (mode == PadMode::Reflect && std::max(before, after) >= size))
      return bad_parameter(std::string(op) + ": padding (" + std::to_string(before) + ", " + std::to_string(after) +
                           ") is too large for dimension " + std::to_string(d) + " of size " + std::to_string(size));
    auto& values = positions->values[d];
    for (int64_t k = 0; k < outside.sizes[d]; ++k) values.push_back(source(mode, k, before, size));
    // As an index of shape [n, 1, ..., 1], so that the indices broadcast to the padded dimensions.
    TensorView& view = views[d];
    view.data = values.data();
    view.dtype = DType::Int64;
    view.ndim = i + 1;
    view.sizes[0] = outside.sizes[d];
    view.strides[0] = 1;
    for (int k = 1; k <= i; ++k) view.sizes[k] = view.strides[k] = 1;
    indices[d] = &view;
  }
  ASSIGN_OR_RETURN(positions->walk, advanced_walk(op, inside, {indices, static_cast<size_t>(inside.ndim)}, outside));
  positions->walk.wraps = false;
  return positions;
}

}  // namespace

Result<Launch> pad(const char* op, PadMode mode, const TensorView& self, IntArray pad, const TensorView& out) {
  const int64_t n = out.numel();
  if (n == 0) return Launch{Task(op, 0, [](TaskContext&) {})};
  ASSIGN_OR_RETURN(const std::shared_ptr<Positions> positions, padded_walk(op, mode, self, pad, out));
  return Launch{Task(op, 2 * copy_us(2 * n * size_of(out.dtype)), [positions, n](TaskContext& context) {
    context.team.for_ranges(n, 16 * 1024,
                            [&](int64_t begin, int64_t end) { kernels::gather().gather(positions->walk, begin, end); });
  })};
}

Result<Launch> pad_backward(const char* op, PadMode mode, const TensorView& grad_output, IntArray pad,
                            const TensorView& grad_in) {
  if (!is_floating(grad_in.dtype) && !is_complex(grad_in.dtype))
    return bad_parameter(std::string(op) + ": grad " + describe(grad_output) + ": needs a floating or complex type");
  ScatterPlan plan;
  plan.op = op;
  plan.assign = false;
  plan.how.dtype = grad_in.dtype;
  plan.before = fill_box(grad_in);
  plan.zero_before = true;
  plan.walk.ndim = 1;  // of size 0: nothing comes back
  if (grad_output.numel() == 0) return scatter_launch(plan);
  ASSIGN_OR_RETURN(const std::shared_ptr<Positions> positions, padded_walk(op, mode, grad_in, pad, grad_output));
  plan.walk = positions->walk;
  plan.keeps = positions;
  return scatter_launch(plan);
}

}  // namespace cann::ops
