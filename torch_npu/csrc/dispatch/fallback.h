// The CPU fallback: right, never silent, counted. Serves operators without a kernel and calls that the device refuses.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "torch_npu/csrc/export.h"

namespace torch_npu {

class Refusal;

// Boxed: runs the operator's CPU kernel on copies, writes back what it changed (hidden outputs such as running
// statistics too), brings results to the device. Warns once per operator; an error where
// TORCH_NPU_FALLBACK_CPU_DISABLE=1. Also usable as at::native::call_fallback_fn<&cpu_fallback, at::_ops::X>.
NPU_API void cpu_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// Remembers why the device declined: the reason of the fallback that this thread does next.
void note_refusal(const Refusal& refusal);

}  // namespace torch_npu
