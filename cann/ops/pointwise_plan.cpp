// Walks memory as a plan says: in each thread's range, tile by tile. An operand that is contiguous and of the tile's
// type is handed over where it lies; others are gathered, broadcast or converted into a buffer that stays in the L1
// cache.
#include "cann/ops/pointwise_plan.h"

#include <algorithm>

namespace cann::ops {
namespace {

using kernels::Block;
using kernels::kTile;

// One thread's tiles: an operand in the compute type, and as it was stored. Left uninitialised: only what is written is
// read.
struct Buffers {
  static constexpr int64_t kBytes = kTile * 16;
  alignas(64) char typed[kMaxOperands][kBytes];
  alignas(64) char raw[kBytes];
};

// Fills the tiles of uniform operands, which no later step touches.
void load_uniform(const PlanHead& head, Buffers& buffers, int64_t count) {
  const kernels::PointwiseKernels& table = kernels::pointwise();
  for (int k = 1; k < head.operands; ++k) {
    const PlanOperand& o = head.operand[k];
    if (!o.uniform) continue;
    alignas(16) char value[16];
    const void* source = o.slot >= 0 ? static_cast<const void*>(head.params.slots[o.slot]) : o.data;
    if (o.convert) {
      o.convert(value, source, 1);
      source = value;
    }
    table.fill(buffers.typed[k], source, std::min(count, kTile), o.tile_bytes);
  }
}

// A tile's result to the output's storage (contiguous), from `result`.
void store(const PlanOperand& out, char* to, const void* result, int64_t n) {
  if (out.convert)
    out.convert(to, result, n);
  else if (to != result)
    std::memcpy(to, result, static_cast<size_t>(n * out.item_bytes));
}

// One thread's range of a linear plan.
void run_range(const LinearPlan& plan, int64_t begin, int64_t end) {
  Buffers buffers;
  load_uniform(plan, buffers, end - begin);
  bool staged = plan.operand[0].convert != nullptr;
  for (int k = 1; k < plan.operands; ++k) staged = staged || plan.operand[k].convert || plan.operand[k].uniform;
  const int64_t step = staged ? kTile : end - begin;
  const PlanOperand& out = plan.operand[0];
  const bool fills = !plan.tile && plan.operand[1].uniform && out.convert;  // converted once for all
  if (fills) out.convert(buffers.typed[0], buffers.typed[1], std::min(end - begin, kTile));
  for (int64_t at = begin; at < end; at += step) {
    const int64_t n = std::min(step, end - at);
    const void* in[kernels::kMaxInputs];
    for (int k = 1; k < plan.operands; ++k) {
      const PlanOperand& o = plan.operand[k];
      if (o.uniform) {
        in[k - 1] = buffers.typed[k];
      } else if (o.convert) {
        o.convert(buffers.typed[k], o.data + at * o.item_bytes, n);
        in[k - 1] = buffers.typed[k];
      } else {
        in[k - 1] = o.data + at * o.item_bytes;
      }
    }
    char* to = out.data + at * out.item_bytes;
    if (fills) {
      std::memcpy(to, buffers.typed[0], static_cast<size_t>(n * out.item_bytes));
      continue;
    }
    if (!plan.tile) {
      store(out, to, in[0], n);
      continue;
    }
    void* result = out.convert ? buffers.typed[0] : to;
    plan.tile(result, in, n, plan.params);
    store(out, to, result, n);
  }
}

// Brings a rectangle of an operand into a tile, or finds that it can stay where it is.
const void* fetch(const PlanOperand& o, const char* from, const Block& block, Buffers& buffers, int k) {
  if (o.uniform) return buffers.typed[k];
  const bool contiguous =
      block.col_stride == o.item_bytes && (block.rows == 1 || block.row_stride == block.cols * o.item_bytes);
  if (!contiguous) {
    char* to = o.convert ? buffers.raw : buffers.typed[k];
    kernels::pointwise().gather(to, from, block, o.item_bytes);
    from = to;
  }
  if (!o.convert) return from;
  o.convert(buffers.typed[k], from, block.rows * block.cols);
  return buffers.typed[k];
}

template <int kDims>
void run_tile(const StridedPlan<kDims>& plan, char* const* data, int64_t rows, int64_t cols, Buffers& buffers) {
  const int outer = plan.ndim - 2, inner = plan.ndim - 1;
  const void* in[kernels::kMaxInputs];
  for (int k = 1; k < plan.operands; ++k) {
    const Block block{rows, cols, plan.strides[k][outer], plan.strides[k][inner]};
    in[k - 1] = fetch(plan.operand[k], data[k], block, buffers, k);
  }
  const PlanOperand& out = plan.operand[0];
  const Block block{rows, cols, plan.strides[0][outer], plan.strides[0][inner]};
  const bool contiguous =
      block.col_stride == out.item_bytes && (rows == 1 || block.row_stride == cols * out.item_bytes);
  const void* result = in[0];
  if (plan.tile) {
    char* to = contiguous && !out.convert ? data[0] : buffers.typed[0];
    plan.tile(to, in, rows * cols, plan.params);
    result = to;
  }
  if (contiguous) return store(out, data[0], result, rows * cols);
  if (out.convert) {
    out.convert(buffers.raw, result, rows * cols);
    result = buffers.raw;
  }
  kernels::pointwise().scatter(data[0], result, block, out.item_bytes);
}

// Counts tiles: row blocks and column blocks of the two inner dimensions, then the outer dimensions.
template <int kDims>
struct Position {
  const StridedPlan<kDims>& plan;
  int64_t row = 0, col = 0;
  int64_t index[kDims] = {};
  char* base[kMaxOperands];  // of the outer position

  Position(const StridedPlan<kDims>& p, int64_t tile, int64_t row_blocks, int64_t col_blocks) : plan(p) {
    col = tile % col_blocks * p.tile_cols;
    tile /= col_blocks;
    row = tile % row_blocks * p.tile_rows;
    tile /= row_blocks;
    for (int d = p.ndim - 3; d >= 0; --d) {
      index[d] = tile % p.sizes[d];
      tile /= p.sizes[d];
    }
    find_base();
  }

  void find_base() {
    for (int k = 0; k < plan.operands; ++k) {
      base[k] = plan.operand[k].data;
      for (int d = 0; d < plan.ndim - 2; ++d) base[k] += index[d] * plan.strides[k][d];
    }
  }

  void advance() {
    if ((col += plan.tile_cols) < plan.sizes[plan.ndim - 1]) return;
    col = 0;
    if ((row += plan.tile_rows) < plan.sizes[plan.ndim - 2]) return;
    row = 0;
    for (int d = plan.ndim - 3; d >= 0; --d) {
      if (++index[d] < plan.sizes[d]) break;
      index[d] = 0;
    }
    find_base();
  }
};

}  // namespace

void LinearPlan::run(Team& team) const {
  team.for_ranges(numel, grain, [this](int64_t begin, int64_t end) { run_range(*this, begin, end); });
}

template <int kDims>
void StridedPlan<kDims>::run(Team& team) const {
  const int64_t height = sizes[ndim - 2], width = sizes[ndim - 1];
  const int64_t row_blocks = (height + tile_rows - 1) / tile_rows, col_blocks = (width + tile_cols - 1) / tile_cols;
  int64_t tiles = row_blocks * col_blocks;
  for (int d = 0; d < ndim - 2; ++d) tiles *= sizes[d];
  const int64_t tiles_at_once = std::max<int64_t>(1, grain / (tile_rows * tile_cols));
  team.for_ranges(tiles, tiles_at_once, [&](int64_t begin, int64_t end) {
    Buffers buffers;
    load_uniform(*this, buffers, tile_rows * tile_cols);
    Position<kDims> position(*this, begin, row_blocks, col_blocks);
    for (int64_t i = begin; i < end; ++i, position.advance()) {
      char* data[kMaxOperands];
      for (int k = 0; k < operands; ++k)
        data[k] = position.base[k] + position.row * strides[k][ndim - 2] + position.col * strides[k][ndim - 1];
      run_tile(*this, data, std::min(tile_rows, height - position.row), std::min(tile_cols, width - position.col),
               buffers);
    }
  });
}

template struct StridedPlan<4>;
template struct StridedPlan<kMaxDims>;

}  // namespace cann::ops
