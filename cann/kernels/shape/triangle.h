// The triangles of matrices (tril, triu) and the backward of unfold.
#pragma once

#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

// One matrix of a batch; strides in bytes.
struct Triangle {
  const char* from;
  char* to;
  int64_t element_bytes;
  int64_t columns;
  int64_t from_row, from_column, to_row, to_column;
  int64_t diagonal;
  bool upper;  // keep column >= row + diagonal; else column <= row + diagonal
};

// grad_in[o, p, k] = sum of grad_out[o, i, k, p - i * step] over the windows i that cover p. Contiguous on both sides.
struct Unfolded {
  const void* grad_out;  // [outer, windows, inner, size]
  void* grad_in;         // [outer, length, inner]
  DType dtype;
  int64_t outer, length, inner, windows, size, step;
};

struct TriangleKernels {
  void (*rows)(const Triangle& t, int64_t begin, int64_t end);
  // Planes [begin, end) of outer x length. Half types are summed in float32 and rounded once.
  void (*unfold_backward)(const Unfolded& u, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(TriangleKernels, triangle)

}  // namespace cann::kernels
