// Copies between two strided boxes of one element size: what cat, flip, roll, repeat, pad and the like are made of.
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

// Strides are in bytes; a source stride may be negative (flip) or 0 (repeat, fill).
struct CopyBox {
  static constexpr int kDims = 16;  // repeat doubles the dimensions
  int32_t ndim = 0;
  int32_t element_bytes = 0;
  const char* from = nullptr;
  char* to = nullptr;
  int64_t sizes[kDims];
  int64_t from_strides[kDims];
  int64_t to_strides[kDims];

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d) n *= sizes[d];
    return n;
  }
};

struct CopyKernels {
  // Elements [begin, end) of the box, in row-major order. The boxes do not overlap. pre: begin < end, ndim >= 1
  void (*copy)(const CopyBox& box, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(CopyKernels, copy_box)

}  // namespace cann::kernels
