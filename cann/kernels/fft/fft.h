// Discrete Fourier transforms of many lines at once. A tile holds `lanes` lines side by side: element i of lane t
// stands at i * lanes + t, real and imaginary parts apart, so that every loop runs over neighbouring lanes.
#pragma once

#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

// How a length is transformed: by its factors (radix 5 and less, or a small prime), one stage each; a length with a
// large prime factor through a convolution of a length that is a power of 2 (Bluestein). Tables are in the type of the
// transform (float or double).
struct FftPlan {
  int64_t n = 1;
  int stages = 0;
  int radix[64];
  // For each stage its twiddles, w^(q k) for q < m, k < radix, and then the roots of unity of its radix.
  const void* twiddle_re[64];
  const void* twiddle_im[64];
  const void* root_re[64];
  const void* root_im[64];
  // Bluestein: the chirp exp(-i pi k^2 / n), and the transform of its conjugate, divided by the length of `inner`.
  const FftPlan* inner = nullptr;
  const void* chirp_re = nullptr;
  const void* chirp_im = nullptr;
  const void* filter_re = nullptr;
  const void* filter_im = nullptr;
};

// Lines along one dimension of a tensor: where line `l` begins is told by the caller. Strides in elements.
struct FftLines {
  const FftPlan* plan;
  bool is_double;
  bool inverse;  // exp(+i...), without a factor
  double scale;  // what each result is multiplied by
  const void* from;
  void* to;
  bool from_real, to_real;  // real numbers instead of complex ones
  bool hermitian;           // from holds n / 2 + 1 numbers of a line; the others are their conjugates
  int64_t from_stride, to_stride;
  int64_t kept;  // how many results of a line are written
};

struct FftKernels {
  // Transforms `lanes` lines, which begin at from[from_starts[t]] and to[to_starts[t]]. scratch: fft_scratch numbers of
  // the type.
  void (*lines)(const FftLines& lines, int64_t lanes, const int64_t* from_starts, const int64_t* to_starts,
                void* scratch);
  // A tile in place, for making plans. re, im: two tiles of numbers each, the first holding the input and then the
  // result.
  void (*tile)(const FftPlan& plan, bool is_double, int64_t lanes, void* re, void* im);
};
CANN_KERNEL_TABLE(FftKernels, fft)

// Numbers of scratch that lines() needs: two tiles, of the convolution's length where there is one.
inline int64_t fft_scratch(const FftPlan& plan, int64_t lanes) {
  return 4 * (plan.inner ? plan.inner->n : plan.n) * lanes;
}

}  // namespace cann::kernels
