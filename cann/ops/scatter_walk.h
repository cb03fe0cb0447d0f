// Runs a walk that writes: chooses how the work is cut so that every destination has one owner, and between the direct
// and the sorted kernel. Knows no operator.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cann/base/task.h"
#include "cann/kernels/index/scatter.h"
#include "cann/ops/box_copy.h"
#include "cann/ops/index_walk.h"

namespace cann::ops {

struct ScatterPlan {
  const char* op = "";
  IndexFault fault = IndexFault::IndexError;
  IndexWalk walk = {};
  bool assign = true;
  kernels::ReduceRuns how = {};            // if not assign; alpha is taken from `alpha`
  std::optional<ElementBytes> alpha = {};  // one element of how.dtype
  std::optional<ElementBytes> value = {};  // what to write, instead of walk.plain
  std::optional<CopyBox> before = {};      // self to out
  bool zero_before = false;                // `before` fills with zeros
  std::optional<CopyBox> zero_after = {};  // a place to be cleared at the end
  std::shared_ptr<const void> keeps = {};  // what the walk's indices point into

  // For half types, where given: the same walk over float32 stand-ins of `target` and `source`, which may be cheaper
  // than sorting.
  std::function<IndexWalk(const TensorView& target, const TensorView& source)> rebuild = {};
  TensorView target = {}, source = {};
};

// The Task and its workspace.
Launch scatter_launch(const ScatterPlan& plan);

}  // namespace cann::ops
