#include "cann/kernels/geometry/geometry.h"

#include <cmath>

namespace cann::kernels::CANN_ISA {
namespace {

template <class A>
A magnitude(A x) {
  return x < 0 ? -x : x;
}
template <class A>
A sign_of(A x) {
  return static_cast<A>((x > 0) - (x < 0));
}

// The norm of x - y: counted (p = 0), added, rooted, largest, or in general (sum |d|^p)^(1/p). NaN stays NaN.
template <class A>
A distance_of(const A* x, const A* y, int64_t n, double p) {
  A sum = 0;
  if (p == 0) {
    for (int64_t k = 0; k < n; ++k) sum += static_cast<A>(x[k] != y[k]);
    return sum;
  }
  if (p == 1) {
    for (int64_t k = 0; k < n; ++k) sum += magnitude(x[k] - y[k]);
    return sum;
  }
  if (p == 2) {
    for (int64_t k = 0; k < n; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
    return std::sqrt(sum);
  }
  if (std::isinf(p)) {
    for (int64_t k = 0; k < n; ++k) {
      const A d = magnitude(x[k] - y[k]);
      if (!(d <= sum)) sum = d;
    }
    return sum;
  }
  for (int64_t k = 0; k < n; ++k) sum += std::pow(magnitude(x[k] - y[k]), static_cast<A>(p));
  return std::pow(sum, static_cast<A>(1 / p));
}

template <class A>
void distance(const void* x, const void* y, const DistanceShape& s, void* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    for (int64_t j = 0; j < s.others; ++j)
      static_cast<A*>(out)[i * s.others + j] =
          distance_of(static_cast<const A*>(x) + i * s.dim, static_cast<const A*>(y) + j * s.dim, s.dim, s.p);
}

// d|d|_p / dd_k at d = x - y, whose norm is `norm` (not 0).
template <class A>
A slope(A d, A norm, double p) {
  if (p == 1) return sign_of(d);
  if (p == 2) return d / norm;
  if (std::isinf(p)) return magnitude(d) == norm ? sign_of(d) : A(0);
  if (d == 0) return A(0);  // for p < 1 the slope is infinite there; PyTorch says 0
  return sign_of(d) * std::pow(magnitude(d) / norm, static_cast<A>(p - 1));
}

template <class A>
void distance_backward(const void* grad, const void* x, const void* y, const void* distances, const DistanceShape& s,
                       void* dx, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const A* from = static_cast<const A*>(x) + i * s.dim;
    A* to = static_cast<A*>(dx) + i * s.dim;
    for (int64_t k = 0; k < s.dim; ++k) to[k] = 0;
    for (int64_t j = 0; j < s.others; ++j) {
      const A norm = static_cast<const A*>(distances)[i * s.others + j];
      const A g = static_cast<const A*>(grad)[i * s.others + j];
      const A* other = static_cast<const A*>(y) + j * s.dim;
      if (s.p == 0 || norm == 0) continue;
      for (int64_t k = 0; k < s.dim; ++k) to[k] += g * slope(from[k] - other[k], norm, s.p);
    }
  }
}

template <class A>
void cross(const void* a, const void* b, int64_t inner, void* out, int64_t begin, int64_t end) {
  for (int64_t group = begin; group < end; ++group) {
    const A *x = static_cast<const A*>(a) + group * 3 * inner, *y = static_cast<const A*>(b) + group * 3 * inner;
    A* to = static_cast<A*>(out) + group * 3 * inner;
    for (int64_t k = 0; k < 3; ++k) {
      const int64_t next = (k + 1) % 3 * inner, last = (k + 2) % 3 * inner;
      for (int64_t i = 0; i < inner; ++i) to[k * inner + i] = x[next + i] * y[last + i] - x[last + i] * y[next + i];
    }
  }
}

}  // namespace

extern const GeometryKernels geometry_table{
    .distance = {distance<float>, distance<double>},
    .distance_backward = {distance_backward<float>, distance_backward<double>},
    .cross = {cross<float>, cross<double>},
};

}  // namespace cann::kernels::CANN_ISA
