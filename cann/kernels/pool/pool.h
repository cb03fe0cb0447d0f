// Windows over planes. Two dimensions count as three with a depth of one. Operands are dense, [planes, depth, height,
// width], in float, double or int64: the tables' index is 0, 1 or 2.
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

struct Extent {
  int64_t d, h, w;
  int64_t count() const { return d * h * w; }
};

struct WindowShape {
  int64_t planes;
  Extent in, out, kernel, stride, pad, dilation;
  bool count_include_pad;
  int64_t divisor;  // 0: the window's size
};

// Adaptive windows of output i of n over m inputs: [floor(i m / n), ceil((i + 1) m / n)).
struct AdaptiveShape {
  int64_t planes;
  Extent in, out;
};

struct PoolKernels {
  // y and the flat index in the plane of the first largest element; a NaN is larger than all.
  void (*max_pool[3])(const void* x, const WindowShape&, void* y, int64_t* indices, int64_t begin_plane,
                      int64_t end_plane);
  // The same over dense [images, depth, height, width, channels] in float and double; by rows of the output.
  void (*max_pool_last[2])(const void* x, const WindowShape&, int64_t channels, void* y, int64_t* indices,
                           int64_t begin_row, int64_t end_row);
  void (*avg_pool_last[2])(const void* x, const WindowShape&, int64_t channels, void* y, int64_t begin_row,
                           int64_t end_row);
  void (*adaptive_avg_last[2])(const void* x, const AdaptiveShape&, int64_t channels, void* y, int64_t begin_row,
                               int64_t end_row);
  void (*avg_pool[3])(const void* x, const WindowShape&, void* y, int64_t begin_plane, int64_t end_plane);
  void (*avg_pool_backward[3])(const void* dy, const WindowShape&, void* dx, int64_t begin_plane, int64_t end_plane);
  void (*adaptive_max[3])(const void* x, const AdaptiveShape&, void* y, int64_t* indices, int64_t begin_plane,
                          int64_t end_plane);
  void (*adaptive_avg[3])(const void* x, const AdaptiveShape&, void* y, int64_t begin_plane, int64_t end_plane);
  void (*adaptive_avg_backward[3])(const void* dy, const AdaptiveShape&, void* dx, int64_t begin_plane,
                                   int64_t end_plane);
  // dx = 0, then dx[indices[i]] += dy[i]; planes of `in` and `out` elements. False if an index lies outside.
  bool (*scatter[3])(const void* dy, const int64_t* indices, int64_t in, int64_t out, bool add, void* dx,
                     int64_t begin_plane, int64_t end_plane);
  // dx[i] = dy[indices[i]]; false if an index lies outside
  bool (*gather[3])(const void* dy, const int64_t* indices, int64_t in, int64_t out, void* dx, int64_t begin_plane,
                    int64_t end_plane);
};
CANN_KERNEL_TABLE(PoolKernels, pool)

}  // namespace cann::kernels
