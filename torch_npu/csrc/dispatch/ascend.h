// What a real Ascend does with each ATen overload: the generated table (codegen/ascend.py), and the ways to ask it.
// NPU_EMBEDDED_FIDELITY=ascend makes the embedded device leave to the CPU what an Ascend leaves to it, and refuse what
// an Ascend refuses.
#pragma once

#include <span>
#include <string_view>

#include <c10/core/ScalarType.h>

#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/export.h"

namespace torch_npu::ascend {

enum class Runs { Native, AiCpu, Cpu };

struct Overload {
  std::string_view name;   // "aten::softplus.out"
  std::string_view aclnn;  // the CANN operator that the adapter calls for it; "" if none, or none that CANN has
  Runs runs;               // there
  bool native_here;        // the adapter has a kernel of its own: no fallback, not composed of others
  std::string_view
      dtypes;  // that CANN's documentation gives for the first input: "bf16 fp16 fp32"; "" if it gives none
};

NPU_API std::span<const Overload> table() noexcept;  // sorted by name

// Null where nothing is known: an operator that is composed of others, or not PyTorch's.
NPU_API const Overload* find(std::string_view name) noexcept;

// The CANN operators that the adapter may call, extensions of the embedded CANN left out.
NPU_API std::span<const std::string_view> functions() noexcept;

// Whether the embedded CANN is to do as an Ascend does (NPU_EMBEDDED_FIDELITY=ascend). Constant for the process's life.
NPU_API bool is_imitated();

template <at::ScalarType... kTypes>
constexpr bool is_one_of(at::ScalarType type) {
  return ((type == kTypes) || ...);
}

// A call whose dtype CANN refuses: counted, and RuntimeError if the embedded device is to do as an Ascend does.
NPU_API void refuse(events::Tally& tally, at::ScalarType dtype);

// If so, replaces the kernels of what an Ascend leaves to the CPU by the fallback, and casts to float64 by ones to
// float32. Once, before the first call.
NPU_API void imitate();

}  // namespace torch_npu::ascend
