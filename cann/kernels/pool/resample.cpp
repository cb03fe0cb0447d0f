#include "cann/kernels/pool/resample.h"

#include <cmath>

#include "cann/kernels/bytes.h"
#include "cann/kernels/pool/grid_sample.h"

namespace cann::kernels::CANN_ISA {
namespace {

using ComplexFloat = float __attribute__((vector_size(8)));
using ComplexDouble = double __attribute__((vector_size(16)));

template <class T>
void remap(const void* x, const RemapShape& s, void* y, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    const T* plane = static_cast<const T*>(x) + p * s.in.count();
    T* __restrict to = static_cast<T*>(y) + p * s.out.count();
    for (int64_t d = 0; d < s.out.d; ++d)
      for (int64_t h = 0; h < s.out.h; ++h, to += s.out.w) {
        const T* __restrict row = plane + (s.d[d] * s.in.h + s.h[h]) * s.in.w;
        for (int64_t w = 0; w < s.out.w; ++w) to[w] = row[s.w[w]];
      }
  }
}

template <class A>
void remap_backward(const void* dy, const RemapShape& s, void* dx, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    const A* from = static_cast<const A*>(dy) + p * s.out.count();
    A* plane = static_cast<A*>(dx) + p * s.in.count();
    __builtin_memset(plane, 0, s.in.count() * sizeof(A));
    for (int64_t d = 0; d < s.out.d; ++d)
      for (int64_t h = 0; h < s.out.h; ++h, from += s.out.w) {
        A* row = plane + (s.d[d] * s.in.h + s.h[h]) * s.in.w;
        for (int64_t w = 0; w < s.out.w; ++w) row[s.w[w]] += from[w];
      }
  }
}

template <class A>
void resample(const void* x, const ResampleShape& s, void* y, int64_t begin, int64_t end) {
  auto weights = static_cast<const A*>(s.weights);
  for (int64_t o = begin; o < end; ++o) {
    const A* __restrict from = static_cast<const A*>(x) + o * s.in * s.inner;
    A* __restrict to = static_cast<A*>(y) + o * s.out * s.inner;
    if (s.inner == 1) {  // along the row itself: tap by tap, so that the compiler gathers many places at once
      for (int64_t j = 0; j < s.out; ++j) to[j] = weights[j] * from[s.places[j]];
      for (int64_t k = 1; k < s.taps; ++k) {
        const A* __restrict w = weights + k * s.out;
        const int64_t* __restrict place = s.places + k * s.out;
        for (int64_t j = 0; j < s.out; ++j) to[j] += w[j] * from[place[j]];
      }
      continue;
    }
    for (int64_t j = 0; j < s.out; ++j) {
      A* __restrict row = to + j * s.inner;
      for (int64_t k = 0; k < s.taps; ++k) {
        const A* __restrict other = from + s.places[k * s.out + j] * s.inner;
        const A weight = weights[k * s.out + j];
        if (k == 0) {
          for (int64_t i = 0; i < s.inner; ++i) row[i] = weight * other[i];
        } else {
          for (int64_t i = 0; i < s.inner; ++i) row[i] += weight * other[i];
        }
      }
    }
  }
}

template <class A>
void resample_backward(const void* dy, const ResampleShape& s, void* dx, int64_t begin, int64_t end) {
  auto weights = static_cast<const A*>(s.weights);
  for (int64_t o = begin; o < end; ++o) {
    const A* from = static_cast<const A*>(dy) + o * s.out * s.inner;
    A* to = static_cast<A*>(dx) + o * s.in * s.inner;
    __builtin_memset(to, 0, s.in * s.inner * sizeof(A));
    for (int64_t j = 0; j < s.out; ++j)
      for (int64_t k = 0; k < s.taps; ++k) {
        const A weight = weights[k * s.out + j];
        const A* __restrict grad = from + j * s.inner;
        A* __restrict row = to + s.places[k * s.out + j] * s.inner;
        for (int64_t i = 0; i < s.inner; ++i) row[i] += weight * grad[i];
      }
  }
}

template <class A>
void grid(int dims, const void* x, const void* points, const GridShape& s, void* y, int64_t begin, int64_t end) {
  for (int64_t n = begin; n < end; ++n) {
    auto image = static_cast<const A*>(x) + n * s.channels * s.in.count();
    auto where = static_cast<const A*>(points) + n * s.out.count() * dims;
    auto to = static_cast<A*>(y) + n * s.channels * s.out.count();
    if (dims == 2)
      grid_sample::sample<2>(image, where, s, to);
    else
      grid_sample::sample<3>(image, where, s, to);
  }
}

template <class A>
void grid_backward(int dims, const void* dy, const void* x, const void* points, const GridShape& s, void* dx,
                   void* dgrid, int64_t begin, int64_t end) {
  for (int64_t n = begin; n < end; ++n) {
    auto grad = static_cast<const A*>(dy) + n * s.channels * s.out.count();
    auto image = static_cast<const A*>(x) + n * s.channels * s.in.count();
    auto where = static_cast<const A*>(points) + n * s.out.count() * dims;
    auto to = dx ? static_cast<A*>(dx) + n * s.channels * s.in.count() : nullptr;
    auto moved = dgrid ? static_cast<A*>(dgrid) + n * s.out.count() * dims : nullptr;
    if (to) __builtin_memset(to, 0, s.channels * s.in.count() * sizeof(A));
    if (dims == 2)
      grid_sample::backward<2>(grad, image, where, s, to, moved);
    else
      grid_sample::backward<3>(grad, image, where, s, to, moved);
  }
}

// f(column row, input plane, kh, kw) for a sample: the rows of its column matrix.
template <class F>
void for_columns(const WindowShape& s, F f) {
  int64_t row = 0;
  for (int64_t c = 0; c < s.planes; ++c)
    for (int64_t kh = 0; kh < s.kernel.h; ++kh)
      for (int64_t kw = 0; kw < s.kernel.w; ++kw, ++row) f(row, c, kh, kw);
}

// f(place in the column row, place in the plane or -1)
template <class F>
void for_places(const WindowShape& s, int64_t kh, int64_t kw, F f) {
  int64_t at = 0;
  for (int64_t oh = 0; oh < s.out.h; ++oh) {
    const int64_t h = oh * s.stride.h - s.pad.h + kh * s.dilation.h;
    for (int64_t ow = 0; ow < s.out.w; ++ow, ++at) {
      const int64_t w = ow * s.stride.w - s.pad.w + kw * s.dilation.w;
      f(at, h >= 0 && h < s.in.h && w >= 0 && w < s.in.w ? h * s.in.w + w : -1);
    }
  }
}

template <class T>
void im2col(const void* x, const WindowShape& s, void* columns, int64_t begin, int64_t end) {
  const int64_t size = s.planes * s.kernel.count() * s.out.count();
  for (int64_t n = begin; n < end; ++n)
    for_columns(s, [&](int64_t row, int64_t c, int64_t kh, int64_t kw) {
      const T* plane = static_cast<const T*>(x) + (n * s.planes + c) * s.in.count();
      T* to = static_cast<T*>(columns) + n * size + row * s.out.count();
      for_places(s, kh, kw, [&](int64_t at, int64_t from) { to[at] = from < 0 ? T{} : plane[from]; });
    });
}

template <class A>
void col2im(const void* columns, const WindowShape& s, void* x, int64_t begin, int64_t end) {
  const int64_t size = s.planes * s.kernel.count() * s.out.count();
  __builtin_memset(static_cast<A*>(x) + begin * s.planes * s.in.count(), 0,
                   (end - begin) * s.planes * s.in.count() * sizeof(A));
  for (int64_t n = begin; n < end; ++n)
    for_columns(s, [&](int64_t row, int64_t c, int64_t kh, int64_t kw) {
      A* plane = static_cast<A*>(x) + (n * s.planes + c) * s.in.count();
      const A* from = static_cast<const A*>(columns) + n * size + row * s.out.count();
      for_places(s, kh, kw, [&](int64_t at, int64_t to) {
        if (to >= 0) plane[to] += from[at];
      });
    });
}

template <class A>
double norm_of(const A* x, int64_t outer, int64_t n, int64_t inner, double p) {
  double total = 0;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const double v = std::fabs(static_cast<double>(x[o * n * inner + i]));
      if (p == 2)
        total += v * v;
      else if (p == 1)
        total += v;
      else if (p == 0)
        total += v != 0;
      else if (std::isinf(p))
        total = v > total || v != v ? v : total;
      else
        total += std::pow(v, p);
    }
  return p == 2 ? std::sqrt(total) : p == 1 || p == 0 || std::isinf(p) ? total : std::pow(total, 1 / p);
}

template <class A>
void renorm(const void* x, int64_t outer, int64_t n, int64_t inner, double p, double largest, void* y, int64_t begin,
            int64_t end) {
  for (int64_t k = begin; k < end; ++k) {
    const A* from = static_cast<const A*>(x) + k * inner;
    A* to = static_cast<A*>(y) + k * inner;
    const double norm = norm_of(from, outer, n, inner, p);
    const A factor = norm > largest ? static_cast<A>(largest / (norm + 1e-7)) : A(1);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) to[o * n * inner + i] = from[o * n * inner + i] * factor;
  }
}

}  // namespace

extern const ResampleKernels resample_table{
    .remap = {remap<uint8_t>, remap<uint16_t>, remap<uint32_t>, remap<uint64_t>, remap<Bytes16>},
    .remap_backward = {remap_backward<float>, remap_backward<double>, remap_backward<int64_t>,
                       remap_backward<ComplexFloat>, remap_backward<ComplexDouble>},
    .resample = {resample<float>, resample<double>},
    .resample_backward = {resample_backward<float>, resample_backward<double>},
    .grid = {grid<float>, grid<double>},
    .grid_backward = {grid_backward<float>, grid_backward<double>},
    .im2col = {im2col<uint8_t>, im2col<uint16_t>, im2col<uint32_t>, im2col<uint64_t>, im2col<Bytes16>},
    .col2im = {col2im<float>, col2im<double>, col2im<int64_t>, col2im<ComplexFloat>, col2im<ComplexDouble>},
    .renorm = {renorm<float>, renorm<double>},
};

}  // namespace cann::kernels::CANN_ISA
