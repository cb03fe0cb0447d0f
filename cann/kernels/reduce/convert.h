// Copies a two-dimensional block of elements from one type and stride to another: how reductions, scans and sorts read
// operands that are not contiguous values of their compute type, and write results.
#pragma once

#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

struct Strides2 {
  int64_t row, col;  // in elements
};

// to[r, c] = cast(from[r, c]) for r < rows, c < cols. The blocks do not overlap.
using Convert = void (*)(const void* from, Strides2 from_strides, void* to, Strides2 to_strides, int64_t rows,
                         int64_t cols);

struct ConvertKernels {
  Convert (*find)(DType from, DType to);  // null where a type is not supported
  Convert (*find_magnitude)(DType from);  // |z| of complex numbers, as their real type; null for other types
};
CANN_KERNEL_TABLE(ConvertKernels, convert)

}  // namespace cann::kernels
