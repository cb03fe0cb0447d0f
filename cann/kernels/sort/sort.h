// Order statistics of contiguous rows, with indices. Order as PyTorch's: NaN above everything, -0 equal to 0; a full
// sort is stable. Rows of other strides are gathered by the caller (cann/ops/row_walk.h).
#pragma once

#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

inline constexpr int64_t kMaxSortedRow = int64_t{1} << 31;  // indices travel in 32 bits

struct RowSorter {
  // Bytes that each call needs beside its operands, for rows of n.
  int64_t (*scratch_bytes)(int64_t n);

  // values[i] = x[indices[i]] in order. values may be null; x and values do not overlap. Stable, unless `ties_as_cpu`:
  // equal values then stand as PyTorch's CPU leaves them when it need not be stable (slower).
  void (*sort)(const void* x, int64_t n, bool descending, bool ties_as_cpu, void* values, int64_t* indices,
               void* scratch);
  // The k largest or smallest, best first if `sorted`. pre: 0 < k <= n
  void (*topk)(const void* x, int64_t n, int64_t k, bool largest, bool sorted, void* values, int64_t* indices,
               void* scratch);
  // The k-th smallest, from 0.
  void (*kth)(const void* x, int64_t n, int64_t k, void* value, int64_t* index, void* scratch);
  // The lower of two middle values. NaN (the first) if there is one, unless `ignore_nan`.
  void (*median)(const void* x, int64_t n, bool ignore_nan, void* value, int64_t* index, void* scratch);
  // The most frequent value, the smallest of several, with the index of its last occurrence.
  void (*mode)(const void* x, int64_t n, void* value, int64_t* index, void* scratch);
};

struct SortKernels {
  const RowSorter* (*find)(DType dtype);  // null where there is no order
};
CANN_KERNEL_TABLE(SortKernels, sort)

}  // namespace cann::kernels
