// What the loss families share: PyTorch's numbers for reductions, chunks of sums, checks.
#pragma once

#include "cann/ops/family.h"
#include "cann/ops/staging.h"

namespace cann::ops {

inline constexpr int64_t kNone = 0, kMean = 1, kSum = 2;
inline constexpr int64_t kLossChunk = 16384;  // elements a chunk, and a partial sum

inline int64_t loss_chunks(int64_t n) { return (n + kLossChunk - 1) / kLossChunk; }

inline double add(const double* partials, int64_t count) {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) sum += partials[k];
  return sum;
}

// pre: compute is float32 or float64
inline void store(DType compute, void* to, double value) {
  if (compute == DType::Float64)
    *static_cast<double*>(to) = value;
  else
    *static_cast<float*>(to) = static_cast<float>(value);
}

inline Status check_loss(const char* op, const TensorView& self, int64_t reduction, const TensorView& out) {
  if (is_floating(out.dtype) && !is_complex(self.dtype) && reduction >= kNone && reduction <= kSum) return {};
  return bad_parameter(std::string(op) + ": self " + describe(self) + ", result " + describe(out) + ", reduction " +
                       std::to_string(reduction) + ": real input, floating result and reduction 0, 1 or 2 needed");
}

}  // namespace cann::ops
