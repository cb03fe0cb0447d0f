// Convolutions as matrix products whose right operand is gathered from the image while it is packed: no column buffer
// in memory. One, two and three dimensions are all three here (leading sizes 1); any stride, padding, dilation, layout;
// forward and transposed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

// Images of one group: sizes and strides (in elements) of depth, height, width.
struct Grid {
  const void* data;
  int64_t batch, channel;  // strides
  int64_t size[3], stride[3];
};

// Which pixel of the source a tap of the kernel reads for a pixel of the target: target * stride - padding + tap *
// dilation; transposed: the source pixel for which that gives the target, if there is one.
struct Window {
  int64_t taps[3], stride[3], padding[3], dilation[3];
  bool transposed;
  int64_t count() const { return taps[0] * taps[1] * taps[2]; }
};

// target[row, pixel] = bias[row] + sum over channels and taps of weight[row, channel, tap] * source[channel, the tap's
// pixel].
struct ConvTile {
  Grid source;  // at its batch entry and the group's first channel
  Window window;
  int64_t channels;
  const void* weight;  // at the first row of the tile
  int64_t weight_row, weight_channel, weight_tap[3];
  const void* bias;  // at the first row; null: none
  int64_t bias_step;
  int64_t grid[3];  // of the target
  int64_t rows, first_pixel, pixels;
  void* out;  // at the first row and pixel
  int64_t out_row, out_pixel;
  void* scratch;
};

// d_weight[row, channel, tap] = sum over batch entries and pixels of target[row, pixel] * source[channel, the tap's
// pixel].
struct ConvWeightTile {
  Grid source, target;  // target at the first row of the tile
  Window window;
  int64_t batch, channels;
  int64_t rows, first_col, cols;  // a column is channel * taps + tap
  void* out;                      // at the first row and column 0
  int64_t out_row, out_channel, out_tap[3];
  void* scratch;
};

// One channel convolved with its own taps, forward only.
struct DepthwisePlane {
  Grid source;
  Window window;
  const void* weight;
  int64_t weight_tap[3];
  const void* bias;
  int64_t grid[3];
  void* out;
  int64_t out_stride[3];
  void* scratch;  // depthwise_scratch_bytes()
};
static inline size_t depthwise_scratch_bytes(const Window& w, const int64_t* source, const int64_t* grid) {
  int64_t reach[3];
  for (int d = 0; d < 3; ++d) reach[d] = (grid[d] - 1) * w.stride[d] + (w.taps[d] - 1) * w.dilation[d] + 1;
  const int64_t plane = reach[0] * reach[1] * (reach[2] + w.stride[2]);
  return sizeof(double) * static_cast<size_t>(plane + source[2] + grid[2] + w.count() + 512);
}

// All channels convolved with their own taps, forward only, where the channels of a pixel lie side by side: rows of the
// target, (image, depth, height) as one number.
struct DepthwiseRows {
  Grid source;
  Window window;
  int64_t channels;
  const void* weight;
  int64_t weight_channel, weight_tap[3];
  const void* bias;  // null: none
  int64_t bias_step;
  int64_t grid[3];
  void* out;
  int64_t out_batch, out_stride[3];
  void* scratch;  // scratch_bytes()
  int64_t padded_channels() const { return (channels + 15) / 16 * 16; }
  size_t scratch_bytes() const {
    return sizeof(double) * static_cast<size_t>((window.count() + 1) * padded_channels());
  }
};

struct ConvKernels {
  bool (*supports)(DType);
  void (*convolve)(DType, const ConvTile&);  // rows <= kTileRows, pixels <= kTileCols; scratch: kGemmScratchBytes
  void (*weight_gradient)(DType, const ConvWeightTile&);
  void (*depthwise)(DType, const DepthwisePlane&);  // float32 and the half types, float64
  void (*depthwise_rows)(DType, const DepthwiseRows&, int64_t begin, int64_t end);  // the same types
  void (*sum_pixels)(DType, const Grid& images, int64_t batch, void* out);          // of one channel: the bias gradient
};

CANN_KERNEL_TABLE(ConvKernels, conv)

}  // namespace cann::kernels
