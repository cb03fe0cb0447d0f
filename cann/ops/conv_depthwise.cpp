#include <algorithm>

#include "cann/ops/conv_pass.h"
#include "cann/ops/scratch.h"

namespace cann::ops::conv {
namespace {

using kernels::DepthwisePlane;

constexpr double kChunkUs = 40;

}  // namespace

Launch depthwise_by_planes(const Pass& p) {
  const int64_t planes = p.batch * p.groups * p.rows;
  const double plane_us = 1 + static_cast<double>(pixels_of(p.target)) * (p.window.count() + 8) / 1e4;
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kChunkUs / plane_us));
  return {
      Task(p.name, static_cast<float>(plane_us * planes),
           [p, planes, grain](TaskContext& context) {
             context.team.for_ranges(planes, grain, [&](int64_t from, int64_t to) {
               void* scratch = thread_scratch(kernels::depthwise_scratch_bytes(p.window, p.source.size, p.target.size));
               for (int64_t i = from; i < to; ++i) {
                 const int64_t n = i / (p.groups * p.rows), channel = i % (p.groups * p.rows), group = channel / p.rows;
                 DepthwisePlane plane{};
                 plane.source = p.source;
                 plane.source.data = moved(p.source.data, n * p.source.batch + group * p.source.channel, p.dtype);
                 plane.window = p.window;
                 plane.weight = moved(p.weight, group * p.weight_group + channel % p.rows * p.weight_row, p.dtype);
                 std::copy_n(p.weight_tap, 3, plane.weight_tap);
                 if (p.bias) plane.bias = moved(p.bias, channel * p.bias_step, p.dtype);
                 std::copy_n(p.target.size, 3, plane.grid);
                 plane.out = moved(p.target.data, n * p.target.batch + channel * p.target.channel, p.dtype);
                 std::copy_n(p.target.stride, 3, plane.out_stride);
                 plane.scratch = scratch;
                 kernels::conv().depthwise(p.dtype, plane);
               }
             });
           }),
      0};
}

Launch depthwise_by_rows(const Pass& p) {
  kernels::DepthwiseRows r{};
  r.source = p.source;
  r.window = p.window;
  r.channels = p.groups;
  r.weight = p.weight;
  r.weight_channel = p.weight_group;
  std::copy_n(p.weight_tap, 3, r.weight_tap);
  r.bias = p.bias;
  r.bias_step = p.bias_step;
  std::copy_n(p.target.size, 3, r.grid);
  r.out = const_cast<void*>(p.target.data);
  r.out_batch = p.target.batch;
  std::copy_n(p.target.stride, 3, r.out_stride);
  const int64_t rows = p.batch * r.grid[0] * r.grid[1];
  const double row_us = static_cast<double>(r.grid[2] * r.channels * r.window.count()) / 1e4;
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kChunkUs / row_us));
  return {Task(p.name, static_cast<float>(1 + row_us * rows),
               [r, rows, grain, dtype = p.dtype](TaskContext& context) {
                 context.team.for_ranges(rows, grain, [&](int64_t begin, int64_t end) {
                   kernels::DepthwiseRows mine = r;
                   mine.scratch = thread_scratch(r.scratch_bytes());
                   kernels::conv().depthwise_rows(dtype, mine, begin, end);
                 });
               }),
          0};
}

}  // namespace cann::ops::conv
