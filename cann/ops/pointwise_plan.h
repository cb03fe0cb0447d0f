// How a pointwise operator will walk memory, decided once per call: which tile function, what each operand needs on its
// way into a tile, and the loop nest after broadcasting, ordering and merging of dimensions. Plain data: a Task holds
// it by value.
#pragma once

#include <cstdint>

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"
#include "cann/kernels/pointwise/pointwise.h"

namespace cann::ops {

inline constexpr int kMaxOperands = kernels::kMaxInputs + 1;  // operand 0 is the output

struct PlanOperand {
  char* data;
  kernels::ConvertFn convert;  // from storage to tile (the output: tile to storage); null where they are the same type
  int8_t item_bytes;           // as stored
  int8_t tile_bytes;           // in the tile
  int8_t slot;                 // a scalar's slot in Params, or -1
  bool uniform;                // one element stands for all
};

// What every walk needs.
struct PlanHead {
  kernels::TileFn tile;  // null: a copy
  int64_t numel;
  int64_t grain;  // elements a thread takes at once; depends on sizes and cost only
  int32_t operands;
  PlanOperand operand[kMaxOperands];
  kernels::Params params;
};

// All operands contiguous in the same order, or uniform.
struct LinearPlan : PlanHead {
  void run(Team& team) const;
  void operator()(TaskContext& context) const { run(context.team); }  // a Task's body
};

// A loop nest of at most kDims dimensions, the last one innermost; strides in bytes. Two capacities, because most nests
// are shallow and a small plan stays inside its Task.
template <int kDims>
struct StridedPlan : PlanHead {
  int32_t ndim;                  // at least 2
  int64_t tile_rows, tile_cols;  // the piece of the two inner dimensions that makes a tile
  int64_t sizes[kDims];
  int64_t strides[kMaxOperands][kDims];

  void run(Team& team) const;
  void operator()(TaskContext& context) const { run(context.team); }
};

extern template struct StridedPlan<4>;
extern template struct StridedPlan<kMaxDims>;

}  // namespace cann::ops
