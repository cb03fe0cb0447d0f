// Softmax and log-softmax, forward and backward, over the middle axis of a dense [outer, n, inner] tensor.
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

// One unit of work is a row (inner == 1), or kSoftmaxColumns neighbouring columns of one outer index.
inline constexpr int64_t kSoftmaxColumns = 64;

struct SoftmaxShape {
  int64_t outer, n, inner;
  int64_t column_blocks() const { return (inner + kSoftmaxColumns - 1) / kSoftmaxColumns; }
  int64_t units() const { return inner == 1 ? outer : outer * column_blocks(); }
};

using SoftmaxForward = void (*)(const void* x, void* y, const SoftmaxShape&, int64_t begin, int64_t end);
using SoftmaxBackward = void (*)(const void* dy, const void* y, void* dx, const SoftmaxShape&, int64_t begin,
                                 int64_t end);

// Indexed by type: float32, float64, float16, bfloat16, then float16 and bfloat16 with a float32 result
// (backward: float32 in, half out).
inline constexpr int kSoftmaxTypes = 6;
struct SoftmaxKernels {
  SoftmaxForward forward[2][kSoftmaxTypes];  // [logarithm][type]
  SoftmaxBackward backward[2][kSoftmaxTypes];
};
CANN_KERNEL_TABLE(SoftmaxKernels, softmax)

}  // namespace cann::kernels
