// A thread's own scratch for the tiles it works on: grows to the largest request and is kept. Contents are undefined at
// each call, and a second call may move it: ask once, for all that is needed.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include "cann/base/status.h"

namespace cann::ops {

// Slot 0 is for the tile loops of ops; slot 1 for oneDNN's scratchpad, which is needed inside such a loop.
void* thread_scratch(size_t bytes, int slot = 0);  // aligned to 64

// The first failure among a Task's chunks.
class FirstFailure {
 public:
  void note(Status status) {
    if (status.ok()) return;
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }
  Status take() { return std::move(status_); }

 private:
  std::mutex mutex_;
  Status status_;
};

}  // namespace cann::ops
