#include "torch_npu/csrc/profiler/correlation.h"

#include <unistd.h>

#include <algorithm>

namespace torch_npu::profiler {

void Correlation::push(uint64_t id, int64_t now_ns) {
  std::lock_guard lock(mutex_);
  Thread& thread = threads_[static_cast<int32_t>(gettid())];
  thread.open.push_back(id);
  thread.changes.push_back({now_ns, id});
}

void Correlation::pop(int64_t now_ns) {
  std::lock_guard lock(mutex_);
  Thread& thread = threads_[static_cast<int32_t>(gettid())];
  if (thread.open.empty()) return;  // it began before the profile did
  thread.open.pop_back();
  thread.changes.push_back({now_ns, thread.open.empty() ? 0 : thread.open.back()});
}

uint64_t Correlation::find(int32_t thread, int64_t time_ns) const {
  std::lock_guard lock(mutex_);
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return 0;
  const auto& changes = found->second.changes;
  const auto after = std::upper_bound(changes.begin(), changes.end(), time_ns,
                                      [](int64_t time, const Change& change) { return time < change.time_ns; });
  return after == changes.begin() ? 0 : std::prev(after)->id;
}

}  // namespace torch_npu::profiler
