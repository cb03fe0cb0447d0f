// Resampling of dense planes. A map gives for each place along an axis the place it reads: nearest-neighbour upsampling
// is one for each axis; linear and cubic upsampling are weighted sums, axis by axis.
#pragma once

#include <cstdint>

#include "cann/kernels/pool/pool.h"

namespace cann::kernels {

struct RemapShape {
  Extent in, out;
  const int64_t *d, *h, *w;  // maps of out.d, out.h and out.w places
};

// Along the middle axis of [outer, in, inner]: y[o, j, i] = sum over k < taps of weights[k, j] x[o, places[k, j], i].
struct ResampleShape {
  int64_t in, out, inner, taps;
  const int64_t* places;
  const void* weights;  // of the compute type
};

// Index: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1 border, 2 reflection: PyTorch's numbers.
struct GridShape {
  int64_t channels;
  Extent in, out;
  int interpolation, padding;
  bool align_corners;
};

struct ResampleKernels {
  // y[p, out] = x[p, map(out)]; by element size 1, 2, 4, 8, 16.
  void (*remap[5])(const void* x, const RemapShape&, void* y, int64_t begin_plane, int64_t end_plane);
  // dx = 0, then dx[p, map(out)] += dy[p, out]; float, double, int64, complex float, complex double.
  void (*remap_backward[5])(const void* dy, const RemapShape&, void* dx, int64_t begin_plane, int64_t end_plane);
  // float, double
  void (*resample[2])(const void* x, const ResampleShape&, void* y, int64_t begin_outer, int64_t end_outer);
  void (*resample_backward[2])(const void* dy, const ResampleShape&, void* dx, int64_t begin_outer, int64_t end_outer);
  // x [N, C, (d,) h, w], grid [N, out, 2 or 3]; samples [begin, end) of N. dims: 2 or 3.
  void (*grid[2])(int dims, const void* x, const void* grid, const GridShape&, void* y, int64_t begin, int64_t end);
  // dx (may be null) is cleared first; dgrid may be null.
  void (*grid_backward[2])(int dims, const void* dy, const void* x, const void* grid, const GridShape&, void* dx,
                           void* dgrid, int64_t begin, int64_t end);
  // columns [N, C kh kw, oh ow] from x [N, C, h, w] and back; s.planes counts C. By element size; backward as
  // remap_backward.
  void (*im2col[5])(const void* x, const WindowShape&, void* columns, int64_t begin, int64_t end);
  void (*col2im[5])(const void* columns, const WindowShape&, void* x, int64_t begin, int64_t end);
  // Slices [begin, end) of the middle axis of [outer, n, inner] whose p-norm exceeds the largest are scaled to it.
  void (*renorm[2])(const void* x, int64_t outer, int64_t n, int64_t inner, double p, double largest, void* y,
                    int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(ResampleKernels, resample)

}  // namespace cann::kernels
