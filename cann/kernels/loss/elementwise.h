// Loss and derivative of one element, shared by the forward and backward loops. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/loss/loss.h"
#include "cann/kernels/math.h"

namespace cann::kernels::CANN_ISA::losses {

template <Loss kLoss, class A>
static inline A value(A x, A t, A param) {
  A d = x - t, size = d < 0 ? -d : d;
  if constexpr (kLoss == Loss::Mse) {
    return d * d;
  } else if constexpr (kLoss == Loss::SmoothL1) {
    return size < param ? A(0.5) * d * d / param : size - A(0.5) * param;
  } else if constexpr (kLoss == Loss::Huber) {
    return size <= param ? A(0.5) * d * d : param * (size - A(0.5) * param);
  } else if constexpr (kLoss == Loss::SoftMargin) {
    return math::log1p(math::exp(-t * x));
  } else {
    A no = math::log1p(-x), yes = math::log(x);
    return (t - A(1)) * (no < A(-100) ? A(-100) : no) - t * (yes < A(-100) ? A(-100) : yes);
  }
}

template <Loss kLoss, class A>
static inline A slope(A x, A t, A param) {
  A d = x - t;
  if constexpr (kLoss == Loss::Mse) {
    return A(2) * d;
  } else if constexpr (kLoss == Loss::SmoothL1) {
    return d <= -param ? A(-1) : d >= param ? A(1) : d / param;
  } else if constexpr (kLoss == Loss::Huber) {
    return d <= -param ? -param : d >= param ? param : d;
  } else if constexpr (kLoss == Loss::SoftMargin) {
    A z = math::exp(-t * x);
    return -t * z / (A(1) + z);
  } else {
    A spread = (A(1) - x) * x;
    return d / (spread < A(1e-12) ? A(1e-12) : spread);
  }
}

}  // namespace cann::kernels::CANN_ISA::losses
