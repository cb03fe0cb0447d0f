#include "torch_npu/csrc/dispatch/guarded.h"

#include <c10/util/Exception.h>

namespace torch_npu::detail {

void different_devices(const char* op, const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ", a.device(),
              " and ", b.device(), "! (when checking arguments for ", op, ")");
}

void DeviceCheck::see(const c10::List<std::optional<at::Tensor>>& list) {
  for (const std::optional<at::Tensor> t : list)
    if (t.has_value() && t->defined() && !(t->dim() == 0 && t->is_cpu()) && first != nullptr &&
        t->device() != first->device())
      different_devices(op, *first, *t);
}

}  // namespace torch_npu::detail
