// What conv.cpp reduces every convolution and every gradient of an input to, and the way of it that oneDNN takes.
#pragma once

#include <optional>

#include "cann/base/task.h"
#include "cann/kernels/conv/conv.h"

namespace cann::ops::conv {

// target = window(source) * weight, for every group: the forward convolution and the gradient of its input alike.
struct Pass {
  const char* name;
  DType dtype;
  int64_t batch, groups, channels, rows;  // channels and rows of one group
  kernels::Grid source, target;
  kernels::Window window;
  const void* weight;
  int64_t weight_group, weight_row, weight_channel, weight_tap[3];
  const void* bias;
  int64_t bias_step;
};

inline int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }
inline int64_t pixels_of(const kernels::Grid& g) { return g.size[0] * g.size[1] * g.size[2]; }
inline void* moved(const void* data, int64_t elements, DType dtype) {
  return const_cast<char*>(static_cast<const char*>(data) + elements * size_of(dtype));
}

// Large passes of float32 and the half types, an image (or some of its channels) a chunk. Nothing where oneDNN
// declines.
std::optional<Launch> convolve_with_onednn(const Pass& pass);

// Channels with taps of their own, one plane after the other. pre: !window.transposed, channels == 1
Launch depthwise_by_planes(const Pass& pass);
// All channels of a pixel at once. pre: as above, one row a group, and the channels of source and target lie side by
// side
Launch depthwise_by_rows(const Pass& pass);

}  // namespace cann::ops::conv
