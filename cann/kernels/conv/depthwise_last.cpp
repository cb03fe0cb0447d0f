// Channels convolved with taps of their own where the channels of a pixel lie side by side: a tap multiplies a row of
// channels by a row of its weights. Sums in float32 (float64), rounded once; pixels outside are left out.
#include "cann/kernels/conv/gather.h"
#include "cann/kernels/conv/table.h"

namespace cann::kernels::CANN_ISA {
namespace {

// kWide vectors of channels of one output pixel, whose taps begin at `at` of the source.
template <class S, class W, int kWide>
void convolve_channels(const DepthwiseRows& p, const Pixel& at, const S* image, const W* taps, const W* bias, S* out) {
  using L = Lanes<W>;
  const Window& w = p.window;
  typename L::Vector sums[kWide];
  for (int v = 0; v < kWide; ++v) sums[v] = L::load(bias + v * L::kCount);
  for (int64_t kd = 0; kd < w.taps[0]; ++kd) {
    const int64_t d = at.d + kd * w.dilation[0];
    if (d < 0 || d >= p.source.size[0]) continue;
    for (int64_t kh = 0; kh < w.taps[1]; ++kh) {
      const int64_t h = at.h + kh * w.dilation[1];
      if (h < 0 || h >= p.source.size[1]) continue;
      const S* row = image + d * p.source.stride[0] + h * p.source.stride[1];
      const W* tap = taps + (kd * w.taps[1] + kh) * w.taps[2] * p.padded_channels();
      for (int64_t kw = 0; kw < w.taps[2]; ++kw, tap += p.padded_channels()) {
        const int64_t x = at.w + kw * w.dilation[2];
        if (x < 0 || x >= p.source.size[2]) continue;
        const S* from = row + x * p.source.stride[2];
        for (int v = 0; v < kWide; ++v)
          sums[v] = L::multiply_add(load_wide<S, W>(from + v * L::kCount), L::load(tap + v * L::kCount), sums[v]);
      }
    }
  }
  W result[kWide * L::kCount];
  for (int v = 0; v < kWide; ++v) L::store(result + v * L::kCount, sums[v]);
  narrow(result, out, int64_t{kWide * L::kCount});
}

// The channels that fill no vector.
template <class S, class W>
void convolve_rest(const DepthwiseRows& p, const Pixel& at, const S* image, const W* taps, const W* bias, S* out,
                   int64_t channels) {
  const Window& w = p.window;
  for (int64_t c = 0; c < channels; ++c) {
    W sum = bias[c];
    for (int64_t k = 0; k < w.count(); ++k) {
      const int64_t d = at.d + k / (w.taps[1] * w.taps[2]) * w.dilation[0];
      const int64_t h = at.h + k / w.taps[2] % w.taps[1] * w.dilation[1], x = at.w + k % w.taps[2] * w.dilation[2];
      if (d < 0 || d >= p.source.size[0] || h < 0 || h >= p.source.size[1] || x < 0 || x >= p.source.size[2]) continue;
      const S* from = image + d * p.source.stride[0] + h * p.source.stride[1] + x * p.source.stride[2];
      sum += static_cast<W>(widen(from[c])) * taps[k * p.padded_channels() + c];
    }
    narrow(sum, out[c]);
  }
}

// taps[tap][channel], zeros behind the last channel; then the biases.
template <class S, class W>
void read_weights(const DepthwiseRows& p, W* taps) {
  const Window& w = p.window;
  const int64_t row = p.padded_channels();
  for (int64_t i = 0; i < (w.count() + 1) * row; ++i) taps[i] = W{};
  for (int64_t k = 0; k < w.count(); ++k)
    gather_row(static_cast<const S*>(p.weight) + k / (w.taps[1] * w.taps[2]) * p.weight_tap[0] +
                   k / w.taps[2] % w.taps[1] * p.weight_tap[1] + k % w.taps[2] * p.weight_tap[2],
               p.weight_channel, taps + k * row, p.channels);
  if (p.bias) gather_row(static_cast<const S*>(p.bias), p.bias_step, taps + w.count() * row, p.channels);
}

template <class S, class W>
void convolve_rows(const DepthwiseRows& p, int64_t begin, int64_t end) {
  constexpr int kVector = Lanes<W>::kCount, kMany = 4;
  W* taps = static_cast<W*>(p.scratch);
  read_weights<S, W>(p, taps);
  const W* bias = taps + p.window.count() * p.padded_channels();
  for (int64_t row = begin; row < end; ++row) {
    const int64_t h = row % p.grid[1], d = row / p.grid[1] % p.grid[0], n = row / p.grid[1] / p.grid[0];
    const S* image = static_cast<const S*>(p.source.data) + n * p.source.batch;
    S* out = static_cast<S*>(p.out) + n * p.out_batch + d * p.out_stride[0] + h * p.out_stride[1];
    for (int64_t x = 0; x < p.grid[2]; ++x, out += p.out_stride[2]) {
      const Window& w = p.window;
      const Pixel at{d * w.stride[0] - w.padding[0], h * w.stride[1] - w.padding[1], x * w.stride[2] - w.padding[2]};
      int64_t c = 0;
      for (; c + kMany * kVector <= p.channels; c += kMany * kVector)
        convolve_channels<S, W, kMany>(p, at, image + c, taps + c, bias + c, out + c);
      for (; c + kVector <= p.channels; c += kVector)
        convolve_channels<S, W, 1>(p, at, image + c, taps + c, bias + c, out + c);
      if (c < p.channels) convolve_rest<S, W>(p, at, image + c, taps + c, bias + c, out + c, p.channels - c);
    }
  }
}

}  // namespace

void depthwise_rows(DType dtype, const DepthwiseRows& p, int64_t begin, int64_t end) {
  if (dtype == DType::Float16)
    convolve_rows<Half, float>(p, begin, end);
  else if (dtype == DType::BFloat16)
    convolve_rows<BFloat16, float>(p, begin, end);
  else if (dtype == DType::Float64)
    convolve_rows<double, double>(p, begin, end);
  else
    convolve_rows<float, float>(p, begin, end);
}

}  // namespace cann::kernels::CANN_ISA
