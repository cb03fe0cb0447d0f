// Counts what is slow or surprising on a device: CPU fallbacks, host waits, hidden copies, float64. Read by
// torch_npu.diagnostics. Costs a look-up when something happens and nothing otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "torch_npu/csrc/export.h"

namespace torch_npu::counters {

enum class Kind { Fallback, HostWait, HiddenCopy, Float64 };

// One event of the kind: `what` is the operator or the reason. True the first time since the process began.
NPU_API bool count(Kind kind, std::string_view what, uint64_t bytes = 0);

struct Count {
  uint64_t calls = 0;
  uint64_t bytes = 0;  // moved between host and device on its account
  std::string reason;  // of the latest call, where there is one
};

NPU_API void add_bytes(Kind kind, std::string_view what, uint64_t bytes);
NPU_API void note_reason(Kind kind, std::string_view what, std::string reason);
NPU_API std::map<std::string, Count> read(Kind kind);
NPU_API void reset();

}  // namespace torch_npu::counters
