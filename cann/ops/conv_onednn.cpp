#include <algorithm>
#include <array>

#include "cann/ops/conv_pass.h"
#include "cann/ops/onednn_conv.h"
#include "cann/ops/scratch.h"

namespace cann::ops::conv {
namespace {

constexpr double kMacsPerUs = 6e4;

// The pass over some of the rows (of the groups, where there are several).
onednn::ConvShape shape_of(const Pass& p, int64_t groups, int64_t rows) {
  onednn::ConvShape s{};
  s.dtype = static_cast<int64_t>(p.dtype);
  s.backwards = p.window.transposed;
  s.bias = p.bias != nullptr;
  s.groups = groups;
  s.channels = p.channels;
  s.rows = rows;
  std::copy_n(p.source.size, 3, s.source_size);
  std::copy_n(p.target.size, 3, s.target_size);
  std::copy_n(p.window.taps, 3, s.taps);
  std::copy_n(p.window.stride, 3, s.stride);
  std::copy_n(p.window.padding, 3, s.padding);
  std::copy_n(p.window.dilation, 3, s.dilation);
  s.source_strides[0] = p.source.channel;
  s.target_strides[0] = p.target.channel;
  std::copy_n(p.source.stride, 3, s.source_strides + 1);
  std::copy_n(p.target.stride, 3, s.target_strides + 1);
  s.weight_group = p.weight_group;
  s.weight_row = p.weight_row;
  s.weight_channel = p.weight_channel;
  std::copy_n(p.weight_tap, 3, s.weight_tap);
  return s;
}

}  // namespace

std::optional<Launch> convolve_with_onednn(const Pass& p) {
  const double macs =
      static_cast<double>(p.batch) * p.groups * p.rows * pixels_of(p.target) * p.channels * p.window.count();
  const bool forward_bias = !p.bias || (p.bias_step == 1 && !p.window.transposed);
  // Making the primitives takes 1 to 5 ms.
  if (onednn::data_type(p.dtype) == 0 || macs < (p.dtype == DType::BFloat16 ? 1 << 22 : 1 << 24) || !forward_bias)
    return std::nullopt;

  // Parts of an image's channels, where there are few images: whole groups, or rows of the one group, by 32.
  const int64_t whole = p.groups > 1 ? p.groups : p.rows;
  const int64_t wanted = std::clamp<int64_t>(static_cast<int64_t>(macs / 4e6), 1, 8);
  const int64_t part = std::min(whole, std::max<int64_t>(32, pieces(pieces(whole, pieces(wanted, p.batch)), 32) * 32));
  const int64_t parts = pieces(whole, part), last = whole - (parts - 1) * part;
  struct Kind {
    onednn::ConvShape shape;
    const onednn::Convolution* convolution;
  } kinds[2];
  for (int is_last = 0; is_last < 2; ++is_last) {
    const int64_t size = is_last ? last : part;
    kinds[is_last].shape = p.groups > 1 ? shape_of(p, size, p.rows) : shape_of(p, 1, size);
    kinds[is_last].convolution = onednn::convolution(kinds[is_last].shape);
    if (!kinds[is_last].convolution) return std::nullopt;
  }
  const size_t weight_bytes = std::max(kinds[0].convolution->weight_bytes, kinds[1].convolution->weight_bytes);
  const double chunk_us = macs / kMacsPerUs / static_cast<double>(p.batch * parts);
  return Launch{
      Task(p.name, static_cast<float>(macs / kMacsPerUs),
           [p, kinds = std::array<Kind, 2>{kinds[0], kinds[1]}, part, parts, weight_bytes,
            chunk_us](TaskContext& context) -> Status {
             char* weights = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(context.workspace) + 63) / 64 * 64);
             // Elements from one part to the next.
             const bool by_group = p.groups > 1;
             const int64_t weight_step = part * (by_group ? p.weight_group : p.weight_row);
             const int64_t source_step = by_group ? part * p.channels * p.source.channel : 0;
             const int64_t row_step = part * (by_group ? p.rows : 1);
             FirstFailure failure;
             context.team.run(parts, [&](int64_t i) {
               const onednn::Primitive* copy = kinds[i + 1 == parts].convolution->read_weight;
               if (copy)
                 failure.note(
                     onednn::run_copy(*copy, moved(p.weight, i * weight_step, p.dtype), weights + i * weight_bytes));
             });
             const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(40 / chunk_us));
             context.team.for_ranges(p.batch * parts, grain, [&](int64_t from, int64_t to) {
               for (int64_t i = from; i < to; ++i) {
                 const int64_t n = i / parts, k = i % parts;
                 const Kind& kind = kinds[k + 1 == parts];
                 const onednn::Convolution& c = *kind.convolution;
                 void* scratch =
                     c.source_bytes + c.target_bytes ? thread_scratch(c.source_bytes + c.target_bytes) : nullptr;
                 failure.note(onednn::run_convolution(
                     c, kind.shape, moved(p.source.data, n * p.source.batch + k * source_step, p.dtype),
                     c.read_weight ? weights + k * weight_bytes : moved(p.weight, k * weight_step, p.dtype),
                     p.bias ? moved(p.bias, k * row_step, p.dtype) : nullptr,
                     moved(p.target.data, n * p.target.batch + k * row_step * p.target.channel, p.dtype), scratch));
               }
             });
             return failure.take();
           }),
      weight_bytes ? weight_bytes * static_cast<size_t>(parts) + 64 : 0};
}

}  // namespace cann::ops::conv
