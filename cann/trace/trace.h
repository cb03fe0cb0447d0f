// What happened when: a ring of the latest Tasks, with their times and the calls that launched them. Off, it costs one
// relaxed load a Task and one a call. Read by aclprof* (capi/acl/profiling.cpp), by aclEmbeddedReadTrace, and by
// NPU_EMBEDDED_TRACE.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cann::trace {

// The call of the C contract that put a Task on its stream.
struct Launch {
  const char* api = nullptr;  // "aclnnSoftplus", a literal; null where no operator or copy was asked for
  int32_t thread = 0;         // gettid() of the caller; 0 if the Task came before the trace
  int64_t begin_ns = 0, end_ns = 0;
};

struct Record {
  const char* name;  // a literal: a Task's name
  int device;
  uint32_t stream;
  int64_t start_ns, end_ns;
  Launch launch;
};

inline constexpr size_t kCapacity = size_t{1} << 20;  // records; older ones are overwritten

// Counted: the trace is on until everybody who started it has stopped it. The first to start it empties the ring.
void start();
void stop();
std::vector<Record> records();  // oldest first
uint64_t lost();                // records that were overwritten since the start
void clear();

// Chrome's trace format, for chrome://tracing and Perfetto.
std::string to_chrome_json(const std::vector<Record>& records);

extern std::atomic<bool> enabled;
inline bool on() { return enabled.load(std::memory_order_relaxed); }

void add(const Record& record);
int64_t time_ns();

// The call that this thread is in, while it lasts.
class Call {
 public:
  explicit Call(const char* api) : on_(on()) {
    if (on_) [[unlikely]]
      begin(api);
  }
  ~Call() {
    if (on_) [[unlikely]]
      end();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  static void begin(const char* api);
  static void end();
  const bool on_;
};

// This thread's call as a launch that ends now. pre: on()
Launch launch_now();

// Records the time of its own life. pre: on()
class Span {
 public:
  Span(const char* name, int device, uint32_t stream, const Launch& launch);
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  friend class Part;
  Record record_;
  Span* const outer_;
  bool in_parts_ = false;  // its parts are recorded, and would count twice with it
};

// One of the Tasks that a Task consists of (a replayed graph). Does nothing outside a Span.
class Part {
 public:
  explicit Part(const char* name) {
    if (on()) [[unlikely]]
      begin(name);
  }
  ~Part() {
    if (record_.name != nullptr) [[unlikely]]
      end();
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

 private:
  void begin(const char* name);
  void end();
  Record record_{};
};

}  // namespace cann::trace
