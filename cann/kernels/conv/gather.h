// The pixels that one tap reads, for a run of target pixels. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/conv/conv.h"
#include "cann/kernels/matmul/gemm_tile.h"

namespace cann::kernels::CANN_ISA {

struct Pixel {
  int64_t d, h, w;
};
static inline Pixel pixel_at(const int64_t* grid, int64_t index) {
  return {index / (grid[1] * grid[2]), index / grid[2] % grid[1], index % grid[2]};
}

// The source coordinate that `tap` reads for `target`, or -1.
static inline int64_t source_of(const Window& w, int dim, int64_t target, int64_t tap, int64_t size) {
  int64_t i;
  if (w.transposed) {
    i = target + w.padding[dim] - tap * w.dilation[dim];
    if (i < 0 || i % w.stride[dim]) return -1;
    i /= w.stride[dim];
  } else {
    i = target * w.stride[dim] - w.padding[dim] + tap * w.dilation[dim];
  }
  return i >= 0 && i < size ? i : -1;
}

// to[0..n) = the source's values for target columns w0 .. w0 + n of one row; `row` is the source row's first element.
template <class S, class W>
static inline void gather_columns(const Window& w, const S* row, int64_t step, int64_t size, int64_t tap, int64_t w0,
                                  int64_t n, W* to) {
  const int64_t stride = w.stride[2];
  if (w.transposed) {
    for (int64_t i = 0; i < n; ++i) to[i] = W{};
    const int64_t offset = w0 + w.padding[2] - tap * w.dilation[2];  // source = (i + offset) / stride
    int64_t first = offset >= 0 ? (stride - offset % stride) % stride : -offset;
    for (int64_t i = first; i < n; i += stride) {
      const int64_t source = (i + offset) / stride;
      if (source >= size) break;
      to[i] = static_cast<W>(widen(row[source * step]));
    }
    return;
  }
  const int64_t offset = w0 * stride - w.padding[2] + tap * w.dilation[2];  // source = i * stride + offset
  int64_t begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int64_t end = offset >= size ? 0 : (size - 1 - offset) / stride + 1;
  if (begin > n) begin = n;
  if (end > n) end = n;
  if (end < begin) end = begin;
  for (int64_t i = 0; i < begin; ++i) to[i] = W{};
  if (begin < end) gather_row(row + (begin * stride + offset) * step, stride * step, to + begin, end - begin);
  for (int64_t i = end; i < n; ++i) to[i] = W{};
}

// to[0..n) = what the tap (kd, kh, kw) reads of one channel for the target pixels from `at` on.
template <class S, class W>
static inline void gather_pixels(const Grid& source, const S* channel, const Window& w, const int64_t* grid, int64_t kd,
                                 int64_t kh, int64_t kw, Pixel at, int64_t n, W* to) {
  while (n > 0) {
    const int64_t run = lesser(n, grid[2] - at.w);
    const int64_t d = source_of(w, 0, at.d, kd, source.size[0]), h = source_of(w, 1, at.h, kh, source.size[1]);
    if (d < 0 || h < 0) {
      for (int64_t i = 0; i < run; ++i) to[i] = W{};
    } else {
      gather_columns(w, channel + d * source.stride[0] + h * source.stride[1], source.stride[2], source.size[2], kw,
                     at.w, run, to);
    }
    to += run;
    n -= run;
    at.w = 0;
    if (++at.h == grid[1]) at.h = 0, ++at.d;
  }
}

// Walks (channel, kd, kh, kw), the last fastest.
struct TapWalk {
  int64_t channel, k[3];
  static inline TapWalk start(const Window& w, int64_t index) {
    const int64_t tap = index % w.count();
    return {index / w.count(), {tap / (w.taps[1] * w.taps[2]), tap / w.taps[2] % w.taps[1], tap % w.taps[2]}};
  }
  inline void next(const Window& w) {
    if (++k[2] < w.taps[2]) return;
    k[2] = 0;
    if (++k[1] < w.taps[1]) return;
    k[1] = 0;
    if (++k[0] < w.taps[0]) return;
    k[0] = 0;
    ++channel;
  }
};

}  // namespace cann::kernels::CANN_ISA
