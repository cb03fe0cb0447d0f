// plain[p] = indexed[p, index[p]]: reading through indices.
#pragma once

#include "cann/kernels/index/walk.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

struct GatherKernels {
  // Elements [begin, end) of the walk, in row-major order. Stops at the first bad index; nothing is read outside.
  BadIndex (*gather)(const IndexWalk& walk, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(GatherKernels, gather)

}  // namespace cann::kernels
