// What surrounds every native kernel: tensors must share a device, and a refused call goes to the counted CPU fallback.
#pragma once

#include <optional>

#include <ATen/core/IListRef.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/CPUFallback.h>

#include "torch_npu/csrc/dispatch/arguments.h"
#include "torch_npu/csrc/dispatch/fallback.h"

namespace torch_npu {

namespace detail {

[[noreturn]] void different_devices(const char* op, const at::Tensor& a, const at::Tensor& b);

// CPU scalars may stand beside device tensors, as everywhere in PyTorch.
struct DeviceCheck {
  const char* op;
  const at::Tensor* first = nullptr;

  void see(const at::Tensor& t) {
    if (!t.defined() || (t.dim() == 0 && t.is_cpu())) return;
    if (first == nullptr)
      first = &t;
    else if (t.device() != first->device()) [[unlikely]]
      different_devices(op, *first, t);
  }
  void see(const std::optional<at::Tensor>& t) {
    if (t.has_value()) see(*t);
  }
  void see(at::TensorList list) {
    for (const at::Tensor& t : list) see(t);
  }
  void see(const at::ITensorListRef& list) {
    for (const at::Tensor& t : list) see(t);
  }
  void see(const c10::List<std::optional<at::Tensor>>& list);
};

}  // namespace detail

// Throws RuntimeError in PyTorch's words if two of the tensors are on different devices.
template <class... Tensors>
void check_devices(const char* op, const Tensors&... tensors) {
  detail::DeviceCheck check{op};
  (check.see(tensors), ...);
}

// Runs the native kernel; where the device refuses, the CPU fallback with the same arguments.
template <class Op, class Kernel, class... Args>
auto guarded(Kernel&& kernel, Args&... args) -> decltype(kernel()) {
  try {
    return kernel();
  } catch (const Refusal& refusal) {
    note_refusal(refusal);
  }
  return at::native::call_fallback_fn<&cpu_fallback, Op>::call(args...);
}

}  // namespace torch_npu
