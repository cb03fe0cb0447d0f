// Plans of transforms, by length and precision: made once, kept for good (a length that was used comes back).
#pragma once

#include <memory>

#include "cann/kernels/fft/fft.h"

namespace cann::ops {

// pre: n >= 1
std::shared_ptr<const kernels::FftPlan> fft_plan(int64_t n, bool is_double);

}  // namespace cann::ops
