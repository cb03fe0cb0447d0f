#include "cann/trace/trace.h"

#include <chrono>
#include <cstdio>
#include <mutex>

namespace cann::trace {
namespace {

// Leaked, as every singleton of the runtime: a worker may outlive the statics.
struct Ring {
  std::mutex mutex;
  std::vector<Record> slots;
  size_t written = 0;
};

Ring& ring() {
  static Ring* const value = new Ring;
  return *value;
}

}  // namespace

std::atomic<bool> enabled{false};

int64_t time_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void start() {
  ring();
  enabled.store(true, std::memory_order_relaxed);
}

void stop() { enabled.store(false, std::memory_order_relaxed); }

void clear() {
  std::lock_guard lock(ring().mutex);
  ring().slots.clear();
  ring().written = 0;
}

void add(const Record& record) {
  std::lock_guard lock(ring().mutex);
  Ring& r = ring();
  try {
    if (r.slots.size() < kCapacity)
      r.slots.push_back(record);
    else
      r.slots[r.written % kCapacity] = record;
    ++r.written;
  } catch (...) {  // no memory: the trace loses a record, the Task nothing
  }
}

std::vector<Record> records() {
  std::lock_guard lock(ring().mutex);
  const Ring& r = ring();
  if (r.written <= kCapacity) return r.slots;
  std::vector<Record> ordered(r.slots.begin() + static_cast<ptrdiff_t>(r.written % kCapacity), r.slots.end());
  ordered.insert(ordered.end(), r.slots.begin(), r.slots.begin() + static_cast<ptrdiff_t>(r.written % kCapacity));
  return ordered;
}

std::string to_chrome_json(const std::vector<Record>& records) {
  std::string json = "[\n";
  char line[512];
  for (size_t i = 0; i < records.size(); ++i) {
    const Record& r = records[i];
    std::snprintf(line, sizeof line,
                  R"({"name": "%s", "ph": "X", "pid": "npu:%d", "tid": "stream %u", "ts": %.3f, "dur": %.3f}%s)",
                  r.name, r.device, r.stream, static_cast<double>(r.start_ns) / 1e3,
                  static_cast<double>(r.end_ns - r.start_ns) / 1e3, i + 1 < records.size() ? ",\n" : "\n");
    json += line;
  }
  return json + "]\n";
}

}  // namespace cann::trace
