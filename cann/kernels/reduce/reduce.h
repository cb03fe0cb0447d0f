// Reductions of contiguous blocks to states, and of states to values. What to read, in which pieces and where the
// results go is the plan's (cann/ops/reduce_plan.h).
#pragma once

#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

enum class ReduceOp {
  Sum,
  Mean,
  NanSum,
  Prod,
  Max,
  Min,  // NaN wins
  ArgMax,
  ArgMin,  // value and index of the first extremum; the first NaN wins
  Any,
  All,
  CountNonzero,  // of booleans
  Norm1,
  Norm2,
  NormP,
  NormInf,
  NormMinusInf,
  Var,
  Std,
  MeanOfVar,  // parameter: the correction. MeanOfVar gives the mean of the same states
  LogSumExp,
};

// One operation on one compute type. A state describes the values seen so far; states of consecutive values merge.
// Blocks have at most kMaxBlockRows x kMaxBlockCols elements.
struct Reducer {
  DType compute;        // the type of the values read
  DType value;          // the type of the values that `finish` writes
  int32_t state_bytes;  // at most kMaxStateBytes
  bool ordered;         // an index is part of the result: values must come in the order of their index

  void (*identity)(void* states, int64_t count);
  // states[r] from the n values at x + r * row_stride; the first of a row has index `first`.
  void (*rows)(const void* x, int64_t row_stride, int64_t rows, int64_t n, int64_t first, double parameter,
               void* states);
  // states[c] from the values x[r * row_stride + c], r < rows; row 0 has index `first`.
  void (*columns)(const void* x, int64_t row_stride, int64_t rows, int64_t cols, int64_t first, double parameter,
                  void* states);
  // into[i] = into[i], then later[i]
  void (*merge)(void* into, const void* later, int64_t count);
  // n: how many values each state has seen. `indices` may be null.
  void (*finish)(const void* states, int64_t count, int64_t n, double parameter, void* values, int64_t* indices);
};

inline constexpr int64_t kMaxRowBlock = 4096;  // values of one row: what the first-level cache holds
inline constexpr int64_t kMaxBlockCols = 512;
inline constexpr int64_t kMaxBlockRows = 256;
inline constexpr int64_t kMaxStateBytes = 32;

struct ReduceKernels {
  // Null where there is none. Some operations read a half type as it is; else it comes converted to float32.
  const Reducer* (*find)(ReduceOp op, DType compute);
};
CANN_KERNEL_TABLE(ReduceKernels, reduce)

}  // namespace cann::kernels
