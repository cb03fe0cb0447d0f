#include "torch_npu/csrc/diagnostics/float64.h"

#include <atomic>

#include <c10/util/Exception.h>

namespace torch_npu::float64 {
namespace {
std::atomic<Mode> chosen{Mode::Native};
}

void set_mode(Mode mode) { chosen = mode; }

Mode mode() { return chosen.load(std::memory_order_relaxed); }

at::ScalarType stored(at::ScalarType wanted) {
  if (wanted != at::kDouble || mode() != Mode::Float32) [[likely]]
    return wanted;
  TORCH_WARN_ONCE("torch_npu: TORCH_NPU_FLOAT64=float32: tensors of float64 are float32 on the NPU");
  return at::kFloat;
}

}  // namespace torch_npu::float64
