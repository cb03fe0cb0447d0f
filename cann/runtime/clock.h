// The device's clock, and deadlines for waiting.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace cann {

inline int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// When to stop waiting; nothing means never.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// AscendCL counts in milliseconds; -1 waits for ever.
inline Deadline deadline_after_ms(int32_t ms) {
  if (ms < 0) return std::nullopt;
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
}

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace cann
