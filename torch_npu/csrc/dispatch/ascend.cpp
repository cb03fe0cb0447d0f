// The imitation replaces kernels in the dispatcher's table once, when the library loads: nothing is asked on any call.
#include "torch_npu/csrc/dispatch/ascend.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_to_copy_ops.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include "torch_npu/csrc/diagnostics/float64.h"
#include "torch_npu/csrc/dispatch/fallback.h"
#include "torch_npu/csrc/loader/library.h"

namespace torch_npu::ascend {
namespace {

// What makes a tensor out of nothing has nothing to copy, and must stay where memory is.
bool takes_a_tensor(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), [](const c10::Argument& argument) {
    const auto kind = argument.type()->kind();
    return kind == c10::TypeKind::TensorType || kind == c10::TypeKind::ListType;
  });
}

// The dispatcher warns of a kernel that replaces another, which is what is asked for here.
struct Silence final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

torch::Library& overrides() {
  static auto& library = *new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, 0);
  return library;
}

void leave_to_the_cpu(std::string_view name) {
  const auto dot = name.find('.');
  const c10::OperatorName operator_name(std::string(name.substr(0, dot)),
                                        dot == std::string_view::npos ? "" : std::string(name.substr(dot + 1)));
  const auto op = c10::Dispatcher::singleton().findSchema(operator_name);
  if (!op.has_value() || !takes_a_tensor(op->schema())) return;
  overrides().impl(std::string(name.substr(name.rfind(':') + 1)).c_str(),
                   torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
}

// An Ascend answers `.double()` and `.to(torch.float64)` on one of its tensors with float32.
at::Tensor cast(const at::Tensor& self, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                std::optional<at::Device> device, std::optional<bool> pin_memory, bool non_blocking,
                std::optional<at::MemoryFormat> format) {
  const bool stays = self.is_privateuseone() && (!device.has_value() || device->is_privateuseone());
  if (stays && dtype == at::kDouble && self.scalar_type() != at::kDouble) {
    TORCH_WARN_ONCE("torch_npu: an Ascend casts to float32 where float64 is asked for (NPU_EMBEDDED_FIDELITY=ascend)");
    dtype = at::kFloat;
  }
  // PyTorch's own kernel, which allocates and calls copy_, stands under every key that has no other.
  return at::_ops::_to_copy::redispatch(c10::DispatchKeySet(c10::DispatchKey::CPU), self, dtype, layout, device,
                                        pin_memory, non_blocking, format);
}

}  // namespace

const Overload* find(std::string_view name) noexcept {
  const auto all = table();
  const auto at =
      std::lower_bound(all.begin(), all.end(), name, [](const Overload& o, std::string_view n) { return o.name < n; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

bool is_imitated() {
  static const bool imitated = [] {
    const char* value = std::getenv("NPU_EMBEDDED_FIDELITY");  // its spelling is checked by the embedded CANN
    return value != nullptr && std::string_view(value) == "ascend" && find_cann().first.embedded;
  }();
  return imitated;
}

void refuse(events::Tally& tally, at::ScalarType dtype) {
  if (dtype == at::kDouble && float64::mode() == float64::Mode::Fallback) return;  // it goes to the CPU anyway
  tally.note();
  TORCH_CHECK(!is_imitated(), tally.what(), " does not take ", c10::getDtypeNames(dtype).first, ": ", tally.reason(),
              ". NPU_EMBEDDED_FIDELITY=ascend fails where an Ascend does.");
}

void imitate() {
  if (!is_imitated()) return;
  Silence silence;
  c10::WarningUtils::WarningHandlerGuard guard(&silence);
  for (const Overload& overload : table())
    if (overload.runs == Runs::Cpu && overload.native_here) leave_to_the_cpu(overload.name);
  overrides().impl("_to_copy", TORCH_FN(cast));
}

}  // namespace torch_npu::ascend
