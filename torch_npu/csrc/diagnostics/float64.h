// What becomes of float64, which an Ascend computes slowly or not at all (TORCH_NPU_FLOAT64, read in Python).
#pragma once

#include <c10/core/ScalarType.h>

#include "torch_npu/csrc/export.h"

namespace torch_npu::float64 {

enum class Mode {
  Native,    // computed as it is
  Float32,   // tensors made on the device or moved there are float32
  Fallback,  // operators with float64 run on the CPU, counted as fallbacks
};
NPU_API void set_mode(Mode mode);
Mode mode();

namespace detail {
at::ScalarType stored_double();
}

// The dtype of a tensor that the program wants on the device: what it makes, moves there or casts. Warns
// once where that is another; throws where the policy of float64 is an error.
inline at::ScalarType stored(at::ScalarType wanted) { return wanted == at::kDouble ? detail::stored_double() : wanted; }

}  // namespace torch_npu::float64
