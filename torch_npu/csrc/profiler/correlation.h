// Which of PyTorch's operators each thread was in at each time: the profiler says when one begins and ends, and a
// launch is looked up by its thread and time. So launching itself knows nothing of profiling.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace torch_npu::profiler {

class Correlation {
 public:
  // Of the calling thread. Times are nanoseconds since 1970.
  void push(uint64_t id, int64_t now_ns);
  void pop(int64_t now_ns);

  // The innermost operator that `thread` (gettid) was in at that time; 0 if none.
  uint64_t find(int32_t thread, int64_t time_ns) const;

 private:
  struct Change {
    int64_t time_ns;
    uint64_t id;  // from then on
  };
  struct Thread {
    std::vector<uint64_t> open;
    std::vector<Change> changes;
  };

  mutable std::mutex mutex_;
  std::unordered_map<int32_t, Thread> threads_;
};

}  // namespace torch_npu::profiler
