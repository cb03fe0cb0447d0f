#include "torch_npu/csrc/diagnostics/float64.h"

#include <atomic>

#include <c10/util/Exception.h>

#include "torch_npu/csrc/diagnostics/operators.h"
#include "torch_npu/csrc/diagnostics/policies.h"

namespace torch_npu::float64 {
namespace {
std::atomic<Mode> chosen{Mode::Native};
}

void set_mode(Mode mode) { chosen = mode; }

Mode mode() { return chosen.load(std::memory_order_relaxed); }

at::ScalarType detail::stored_double() {
  if (mode() == Mode::Float32) {
    TORCH_WARN_ONCE("torch_npu: TORCH_NPU_FLOAT64=float32: tensors of float64 are float32 on the NPU");
    return at::kFloat;
  }
  // The operators that get it are counted; an error comes before there is such a tensor, even an empty one.
  if (mode() == Mode::Native && policies::of(events::Kind::Float64) == policies::Policy::Error) {
    const std::string_view name = events::operators::current_name();
    events::record(events::Kind::Float64, name.empty() ? "operator" : name,
                   {.reason = "float64", .operands = {}, .op_name = {}});
  }
  return at::kDouble;
}

}  // namespace torch_npu::float64
