// Running folds along a dimension: contiguous rows one after the other, or neighbouring columns side by side. What has
// been seen so far is carried from block to block in a state, so that a long dimension can be cut: fold the pieces,
// merge, then scan.
#pragma once

#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

enum class ScanOp {
  CumSum,
  CumProd,
  LogCumSumExp,  // float32 is accumulated in float64, as PyTorch does on the CPU
  CumMax,
  CumMin,  // with the index of the last extremum; NaN stays
};

inline constexpr int64_t kMaxScanCols = 512;

struct Scanner {
  DType compute;        // the type of x and y
  int32_t state_bytes;  // at most 16
  bool indexed;

  void (*identity)(void* states, int64_t count);
  // y[i] = fold of the state and x[0 .. i]; the state takes in all n values, of which the first has index `first`.
  // y null: only the state. x and y may be the same.
  void (*row)(const void* x, void* y, int64_t* indices, int64_t n, int64_t first, void* state);
  // The same for `cols` columns, rows apart by the strides.
  void (*columns)(const void* x, int64_t x_stride, void* y, int64_t y_stride, int64_t* indices, int64_t index_stride,
                  int64_t rows, int64_t cols, int64_t first, void* states);
  // into = into, then later
  void (*merge)(void* into, const void* later, int64_t count);
};

struct ScanKernels {
  const Scanner* (*find)(ScanOp op, DType compute);  // null where there is none
};
CANN_KERNEL_TABLE(ScanKernels, scan)

}  // namespace cann::kernels
