// Picking by a mask, on flat arrays: count, compress, expand. A mask holds bytes that are 0 or 1.
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

struct MaskKernels {
  int64_t (*count)(const uint8_t* mask, int64_t n);
  // to[0...] = from[i] where mask[i]. Writes exactly as many as the mask selects.
  void (*select)(int64_t element_bytes, const char* from, const uint8_t* mask, int64_t n, char* to);
  // to[i] = from[0...] where mask[i].
  void (*scatter)(int64_t element_bytes, char* to, const uint8_t* mask, int64_t n, const char* from);
};
CANN_KERNEL_TABLE(MaskKernels, mask)

}  // namespace cann::kernels
