// Where in the user's program something happened. libtorch_npu knows no Python: _C lends it these functions.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "torch_npu/csrc/export.h"

namespace torch_npu::events {

// A number for a chain of Python lines (python/frames.cpp): the innermost one outside torch and torch_npu, then the
// user's own ones that led there.
using Place = uint32_t;
inline constexpr Place kNowhere = 0;

// All may be called without the interpreter's lock, and never with a lock of ours held.
struct PlaceFinder {
  Place (*here)() = nullptr;         // of this thread; nowhere if it has no Python frames
  Place (*of_backward)() = nullptr;  // where some thread waits in backward()
  Place (*of_operator)(const char* name, uint64_t calls) = nullptr;  // the innermost line alone; counts the calls
  std::string (*describe)(Place place) = nullptr;                    // "train.py:12", or ""
};
NPU_API void set_place_finder(const PlaceFinder& finder);
const PlaceFinder& place_finder();

// Lines, operators and single events are wanted: a watch is on, or a policy warns or raises.
namespace detail {
extern std::atomic<bool> is_tracing;
}
inline bool tracing() { return detail::is_tracing.load(std::memory_order_relaxed); }

}  // namespace torch_npu::events
