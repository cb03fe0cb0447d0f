// Pooling where the channels of a pixel lie side by side: a tap is a row of channels, compared with or added to the
// output's. In float and double; the largest element, its index and the divisors as in pool.cpp.
#include "cann/kernels/pool/windows.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr int64_t kChannels = 256;  // held at once

// Calls f(x, y) for each stretch of channels of each output pixel in rows [begin, end): where the stretch begins in the
// image, in the output, how long it is, and the window. A row is the outputs of one (image, d, h).
template <class Shape, class WindowOf, class F>
void for_pixels(const Shape& s, int64_t channels, int64_t begin, int64_t end, WindowOf window_of, F f) {
  for (int64_t row = begin; row < end; ++row) {
    const int64_t h = row % s.out.h, d = row / s.out.h % s.out.d, image = row / s.out.h / s.out.d;
    const Window wd = window_of(s.in.d, s.out.d, d, 0), wh = window_of(s.in.h, s.out.h, h, 1);
    for (int64_t w = 0; w < s.out.w; ++w)
      for (int64_t c = 0; c < channels; c += kChannels)
        f(image * s.in.count() * channels + c, (row * s.out.w + w) * channels + c, smaller(kChannels, channels - c), wd,
          wh, window_of(s.in.w, s.out.w, w, 2));
  }
}

int64_t part(const Extent& e, int dim) { return dim == 0 ? e.d : dim == 1 ? e.h : e.w; }

// The taps of window `o` that lie inside, `step` apart.
auto taps_of(const WindowShape& s) {
  return [&s](int64_t in, int64_t, int64_t o, int dim) {
    const int64_t step = part(s.dilation, dim);
    int64_t begin = o * part(s.stride, dim) - part(s.pad, dim), end = begin + (part(s.kernel, dim) - 1) * step + 1;
    if (begin < 0) begin += round_up_div(-begin, step) * step;
    return Window{begin, smaller(end, in), 0};
  };
}

template <class A>
void take_larger(const A* __restrict x, int64_t count, int32_t index, A* __restrict best, int32_t* __restrict where) {
  for (int64_t i = 0; i < count; ++i) {
    const A v = x[i];
    const bool better = (v > best[i]) | (v != v);
    best[i] = better ? v : best[i];
    where[i] = better ? index : where[i];
  }
}

template <class A>
void max_pool_last(const void* x, const WindowShape& s, int64_t channels, void* y, int64_t* indices, int64_t begin,
                   int64_t end) {
  alignas(64) A best[kChannels];
  alignas(64) int32_t where[kChannels];
  for_pixels(s, channels, begin, end, taps_of(s),
             [&](int64_t from, int64_t to, int64_t count, const Window& d, const Window& h, const Window& w) {
               // The first place inside: the index if nothing is larger than -inf.
               const int32_t top = static_cast<int32_t>((d.begin * s.in.h + h.begin) * s.in.w + w.begin);
               for (int64_t i = 0; i < count; ++i) best[i] = lowest<A>(), where[i] = top;
               for (int64_t z = d.begin; z < d.end; z += s.dilation.d)
                 for (int64_t v = h.begin; v < h.end; v += s.dilation.h)
                   for (int64_t u = w.begin; u < w.end; u += s.dilation.w) {
                     const int64_t pixel = (z * s.in.h + v) * s.in.w + u;
                     take_larger(static_cast<const A*>(x) + from + pixel * channels, count, static_cast<int32_t>(pixel),
                                 best, where);
                   }
               for (int64_t i = 0; i < count; ++i) static_cast<A*>(y)[to + i] = best[i];
               for (int64_t i = 0; i < count; ++i) indices[to + i] = where[i];
             });
}

template <class A, class Shape, class WindowOf>
void average_last(const void* x, const Shape& s, int64_t channels, void* y, int64_t begin, int64_t end,
                  WindowOf window_of) {
  alignas(64) A sum[kChannels];
  for_pixels(s, channels, begin, end, window_of,
             [&](int64_t from, int64_t to, int64_t count, const Window& d, const Window& h, const Window& w) {
               for (int64_t i = 0; i < count; ++i) sum[i] = 0;
               for (int64_t z = d.begin; z < d.end; ++z)
                 for (int64_t v = h.begin; v < h.end; ++v)
                   for (int64_t u = w.begin; u < w.end; ++u) {
                     const A* __restrict tap =
                         static_cast<const A*>(x) + from + ((z * s.in.h + v) * s.in.w + u) * channels;
                     for (int64_t i = 0; i < count; ++i) sum[i] += tap[i];
                   }
               const A divisor = is_empty(d, h, w) ? A(1) : divisor_of<A>(s, d, h, w);
               for (int64_t i = 0; i < count; ++i) static_cast<A*>(y)[to + i] = sum[i] / divisor;
             });
}

template <class A>
void avg_pool_last(const void* x, const WindowShape& s, int64_t channels, void* y, int64_t begin, int64_t end) {
  average_last<A>(x, s, channels, y, begin, end, [&s](int64_t in, int64_t, int64_t o, int dim) {
    return window_at(o, part(s.stride, dim), part(s.pad, dim), part(s.kernel, dim), in);
  });
}

template <class A>
void adaptive_avg_last(const void* x, const AdaptiveShape& s, int64_t channels, void* y, int64_t begin, int64_t end) {
  average_last<A>(x, s, channels, y, begin, end,
                  [](int64_t in, int64_t out, int64_t o, int) { return adaptive_at(o, out, in); });
}

}  // namespace

void max_pool_last_f32(const void* x, const WindowShape& s, int64_t channels, void* y, int64_t* indices, int64_t begin,
                       int64_t end) {
  max_pool_last<float>(x, s, channels, y, indices, begin, end);
}
void max_pool_last_f64(const void* x, const WindowShape& s, int64_t channels, void* y, int64_t* indices, int64_t begin,
                       int64_t end) {
  max_pool_last<double>(x, s, channels, y, indices, begin, end);
}
void avg_pool_last_f32(const void* x, const WindowShape& s, int64_t channels, void* y, int64_t begin, int64_t end) {
  avg_pool_last<float>(x, s, channels, y, begin, end);
}
void avg_pool_last_f64(const void* x, const WindowShape& s, int64_t channels, void* y, int64_t begin, int64_t end) {
  avg_pool_last<double>(x, s, channels, y, begin, end);
}
void adaptive_avg_last_f32(const void* x, const AdaptiveShape& s, int64_t channels, void* y, int64_t begin,
                           int64_t end) {
  adaptive_avg_last<float>(x, s, channels, y, begin, end);
}
void adaptive_avg_last_f64(const void* x, const AdaptiveShape& s, int64_t channels, void* y, int64_t begin,
                           int64_t end) {
  adaptive_avg_last<double>(x, s, channels, y, begin, end);
}

}  // namespace cann::kernels::CANN_ISA
