#include "cann/trace/trace.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <mutex>
#include <utility>

namespace cann::trace {
namespace {

// Leaked, as every singleton of the runtime: a worker may outlive the statics.
struct Ring {
  std::mutex mutex;
  std::vector<Record> slots;
  size_t written = 0;
  int users = 0;
};

Ring& ring() {
  static Ring* const value = new Ring;
  return *value;
}

thread_local Launch t_call;
thread_local Span* t_span = nullptr;

}  // namespace

std::atomic<bool> enabled{false};

int64_t time_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void start() {
  Ring& r = ring();
  std::lock_guard lock(r.mutex);
  if (r.users++ == 0) {
    r.slots.clear();
    r.written = 0;
  }
  enabled.store(true, std::memory_order_relaxed);
}

void stop() {
  Ring& r = ring();
  std::lock_guard lock(r.mutex);
  if (r.users > 0) --r.users;
  enabled.store(r.users > 0, std::memory_order_relaxed);
}

void clear() {
  std::lock_guard lock(ring().mutex);
  ring().slots.clear();
  ring().written = 0;
}

uint64_t lost() {
  std::lock_guard lock(ring().mutex);
  return ring().written - ring().slots.size();
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

void Call::begin(const char* api) { t_call = {api, static_cast<int32_t>(gettid()), time_ns(), 0}; }

void Call::end() { t_call = {}; }

Launch launch_now() {
  const int64_t now = time_ns();
  if (t_call.api == nullptr) return {nullptr, static_cast<int32_t>(gettid()), now, now};
  return {t_call.api, t_call.thread, t_call.begin_ns, now};
}

Span::Span(const char* name, int device, uint32_t stream, const Launch& launch)
    : record_{name, device, stream, time_ns(), 0, launch}, outer_(std::exchange(t_span, this)) {}

Span::~Span() {
  t_span = outer_;
  if (in_parts_) return;
  record_.end_ns = time_ns();
  add(record_);
}

void Part::begin(const char* name) {
  if (t_span == nullptr) return;
  t_span->in_parts_ = true;
  record_ = t_span->record_;
  record_.name = name;
  record_.start_ns = time_ns();
}

void Part::end() {
  record_.end_ns = time_ns();
  add(record_);
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
