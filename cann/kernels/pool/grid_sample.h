// Sampling an image at points of a grid in [-1, 1], and the gradients with respect to image and points.
// A point is taken apart by axis: the places it reads there, their weights and the weights' slopes; the sample is the
// sum over the products. Nearest, linear and cubic interpolation differ only in that. For kernel files only: it needs
// CANN_ISA.
#pragma once

#include <cmath>

#include "cann/kernels/pool/resample.h"

namespace cann::kernels::CANN_ISA::grid_sample {

constexpr int kMaxTaps = 4;

// One axis of one point. place -1 reads as 0.
template <class A>
struct Axis {
  int taps;
  int64_t place[kMaxTaps];
  A weight[kMaxTaps], slope[kMaxTaps];  // slope: d weight / d coordinate in [-1, 1]
};

// The reflection of x at low / 2 and high / 2, and the sign of its derivative.
template <class A>
static inline A reflect(A x, int64_t twice_low, int64_t twice_high, A& sign) {
  sign = 1;
  if (twice_low == twice_high) {
    sign = 0;
    return A(0);
  }
  const A low = static_cast<A>(twice_low) / 2, span = static_cast<A>(twice_high - twice_low) / 2;
  x -= low;
  if (x < 0) sign = -1, x = -x;
  const A rest = std::fmod(x, span);
  if (static_cast<int64_t>(std::floor(x / span)) % 2 == 0) return rest + low;
  sign = -sign;
  return span - rest + low;
}

// x within [0, size - 1], as the padding asks; factor is multiplied by the derivative. A coordinate that is no number
// lands at -100: outside.
template <class A>
static inline A pad(A x, int64_t size, const GridShape& s, A& factor) {
  const A last = static_cast<A>(size - 1);
  auto clip = [&](A v) {
    if (!(v > A(0))) factor = 0;
    if (v >= last) factor = 0;
    return v > A(0) ? (v < last ? v : last) : A(0);
  };
  if (s.padding == 1) {
    x = clip(x);
  } else if (s.padding == 2) {
    A sign;
    x = s.align_corners ? reflect(x, 0, 2 * (size - 1), sign) : reflect(x, -1, 2 * size - 1, sign);
    factor *= sign;
    x = clip(x);
  }
  return x;
}

// Beyond int64, or no number: a place that is outside whatever the size.
template <class A>
static inline A sane(A x) {
  return x > A(-1e9) && x < A(1e9) ? x : A(-100);
}

static inline int64_t inside(int64_t i, int64_t size) { return i >= 0 && i < size ? i : -1; }

// Cubic convolution (Keys, 1981) with a = -3/4: weights of the places floor - 1 ... floor + 2 at fraction t, and their
// slopes.
template <class A>
static inline void cubic(A t, A* w, A* slope) {
  const A a = A(-0.75);
  auto near = [&](A x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto far = [&](A x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  auto near_slope = [&](A x) { return (3 * (a + 2) * x - 2 * (a + 3)) * x; };
  auto far_slope = [&](A x) { return (3 * a * x - 10 * a) * x + 8 * a; };
  w[0] = far(t + 1), w[1] = near(t), w[2] = near(1 - t), w[3] = far(2 - t);
  slope[0] = far_slope(t + 1), slope[1] = near_slope(t), slope[2] = -near_slope(1 - t), slope[3] = -far_slope(2 - t);
}

template <class A>
static inline void take_apart(A coordinate, int64_t size, const GridShape& s, Axis<A>& axis) {
  A factor = static_cast<A>(s.align_corners ? size - 1 : size) / 2;
  A x = s.align_corners ? (coordinate + 1) / 2 * static_cast<A>(size - 1)
                        : ((coordinate + 1) * static_cast<A>(size) - 1) / 2;
  if (s.interpolation == 2) {  // padding acts on each place, not on the point
    x = sane(x);
    const A low = std::floor(x);
    axis.taps = 4;
    cubic(x - low, axis.weight, axis.slope);
    for (int k = 0; k < 4; ++k) {
      A ignored = 1;
      axis.place[k] = inside(static_cast<int64_t>(pad(low + static_cast<A>(k - 1), size, s, ignored)), size);
      axis.slope[k] *= factor;
    }
    return;
  }
  x = sane(pad(x, size, s, factor));
  if (s.interpolation == 1) {
    axis.taps = 1;
    axis.place[0] = inside(static_cast<int64_t>(std::nearbyint(x)), size);
    axis.weight[0] = 1;
    axis.slope[0] = 0;
    return;
  }
  const int64_t low = static_cast<int64_t>(std::floor(x));
  const A t = x - static_cast<A>(low);
  axis.taps = 2;
  axis.place[0] = inside(low, size), axis.place[1] = inside(low + 1, size);
  axis.weight[0] = 1 - t, axis.weight[1] = t;
  axis.slope[0] = -factor, axis.slope[1] = factor;
}

// Calls f(place in the plane, tap on each axis) for the taps of a point that lie inside. grid's last axis is (w, h, d).
template <int kDims, class A, class F>
static inline void for_taps(const Axis<A>* axes, const GridShape& s, F f) {
  const int depth = kDims == 3 ? axes[2].taps : 1;
  for (int kd = 0; kd < depth; ++kd)
    for (int kh = 0; kh < axes[1].taps; ++kh)
      for (int kw = 0; kw < axes[0].taps; ++kw) {
        const int64_t d = kDims == 3 ? axes[2].place[kd] : 0, h = axes[1].place[kh], w = axes[0].place[kw];
        if (d >= 0 && h >= 0 && w >= 0) f((d * s.in.h + h) * s.in.w + w, kd, kh, kw);
      }
}

template <int kDims, class A>
static inline void take_point_apart(const A* point, const GridShape& s, Axis<A>* axes) {
  take_apart(point[0], s.in.w, s, axes[0]);
  take_apart(point[1], s.in.h, s, axes[1]);
  if (kDims == 3) take_apart(point[kDims - 1], s.in.d, s, axes[2]);
}

template <int kDims, class A>
static inline void sample(const A* image, const A* points, const GridShape& s, A* y) {
  Axis<A> axes[3];
  for (int64_t o = 0; o < s.out.count(); ++o) {
    take_point_apart<kDims>(points + o * kDims, s, axes);
    int64_t places[kMaxTaps * kMaxTaps * kMaxTaps];
    A weights[kMaxTaps * kMaxTaps * kMaxTaps];
    int count = 0;
    for_taps<kDims>(axes, s, [&](int64_t place, int kd, int kh, int kw) {
      places[count] = place;
      weights[count++] = (kDims == 3 ? axes[2].weight[kd] : A(1)) * axes[1].weight[kh] * axes[0].weight[kw];
    });
    for (int64_t c = 0; c < s.channels; ++c) {
      const A* plane = image + c * s.in.count();
      A sum = 0;
      for (int k = 0; k < count; ++k) sum += weights[k] * plane[places[k]];
      y[c * s.out.count() + o] = sum;
    }
  }
}

template <int kDims, class A>
static inline void backward(const A* dy, const A* image, const A* points, const GridShape& s, A* dx, A* dgrid) {
  Axis<A> axes[3];
  for (int64_t o = 0; o < s.out.count(); ++o) {
    take_point_apart<kDims>(points + o * kDims, s, axes);
    A moved[3] = {0, 0, 0};
    for_taps<kDims>(axes, s, [&](int64_t place, int kd, int kh, int kw) {
      const A wd = kDims == 3 ? axes[2].weight[kd] : A(1), wh = axes[1].weight[kh], ww = axes[0].weight[kw];
      A pull = 0;  // sum over the channels of dy x
      for (int64_t c = 0; c < s.channels; ++c) {
        const A g = dy[c * s.out.count() + o];
        if (dx) dx[c * s.in.count() + place] += wd * wh * ww * g;
        pull += g * image[c * s.in.count() + place];
      }
      moved[0] += pull * axes[0].slope[kw] * wh * wd;
      moved[1] += pull * ww * axes[1].slope[kh] * wd;
      if (kDims == 3) moved[2] += pull * ww * wh * axes[2].slope[kd];
    });
    if (dgrid)
      for (int k = 0; k < kDims; ++k) dgrid[o * kDims + k] = moved[k];
  }
}

}  // namespace cann::kernels::CANN_ISA::grid_sample
