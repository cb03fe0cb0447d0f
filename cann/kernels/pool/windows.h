// Windows of a pooling and their divisors, whatever the layout. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/pool/pool.h"

namespace cann::kernels::CANN_ISA {

inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t round_up_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

template <class A>
constexpr A lowest() {
  if constexpr (__is_same(A, int64_t))
    return INT64_MIN;
  else
    return -static_cast<A>(__builtin_inff());
}

// The part of a window that lies inside, and its size with the padding counted.
struct Window {
  int64_t begin, end, padded;
};
inline Window window_at(int64_t o, int64_t stride, int64_t pad, int64_t kernel, int64_t in) {
  const int64_t begin = o * stride - pad, end = smaller(begin + kernel, in + pad);
  return {larger(begin, 0), smaller(end, in), end - begin};
}
inline Window adaptive_at(int64_t o, int64_t out, int64_t in) {
  return {o * in / out, ((o + 1) * in + out - 1) / out, 0};
}

inline bool is_empty(const Window& d, const Window& h, const Window& w) {
  return d.begin >= d.end || h.begin >= h.end || w.begin >= w.end;
}

template <class A>
inline A divisor_of(const WindowShape& s, const Window& d, const Window& h, const Window& w) {
  if (s.divisor) return static_cast<A>(s.divisor);
  if (s.count_include_pad) return static_cast<A>(d.padded * h.padded * w.padded);
  return static_cast<A>((d.end - d.begin) * (h.end - h.begin) * (w.end - w.begin));
}
template <class A>
inline A divisor_of(const AdaptiveShape&, const Window& d, const Window& h, const Window& w) {
  return static_cast<A>((d.end - d.begin) * (h.end - h.begin) * (w.end - w.begin));
}

// Channels last, in channels_last.cpp.
void max_pool_last_f32(const void*, const WindowShape&, int64_t, void*, int64_t*, int64_t, int64_t);
void max_pool_last_f64(const void*, const WindowShape&, int64_t, void*, int64_t*, int64_t, int64_t);
void avg_pool_last_f32(const void*, const WindowShape&, int64_t, void*, int64_t, int64_t);
void avg_pool_last_f64(const void*, const WindowShape&, int64_t, void*, int64_t, int64_t);
void adaptive_avg_last_f32(const void*, const AdaptiveShape&, int64_t, void*, int64_t, int64_t);
void adaptive_avg_last_f64(const void*, const AdaptiveShape&, int64_t, void*, int64_t, int64_t);

}  // namespace cann::kernels::CANN_ISA
