// Distances between points and their gradients, and the cross product, on dense operands in float32 or float64 (the
// tables' index is 0 or 1).
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

// x has rows of `dim` numbers, y has `others` of them.
struct DistanceShape {
  int64_t others, dim;
  double p;  // the norm's order: 0 counts, infinity takes the largest
};

struct GeometryKernels {
  // out[i, j] = |x_i - y_j|_p for rows [begin, end) of x
  void (*distance[2])(const void* x, const void* y, const DistanceShape&, void* out, int64_t begin, int64_t end);
  // dx_i = sum over j of grad[i, j] d|x_i - y_j|_p / dx_i. Where a distance is 0 it adds nothing.
  void (*distance_backward[2])(const void* grad, const void* x, const void* y, const void* distances,
                               const DistanceShape&, void* dx, int64_t begin, int64_t end);
  // out = a x b for `count` triples whose parts lie `inner` elements apart, groups [begin, end) of 3 inner elements.
  void (*cross[2])(const void* a, const void* b, int64_t inner, void* out, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(GeometryKernels, geometry)

}  // namespace cann::kernels
