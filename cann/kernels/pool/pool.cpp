#include "cann/kernels/pool/windows.h"

namespace cann::kernels::CANN_ISA {
namespace {

// One row of outputs against one row of inputs at one tap: vectorised over the outputs, strides 1 and 2 as constants.
template <int64_t kStride, class A>
void take_larger(const A* __restrict x, int64_t stride, int64_t count, int32_t index, A* __restrict best,
                 int32_t* __restrict where) {
  const int64_t step = kStride ? kStride : stride;
  for (int64_t i = 0; i < count; ++i) {
    const A v = x[i * step];
    const bool better = (v > best[i]) | (v != v);
    best[i] = better ? v : best[i];
    where[i] = better ? index + static_cast<int32_t>(i * step) : where[i];
  }
}

constexpr int64_t kRow = 256;  // outputs of a row held at once

// Outputs [first, first + count) of the row (od, oh) of a plane.
template <class A>
void max_row(const A* plane, const WindowShape& s, int64_t od, int64_t oh, int64_t first, int64_t count, A* y,
             int64_t* indices) {
  alignas(64) A best[kRow];
  alignas(64) int32_t where[kRow];
  auto from = [](int64_t o, int64_t stride, int64_t pad) { return o * stride - pad; };
  const int64_t d0 = from(od, s.stride.d, s.pad.d), h0 = from(oh, s.stride.h, s.pad.h);
  int64_t top_d = d0,
          top_h = h0;  // the first place of the window inside the plane: the index if nothing is larger than -inf
  while (top_d < 0) top_d += s.dilation.d;
  while (top_h < 0) top_h += s.dilation.h;
  for (int64_t i = 0; i < count; ++i) {
    int64_t top_w = from(first + i, s.stride.w, s.pad.w);
    while (top_w < 0) top_w += s.dilation.w;
    best[i] = lowest<A>();
    where[i] = static_cast<int32_t>((top_d * s.in.h + top_h) * s.in.w + top_w);
  }
  for (int64_t kd = 0; kd < s.kernel.d; ++kd) {
    const int64_t d = d0 + kd * s.dilation.d;
    if (d < 0 || d >= s.in.d) continue;
    for (int64_t kh = 0; kh < s.kernel.h; ++kh) {
      const int64_t h = h0 + kh * s.dilation.h;
      if (h < 0 || h >= s.in.h) continue;
      const int64_t row = (d * s.in.h + h) * s.in.w;
      for (int64_t kw = 0; kw < s.kernel.w; ++kw) {
        // Outputs whose tap kw lies inside: 0 <= o stride - pad + kw dilation < width.
        const int64_t shift = kw * s.dilation.w - s.pad.w;
        const int64_t low = larger(first, shift >= 0 ? 0 : round_up_div(-shift, s.stride.w));
        const int64_t high = s.in.w - shift <= 0 ? 0 : smaller(first + count, round_up_div(s.in.w - shift, s.stride.w));
        if (low >= high) continue;
        const int64_t at = low * s.stride.w + shift, n = high - low;
        const int32_t index = static_cast<int32_t>(row + at);
        A* b = best + (low - first);
        int32_t* wh = where + (low - first);
        if (s.stride.w == 1)
          take_larger<1>(plane + row + at, 1, n, index, b, wh);
        else if (s.stride.w == 2)
          take_larger<2>(plane + row + at, 2, n, index, b, wh);
        else
          take_larger<0>(plane + row + at, s.stride.w, n, index, b, wh);
      }
    }
  }
  for (int64_t i = 0; i < count; ++i) y[i] = best[i];
  for (int64_t i = 0; i < count; ++i) indices[i] = where[i];
}

template <class A>
void max_pool(const void* x, const WindowShape& s, void* y, int64_t* indices, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    const A* plane = static_cast<const A*>(x) + p * s.in.count();
    for (int64_t od = 0; od < s.out.d; ++od)
      for (int64_t oh = 0; oh < s.out.h; ++oh)
        for (int64_t first = 0; first < s.out.w; first += kRow) {
          const int64_t at = p * s.out.count() + (od * s.out.h + oh) * s.out.w + first;
          max_row(plane, s, od, oh, first, smaller(kRow, s.out.w - first), static_cast<A*>(y) + at, indices + at);
        }
  }
}

// Calls f(flat output index, window d, h, w) for the outputs of a plane.
template <class F>
void for_windows(const WindowShape& s, F f) {
  int64_t o = 0;
  for (int64_t d = 0; d < s.out.d; ++d) {
    const Window wd = window_at(d, s.stride.d, s.pad.d, s.kernel.d, s.in.d);
    for (int64_t h = 0; h < s.out.h; ++h) {
      const Window wh = window_at(h, s.stride.h, s.pad.h, s.kernel.h, s.in.h);
      for (int64_t w = 0; w < s.out.w; ++w, ++o) f(o, wd, wh, window_at(w, s.stride.w, s.pad.w, s.kernel.w, s.in.w));
    }
  }
}
template <class F>
void for_windows(const AdaptiveShape& s, F f) {
  int64_t o = 0;
  for (int64_t d = 0; d < s.out.d; ++d)
    for (int64_t h = 0; h < s.out.h; ++h)
      for (int64_t w = 0; w < s.out.w; ++w, ++o)
        f(o, adaptive_at(d, s.out.d, s.in.d), adaptive_at(h, s.out.h, s.in.h), adaptive_at(w, s.out.w, s.in.w));
}

// Calls f(flat index of a row's first element, its length) for the rows of a window.
template <class F>
void for_rows(const Extent& in, const Window& d, const Window& h, const Window& w, F f) {
  for (int64_t z = d.begin; z < d.end; ++z)
    for (int64_t y = h.begin; y < h.end; ++y) f((z * in.h + y) * in.w + w.begin, w.end - w.begin);
}

// One row of outputs of an average, tap by tap as the maximum is: the divisors differ only at the edges.
template <int64_t kStride, class A>
void add_taps(const A* __restrict x, int64_t stride, int64_t count, A* __restrict sum) {
  const int64_t step = kStride ? kStride : stride;
  for (int64_t i = 0; i < count; ++i) sum[i] += x[i * step];
}

template <class A>
void avg_row(const A* plane, const WindowShape& s, int64_t od, int64_t oh, int64_t first, int64_t count, A* y) {
  alignas(64) A sum[kRow];
  for (int64_t i = 0; i < count; ++i) sum[i] = 0;
  const Window wd = window_at(od, s.stride.d, s.pad.d, s.kernel.d, s.in.d),
               wh = window_at(oh, s.stride.h, s.pad.h, s.kernel.h, s.in.h);
  for (int64_t d = wd.begin; d < wd.end; ++d)
    for (int64_t h = wh.begin; h < wh.end; ++h) {
      const A* row = plane + (d * s.in.h + h) * s.in.w;
      for (int64_t kw = 0; kw < s.kernel.w; ++kw) {
        const int64_t shift = kw - s.pad.w;
        const int64_t low = larger(first, shift >= 0 ? 0 : round_up_div(-shift, s.stride.w));
        const int64_t high = s.in.w - shift <= 0 ? 0 : smaller(first + count, round_up_div(s.in.w - shift, s.stride.w));
        if (low >= high) continue;
        const A* at = row + low * s.stride.w + shift;
        if (s.stride.w == 1)
          add_taps<1>(at, 1, high - low, sum + low - first);
        else if (s.stride.w == 2)
          add_taps<2>(at, 2, high - low, sum + low - first);
        else
          add_taps<0>(at, s.stride.w, high - low, sum + low - first);
      }
    }
  for (int64_t i = 0; i < count; ++i) {
    const Window ww = window_at(first + i, s.stride.w, s.pad.w, s.kernel.w, s.in.w);
    y[i] = is_empty(wd, wh, ww) ? A(0) : sum[i] / divisor_of<A>(s, wd, wh, ww);
  }
}

template <class A>
void avg_pool(const void* x, const WindowShape& s, void* y, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    const A* plane = static_cast<const A*>(x) + p * s.in.count();
    for (int64_t od = 0; od < s.out.d; ++od)
      for (int64_t oh = 0; oh < s.out.h; ++oh)
        for (int64_t first = 0; first < s.out.w; first += kRow)
          avg_row(plane, s, od, oh, first, smaller(kRow, s.out.w - first),
                  static_cast<A*>(y) + p * s.out.count() + (od * s.out.h + oh) * s.out.w + first);
  }
}

template <class A>
void adaptive_avg(const void* x, const AdaptiveShape& s, void* y, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    const A* plane = static_cast<const A*>(x) + p * s.in.count();
    A* to = static_cast<A*>(y) + p * s.out.count();
    for_windows(s, [&](int64_t o, const Window& d, const Window& h, const Window& w) {
      if (is_empty(d, h, w)) return void(to[o] = 0);
      A sum = 0;
      for_rows(s.in, d, h, w, [&](int64_t at, int64_t n) {
        for (int64_t i = 0; i < n; ++i) sum += plane[at + i];
      });
      to[o] = sum / divisor_of<A>(s, d, h, w);
    });
  }
}

template <class A, class Shape>
void average_backward(const void* dy, const Shape& s, void* dx, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    const A* grad = static_cast<const A*>(dy) + p * s.out.count();
    A* plane = static_cast<A*>(dx) + p * s.in.count();
    for (int64_t i = 0; i < s.in.count(); ++i) plane[i] = 0;
    for_windows(s, [&](int64_t o, const Window& d, const Window& h, const Window& w) {
      if (is_empty(d, h, w)) return;
      const A share = grad[o] / divisor_of<A>(s, d, h, w);
      for_rows(s.in, d, h, w, [&](int64_t at, int64_t n) {
        for (int64_t i = 0; i < n; ++i) plane[at + i] += share;
      });
    });
  }
}

template <class A>
void adaptive_max(const void* x, const AdaptiveShape& s, void* y, int64_t* indices, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    const A* plane = static_cast<const A*>(x) + p * s.in.count();
    for_windows(s, [&](int64_t o, const Window& d, const Window& h, const Window& w) {
      A best = lowest<A>();
      int64_t where = (d.begin * s.in.h + h.begin) * s.in.w + w.begin;
      for_rows(s.in, d, h, w, [&](int64_t at, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          const A v = plane[at + i];
          if (v > best || v != v) best = v, where = at + i;
        }
      });
      static_cast<A*>(y)[p * s.out.count() + o] = best;
      indices[p * s.out.count() + o] = where;
    });
  }
}

template <class A>
bool scatter(const void* dy, const int64_t* indices, int64_t in, int64_t out, bool add, void* dx, int64_t begin,
             int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    const A* grad = static_cast<const A*>(dy) + p * out;
    const int64_t* index = indices + p * out;
    A* plane = static_cast<A*>(dx) + p * in;
    for (int64_t i = 0; i < in; ++i) plane[i] = 0;
    for (int64_t i = 0; i < out; ++i) {
      if (index[i] < 0 || index[i] >= in) return false;
      plane[index[i]] = add ? plane[index[i]] + grad[i] : grad[i];
    }
  }
  return true;
}

template <class A>
bool gather(const void* dy, const int64_t* indices, int64_t in, int64_t out, void* dx, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p)
    for (int64_t i = 0; i < out; ++i) {
      const int64_t index = indices[p * out + i];
      if (index < 0 || index >= in) return false;
      static_cast<A*>(dx)[p * out + i] = static_cast<const A*>(dy)[p * in + index];
    }
  return true;
}

}  // namespace

extern const PoolKernels pool_table{
    .max_pool = {max_pool<float>, max_pool<double>, max_pool<int64_t>},
    .max_pool_last = {max_pool_last_f32, max_pool_last_f64},
    .avg_pool_last = {avg_pool_last_f32, avg_pool_last_f64},
    .adaptive_avg_last = {adaptive_avg_last_f32, adaptive_avg_last_f64},
    .avg_pool = {avg_pool<float>, avg_pool<double>, avg_pool<int64_t>},
    .avg_pool_backward = {average_backward<float, WindowShape>, average_backward<double, WindowShape>,
                          average_backward<int64_t, WindowShape>},
    .adaptive_max = {adaptive_max<float>, adaptive_max<double>, adaptive_max<int64_t>},
    .adaptive_avg = {adaptive_avg<float>, adaptive_avg<double>, adaptive_avg<int64_t>},
    .adaptive_avg_backward = {average_backward<float, AdaptiveShape>, average_backward<double, AdaptiveShape>,
                              average_backward<int64_t, AdaptiveShape>},
    .scatter = {scatter<float>, scatter<double>, scatter<int64_t>},
    .gather = {gather<float>, gather<double>, gather<int64_t>},
};

}  // namespace cann::kernels::CANN_ISA
