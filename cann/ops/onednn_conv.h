// Convolutions through oneDNN: one image (or a part of its channels) a call, in the layouts oneDNN prefers, with the
// copies into and out of them as primitives of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cann/ops/onednn.h"

namespace cann::ops::onednn {

// All fields are numbers of one width: the shape is hashed as it lies. Channels and rows are a group's.
struct ConvShape {
  int64_t dtype, backwards, bias, groups, channels, rows;
  int64_t source_size[3], target_size[3], taps[3], stride[3], padding[3], dilation[3];
  int64_t source_strides[4], target_strides[4];  // channel, then space
  int64_t weight_group, weight_row, weight_channel, weight_tap[3];
  bool operator==(const ConvShape&) const = default;
};

struct Convolution {
  const Primitive* primitive;
  // Copies between the caller's layout and oneDNN's; null where they agree.
  const Primitive *read_source, *read_weight, *write_target;
  size_t source_bytes, weight_bytes, target_bytes;  // of oneDNN's layouts, rounded up to 64; 0 where there is no copy
};

// Forward: target = window(source) * weight + bias. Backwards: the gradient of a forward's input, where target has the
// input's size. Null: oneDNN has no fast implementation for it.
const Convolution* convolution(const ConvShape& shape);

// weight in oneDNN's layout (read_weight's result). scratch: source_bytes + target_bytes, aligned to 64.
Status run_convolution(const Convolution& c, const ConvShape& shape, const void* source, const void* weight,
                       const void* bias, void* target, void* scratch);
Status run_copy(const Primitive& copy, const void* from, void* to);

}  // namespace cann::ops::onednn
