// Sequences: arange, range, linspace, logspace, triangle indices and repeated positions.
#pragma once

#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

struct Sequence {
  enum class Kind { Integers, Steps, Linear, Powers } kind = Kind::Steps;
  DType dtype = DType::Undefined;
  int64_t n = 0;
  int64_t first = 0, by = 0;  // Integers: first + i * by, wrapping
  double start = 0, step = 0,
         end = 0;  // Steps: start + i * step. Linear: the same from the near end, end - (n-1-i) * step from the far
  double start_im = 0, step_im = 0, end_im = 0;
  double base = 10;  // Powers: base ** Linear
};

struct RangeKernels {
  // to[i] for i in [begin, end), `stride` bytes apart. Computed in float64 (integers in int64), rounded once.
  void (*fill)(const Sequence& sequence, void* to, int64_t stride, int64_t begin, int64_t end);
  // to[at + k] = i, repeats times for each i of [begin, end).
  void (*repeat)(const int64_t* starts, int64_t begin, int64_t end, int64_t* to);
};
CANN_KERNEL_TABLE(RangeKernels, range)

}  // namespace cann::kernels
