// A tile of a convolution and of its weights' gradient. Sums in float32 (float64) in blocks of kTileDepth terms,
// rounded once; padding reads zeros, so an infinite weight over it gives NaN, as PyTorch's products do.
#include "cann/kernels/conv/gather.h"
#include "cann/kernels/conv/table.h"
#include "cann/kernels/matmul/wrapping.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class S, class W>
void convolve_tile(const ConvTile& t) {
  constexpr int kCols = kPanelCols<W>;
  const int64_t depth_total = t.channels * t.window.count(), sums_row = round_up(t.pixels, kCols);
  W* sums = static_cast<W*>(t.scratch);
  W* rows = sums + kTileRows * kTileCols;
  W* panels = rows + kTileRows * kPackedRow;
  const S* weight = static_cast<const S*>(t.weight);
  const S* source = static_cast<const S*>(t.source.data);
  if (depth_total == 0)
    for (int64_t i = 0; i < t.rows * sums_row; ++i) sums[i] = W{};
  for (int64_t p = 0; p < depth_total; p += kTileDepth) {
    const int64_t depth = lesser(kTileDepth, depth_total - p);
    int64_t offsets[kTileDepth];
    bool together = true;  // the depth's weights lie side by side
    TapWalk walk = TapWalk::start(t.window, p);
    for (int64_t q = 0; q < depth; ++q, walk.next(t.window)) {
      offsets[q] = walk.channel * t.weight_channel + walk.k[0] * t.weight_tap[0] + walk.k[1] * t.weight_tap[1] +
                   walk.k[2] * t.weight_tap[2];
      together &= offsets[q] == offsets[0] + q;
    }
    for (int64_t r = 0; r < t.rows; ++r) {
      const S* from = weight + r * t.weight_row;
      W* to = rows + r * kPackedRow;
      if (together)
        widen(from + offsets[0], to, depth);
      else
        for (int64_t q = 0; q < depth; ++q) to[q] = static_cast<W>(widen(from[offsets[q]]));
    }
    for (int64_t j = 0; j < t.pixels; j += kCols) {
      const int64_t width = lesser(kCols, t.pixels - j);
      const Pixel at = pixel_at(t.grid, t.first_pixel + j);
      walk = TapWalk::start(t.window, p);
      W* to = panels + j * depth;
      for (int64_t q = 0; q < depth; ++q, walk.next(t.window), to += kCols) {
        gather_pixels(t.source, source + walk.channel * t.source.channel, t.window, t.grid, walk.k[0], walk.k[1],
                      walk.k[2], at, width, to);
        for (int64_t c = width; c < kCols; ++c) to[c] = W{};
      }
    }
    for (int64_t j = 0; j < t.pixels; j += kCols)
      for (int64_t i = 0; i < t.rows; i += kRegisterRows)
        multiply_rows<W>(lesser(kRegisterRows, t.rows - i), depth, rows + i * kPackedRow, kPackedRow, 1,
                         panels + j * depth, kCols, sums + i * sums_row + j, sums_row, p == 0);
  }
  GemmTile finish{};
  finish.m = t.rows;
  finish.n = t.pixels;
  finish.c = t.bias;
  finish.c_row = t.bias_step;
  finish.out = t.out;
  finish.out_row = t.out_row;
  finish.out_col = t.out_pixel;
  if (t.out_pixel == 1 || t.out_row != 1) {
    for (int64_t i = 0; i < t.rows; ++i) finish_row<S>(finish, i, sums + i * sums_row, panels);
    return;
  }
  W line[kTileRows], bias[kTileRows] = {};  // channels last: one pixel's channels at a time
  if (t.bias) gather_row(static_cast<const S*>(t.bias), t.bias_step, bias, t.rows);
  for (int64_t j = 0; j < t.pixels; ++j) {
    for (int64_t i = 0; i < t.rows; ++i) line[i] = sums[i * sums_row + j] + bias[i];
    narrow(line, static_cast<S*>(t.out) + j * t.out_pixel, t.rows);
  }
}

template <class S, class W>
void weight_gradient_tile(const ConvWeightTile& t) {
  constexpr int kCols = kPanelCols<W>;
  const int64_t* grid = t.target.size;
  const int64_t pixels = grid[0] * grid[1] * grid[2], sums_row = round_up(t.cols, kCols);
  W* sums = static_cast<W*>(t.scratch);
  W* rows = sums + kTileRows * kTileCols;
  W* panels = rows + kTileRows * kPackedRow;
  for (int64_t i = 0; i < t.rows * sums_row; ++i) sums[i] = W{};
  // The identity window reads the target's own pixels, run by run, whatever its strides.
  const Window same{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false};
  for (int64_t n = 0; n < t.batch; ++n) {
    const S* source = static_cast<const S*>(t.source.data) + n * t.source.batch;
    const S* target = static_cast<const S*>(t.target.data) + n * t.target.batch;
    for (int64_t p = 0; p < pixels; p += kTileDepth) {
      const int64_t depth = lesser(kTileDepth, pixels - p);
      const Pixel at = pixel_at(grid, p);
      for (int64_t r = 0; r < t.rows; ++r)
        gather_pixels(t.target, target + r * t.target.channel, same, grid, 0, 0, 0, at, depth, rows + r * kPackedRow);
      TapWalk walk = TapWalk::start(t.window, t.first_col);
      constexpr int64_t kLines = Lanes<W>::kCount;  // kCols is a multiple of it
      W lines[kLines * kPackedRow];
      for (int64_t j = 0; j < sums_row; j += kLines) {
        for (int64_t q = 0; q < kLines; ++q) {
          W* line = lines + q * kPackedRow;
          if (j + q >= t.cols) {
            for (int64_t i = 0; i < depth; ++i) line[i] = W{};
            continue;
          }
          gather_pixels(t.source, source + walk.channel * t.source.channel, t.window, grid, walk.k[0], walk.k[1],
                        walk.k[2], at, depth, line);
          walk.next(t.window);
        }
        pack_transposed(lines, kPackedRow, kLines, depth, panels + j / kCols * kCols * depth + j % kCols, kCols);
      }
      for (int64_t j = 0; j < t.cols; j += kCols)
        for (int64_t i = 0; i < t.rows; i += kRegisterRows)
          multiply_rows<W>(lesser(kRegisterRows, t.rows - i), depth, rows + i * kPackedRow, kPackedRow, 1,
                           panels + j * depth, kCols, sums + i * sums_row + j, sums_row, false);
    }
  }
  TapWalk walk = TapWalk::start(t.window, t.first_col);
  for (int64_t j = 0; j < t.cols; ++j, walk.next(t.window)) {
    S* to = static_cast<S*>(t.out) + walk.channel * t.out_channel + walk.k[0] * t.out_tap[0] +
            walk.k[1] * t.out_tap[1] + walk.k[2] * t.out_tap[2];
    for (int64_t i = 0; i < t.rows; ++i) narrow(sums[i * sums_row + j], to[i * t.out_row]);
  }
}

// Lanes side by side, then by halves: close to a pairwise sum.
template <class S, class W>
void sum_all(const Grid& images, int64_t batch, void* out) {
  const int64_t pixels = images.size[0] * images.size[1] * images.size[2];
  const Window same{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false};
  W total{};
  for (int64_t n = 0; n < batch; ++n) {
    const S* image = static_cast<const S*>(images.data) + n * images.batch;
    W of_image{};
    for (int64_t p = 0; p < pixels; p += kTileDepth) {
      W line[kTileDepth], lanes[16] = {};
      const int64_t depth = lesser(kTileDepth, pixels - p);
      gather_pixels(images, image, same, images.size, 0, 0, 0, pixel_at(images.size, p), depth, line);
      for (int64_t i = depth; i < round_up(depth, 16); ++i) line[i] = W{};
      for (int64_t i = 0; i < depth; i += 16)
        for (int l = 0; l < 16; ++l) lanes[l] += line[i + l];
      for (int width = 8; width > 0; width /= 2)
        for (int l = 0; l < width; ++l) lanes[l] += lanes[l + width];
      of_image += lanes[0];
    }
    total += of_image;
  }
  narrow(total, *static_cast<S*>(out));
}

// Calls f with the storage and the compute type of a dtype.
template <class F>
void with_types(DType dtype, F&& f) {
  switch (dtype) {
    case DType::Float32: return f(float{}, float{});
    case DType::Float16: return f(Half{}, float{});
    case DType::BFloat16: return f(BFloat16{}, float{});
    case DType::Float64: return f(double{}, double{});
    case DType::Int64: return f(Wrapping<int64_t>{}, uint64_t{});
    case DType::Int32: return f(Wrapping<int32_t>{}, uint32_t{});
    case DType::Int16: return f(Wrapping<int16_t>{}, uint32_t{});
    case DType::Int8: return f(Wrapping<int8_t>{}, uint32_t{});
    case DType::UInt8: return f(Wrapping<uint8_t>{}, uint32_t{});
    default: return;
  }
}

bool supports(DType dtype) {
  bool known = false;
  with_types(dtype, [&](auto, auto) { known = true; });
  return known;
}
void convolve(DType dtype, const ConvTile& t) {
  with_types(dtype, [&](auto s, auto w) { convolve_tile<decltype(s), decltype(w)>(t); });
}
void weight_gradient(DType dtype, const ConvWeightTile& t) {
  with_types(dtype, [&](auto s, auto w) { weight_gradient_tile<decltype(s), decltype(w)>(t); });
}
void sum_pixels(DType dtype, const Grid& images, int64_t batch, void* out) {
  with_types(dtype, [&](auto s, auto w) { sum_all<decltype(s), decltype(w)>(images, batch, out); });
}

}  // namespace

extern const ConvKernels conv_table{supports, convolve, weight_gradient, depthwise, depthwise_rows, sum_pixels};

}  // namespace cann::kernels::CANN_ISA
