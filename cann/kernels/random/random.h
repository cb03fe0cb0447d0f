// Random numbers: Philox4x32-10 keyed by a seed, counted by an offset and the element's place. Element i depends on
// nothing else, so neither chunks nor threads change what is drawn.
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

// Draws are made in blocks; a chunk of a fill begins at a multiple of this.
inline constexpr int64_t kRandomBlock = 256;

struct Draw {
  uint64_t seed, offset;  // offset: numbers drawn before; Philox gives 4 for each count
};

// What is drawn, from u in [0, 1) and a standard normal z.
enum class Distribution {
  Uniform,      // a + (b - a) u, never b
  Normal,       // a + b z
  LogNormal,    // e^(a + b z)
  Exponential,  // -log(1 - u) / a
  Cauchy,       // a + b tan(pi (u - 1/2))
  Geometric,    // ceil(log(1 - u) / log(1 - a)), at least 1
  Bernoulli,    // 1 where u < a, else 0
};

struct RandomKernels {
  // out[i], i in [begin, end): floating types by floating_index. a and b: numbers, or where given tensors of the
  // compute type.
  void (*fill[4])(Distribution, const Draw&, double a, double b, const void* a_values, const void* b_values, void* out,
                  int64_t begin, int64_t end);
  // base + (64 random bits) mod range; range 0 means 2^64.
  void (*integers)(const Draw&, uint64_t range, int64_t base, int64_t* out, int64_t begin, int64_t end);
  // mask[i] = u >= p; y = mask ? x scale : 0
  void (*dropout[4])(const Draw&, double p, double scale, const void* x, void* y, bool* mask, int64_t begin,
                     int64_t end);
  // dx = mask ? dy scale : 0
  void (*dropout_backward[4])(const void* dy, const bool* mask, double scale, void* dx, int64_t begin, int64_t end);
  // x <= 0: noise = lower + (upper - lower) u, y = x noise; else noise = 1, y = x. In the compute type.
  void (*rrelu[2])(const Draw&, double lower, double upper, const void* x, void* noise, void* y, int64_t begin,
                   int64_t end);
  // A permutation of 0 ... n - 1.
  void (*permutation)(const Draw&, int64_t n, int64_t* out);
  // Row r of weights [rows, n] gives `samples` indices; buffer is [n] of the type, for one row at a time.
  void (*multinomial[2])(const Draw&, const void* weights, int64_t n, int64_t samples, bool replacement, int64_t row,
                         void* buffer, int64_t* out);
  // 0: every row is a distribution; 1: a weight is negative, infinite or NaN; 2: a row's sum is not positive.
  int (*check_weights[2])(const void* weights, int64_t n, int64_t rows);
};
CANN_KERNEL_TABLE(RandomKernels, random)

}  // namespace cann::kernels
