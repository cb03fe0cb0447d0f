// Normalisation kernels on dense operands. Statistics and parameters are in the compute type (float32; float64 for
// float64). Tables are indexed by type: float32, float64, float16, bfloat16.
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

// x and y are [rows, n]; weight and bias [n] or null; mean and rstd [rows] or null.
struct LayerNormForward {
  const void *x, *weight, *bias;
  void *y, *mean, *rstd;
  int64_t n;
  double eps;
};
// dx may be null; dweight and dbias are this call's partial sums, [n] of the compute type, or null: they are
// overwritten.
struct LayerNormBackward {
  const void *dy, *x, *mean, *rstd, *weight;
  void* dx;
  int64_t n;
};

// x is [batch, groups, channels, spatial]; weight and bias [groups * channels] or null. A unit is one (batch, group).
struct GroupNormForward {
  const void *x, *weight, *bias;
  void *y, *mean, *rstd;
  int64_t groups, channels, spatial;
  double eps;
};
// sum_dy and sum_dy_xhat are results, [batch, groups * channels].
struct GroupNormBackward {
  const void *dy, *x, *mean, *rstd, *weight;
  void *dx, *sum_dy, *sum_dy_xhat;
  int64_t groups, channels, spatial;
};

// x is [batch, channels, spatial] (planes) or, with the channels last, [batch, channels] (columns).
struct ChannelShape {
  int64_t batch, channels, spatial;
};

struct NormKernels {
  void (*layer_norm[4])(const LayerNormForward&, int64_t begin_row, int64_t end_row);
  void (*rms_norm[4])(const LayerNormForward&, int64_t begin_row, int64_t end_row);
  void (*layer_norm_backward[4])(const LayerNormBackward&, void* dweight, void* dbias, int64_t begin_row,
                                 int64_t end_row);
  void (*rms_norm_backward[4])(const LayerNormBackward&, void* dweight, int64_t begin_row, int64_t end_row);
  // out[i] = sum over k of partials[k, i], for i in [begin, end)
  void (*add_partials[2])(const void* partials, int64_t count, int64_t n, void* out, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(NormKernels, norm)

struct GroupNormKernels {
  void (*forward[4])(const GroupNormForward&, int64_t begin, int64_t end);
  void (*backward[4])(const GroupNormBackward&, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(GroupNormKernels, group_norm)

// Batch norm in pieces; results are in the compute type, one for each channel.
struct ChannelKernels {
  // Planes: channels [begin, end) in full.
  void (*plane_moments[4])(const void* x, const ChannelShape&, void* mean, void* var, int64_t begin, int64_t end);
  // sum dy and sum dy (x - mean) scale
  void (*plane_dots[4])(const void* dy, const void* x, const ChannelShape&, const void* mean, const void* scale,
                        void* sum_dy, void* sum_dy_xhat, int64_t begin, int64_t end);
  // y = a[c] x + b[c] on planes [begin, end) of batch * channels
  void (*plane_affine[4])(const void* x, const ChannelShape&, const void* a, const void* b, void* y, int64_t begin,
                          int64_t end);
  // dx = a[c] dy + b[c] x + d[c]
  void (*plane_affine2[4])(const void* dy, const void* x, const ChannelShape&, const void* a, const void* b,
                           const void* d, void* dx, int64_t begin, int64_t end);
  // Columns: sums over rows [begin, end), [channels] each, overwritten. mean null: sum x; else sum (x - mean)^2.
  void (*column_sums[4])(const void* x, int64_t channels, const void* mean, void* out, int64_t begin, int64_t end);
  void (*column_dots[4])(const void* dy, const void* x, int64_t channels, const void* mean, const void* scale,
                         void* sum_dy, void* sum_dy_xhat, int64_t begin, int64_t end);
  void (*column_affine[4])(const void* x, int64_t channels, const void* a, const void* b, void* y, int64_t begin,
                           int64_t end);
  void (*column_affine2[4])(const void* dy, const void* x, int64_t channels, const void* a, const void* b,
                            const void* d, void* dx, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(ChannelKernels, channel)

}  // namespace cann::kernels
