// What happened when: a ring of the latest Tasks, with their times. Off, it costs one load a Task.
// Read by aclprof* (capi/acl/profiling.cpp) and by NPU_EMBEDDED_TRACE.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cann::trace {

struct Record {
  const char* name;  // a literal: a Task's name
  int device;
  uint32_t stream;
  int64_t start_ns, end_ns;
};

inline constexpr size_t kCapacity = size_t{1} << 20;  // records; older ones are overwritten

void start();
void stop();
std::vector<Record> records();  // oldest first
void clear();

// Chrome's trace format, for chrome://tracing and Perfetto.
std::string to_chrome_json(const std::vector<Record>& records);

extern std::atomic<bool> enabled;
void add(const Record& record);
int64_t time_ns();

// Records the time of its own life.
class Span {
 public:
  Span(const char* name, int device, uint32_t stream) : on_(enabled.load(std::memory_order_relaxed)) {
    if (on_) [[unlikely]]
      record_ = {name, device, stream, time_ns(), 0};
  }
  ~Span() {
    if (!on_) [[likely]]
      return;
    record_.end_ns = time_ns();
    add(record_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  const bool on_;
  Record record_{};
};

}  // namespace cann::trace
