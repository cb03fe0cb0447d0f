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

// The dtype of a tensor that the program wants on the device. Warns once where that is another.
at::ScalarType stored(at::ScalarType wanted);

}  // namespace torch_npu::float64
