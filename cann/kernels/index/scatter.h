// indexed[p, index[p]] (op)= plain[p]: writing through indices. Points are visited in row-major order, so of equal
// destinations the last assigned wins; who runs kernels side by side gives each its own destinations.
#pragma once

#include "cann/kernels/index/walk.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

struct ReduceRuns {
  Combine combine = Combine::Add;
  DType dtype = DType::Undefined;
  bool include_self = true;     // what stands at the destination takes part
  bool mean = false;            // divide by the number of values that took part (integers: rounding down)
  const void* alpha = nullptr;  // one element of `dtype` that each value is multiplied by; null is 1
};

struct ScatterKernels {
  BadIndex (*assign)(const IndexWalk& walk);
  // Half types round at each step here: for them, see reduce_runs. alpha as in ReduceRuns.
  BadIndex (*combine)(const IndexWalk& walk, Combine combine, DType dtype, const void* alpha);
};
CANN_KERNEL_TABLE(ScatterKernels, scatter)

// The alternative for half types and means. First points [begin, end) of the walk become entries; these are sorted by
// destination (stable: values of one destination keep their order); then each destination's run is reduced in float32,
// or the type itself, and rounded once.
struct ScatterRunsKernels {
  // Every index of the walk, checked; nothing is moved.
  BadIndex (*check)(const IndexWalk& walk, int64_t begin, int64_t end);

  BadIndex (*entries)(const IndexWalk& walk, int64_t begin, int64_t end, ScatterEntry* to);
  // The sorted entries stand in one of the two arrays.
  ScatterEntry* (*sort)(ScatterEntry* entries, ScatterEntry* spare, int64_t n, int64_t element_bytes);
  // `slice` holds the dimensions along which no index varies. Does the runs that begin in [begin, end).
  void (*reduce_runs)(const IndexWalk& slice, const ScatterEntry* entries, int64_t n, int64_t begin, int64_t end,
                      const ReduceRuns& how);
};
CANN_KERNEL_TABLE(ScatterRunsKernels, scatter_runs)

}  // namespace cann::kernels
