// Copies between a strided tensor and a dense one, changing the type on the way: how an operator whose kernel wants
// dense operands takes any strides (cann/ops/staging.h).
#pragma once

#include <cstdint>

#include "cann/base/tensor_view.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

struct StageKernels {
  // dense[i] = strided at flat index i, for i in [begin, end). `as` is the dense side's type.
  void (*gather)(const TensorView& strided, void* dense, DType as, int64_t begin, int64_t end);
  void (*scatter)(const TensorView& strided, const void* dense, DType as, int64_t begin, int64_t end);
};
CANN_KERNEL_TABLE(StageKernels, stage)

// Which changes of type the kernels have: to itself; any real type to float32, float64 or int64; back from these to any
// real type.
constexpr bool can_stage(DType from, DType to) {
  if (from == to) return true;
  auto is_real = [](DType t) { return t != DType::Undefined && !is_complex(t); };
  auto is_hub = [](DType t) { return t == DType::Float32 || t == DType::Float64 || t == DType::Int64; };
  return is_real(from) && is_real(to) && (is_hub(from) || is_hub(to));
}

}  // namespace cann::kernels
