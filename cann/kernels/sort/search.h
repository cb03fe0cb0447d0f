// Binary search, equal neighbours, histograms: what the operators on sorted or counted values are made of.
#pragma once

#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

struct Searcher {
  // out[i] = where values[i] would be inserted into the n sorted elements: before equal ones, or after them if `right`.
  // sorted[sorter[j]] is the j-th element; sorter may be null. As in PyTorch a NaN on either side moves the
  // search on.
  void (*search)(const void* sorted, const int64_t* sorter, int64_t n, const void* values, int64_t count, bool right,
                 int64_t* out);
  // order = the n rows of m elements in lexicographic order, equal ones in theirs.
  void (*order_rows)(const void* x, int64_t n, int64_t m, int64_t* order);
  // starts[i] = 1 if row order[i] differs from row order[i - 1]; order may be null (as they are). NaN differs from
  // itself.
  void (*mark_starts)(const void* x, const int64_t* order, int64_t n, int64_t m, uint8_t* starts);
  // Whether all pairs are equal, which NaN never is.
  bool (*equal)(const void* a, const void* b, int64_t n);
};

struct SearchKernels {
  const Searcher* (*find)(DType dtype);
};
CANN_KERNEL_TABLE(SearchKernels, search)

}  // namespace cann::kernels
