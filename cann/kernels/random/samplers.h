// Random numbers that rejection draws: as many uniform numbers for each element as it takes. Element i reads a sequence
// of its own, so neither chunks nor threads change what is drawn.
#pragma once

#include "cann/kernels/random/random.h"

namespace cann::kernels {

// Counters that an element may use up before it meets those of the next draw: each trial takes one, and no trial fails
// more than half the time.
inline constexpr int64_t kSamplerCounters = 1024;

// For elements [begin, end), in float64.
struct SamplerKernels {
  // Poisson numbers at the rates. NaN gives NaN. pre: no rate is negative
  void (*poisson)(const Draw&, const double* rates, double* out, int64_t begin, int64_t end);
  // How many of `counts` trials succeed with probability `probs`. NaN gives NaN, no trials or no chance 0.
  void (*binomial)(const Draw&, const double* counts, const double* probs, double* out, int64_t begin, int64_t end);
  // Gamma numbers of the shapes `alphas`, scale 1. NaN or a negative shape gives NaN.
  void (*gamma)(const Draw&, const double* alphas, double* out, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(SamplerKernels, sampler)

}  // namespace cann::kernels
