// What is slow or surprising on a device, as one stream of events from dispatch and runtime: the diagnostics' one
// source. An event is counted under its kind, what it is about, and the user's line where that is known (places.h);
// while a watch is on, the latest ones are also kept one by one. Costs a look-up when something happens, else nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "torch_npu/csrc/diagnostics/places.h"
#include "torch_npu/csrc/export.h"

namespace torch_npu::events {

// In the order of kNames.
enum class Kind : uint8_t {
  Fallback,    // an operator ran on the CPU. what: the operator
  Sync,        // the host waited for the device. what: why ("item", "copy to host", "synchronize", ...)
  Copy,        // bytes between host and device that the program asked for. what: the direction and how
  Contiguous,  // a copy that no line of the program asks for, or an input that makes CANN do one
  Float64,     // an operator got float64
  Complex,     // an operator got complex numbers
  Unfused,     // an operator that an Ascend would not fuse. reason: why
  Fused,       // an operator that it would
  Retry,       // memory ran short and the caches were given back
  Recompile,   // a compiled graph: compiled again, or left to eager operators
  Ascend,      // computed here; an Ascend leaves it to the CPU, or refuses it
};
inline constexpr size_t kKinds = 11;
inline constexpr const char* kNames[kKinds] = {"fallback", "sync",  "copy",  "contiguous", "float64", "complex",
                                               "unfused",  "fused", "retry", "recompile",  "ascend"};

struct Detail {
  std::string_view reason;   // why; may be empty
  std::string operands;      // dtypes and sizes, as operands_of() writes them; built only where tracing() is on
  std::string_view op_name;  // the operator, where `what` is not one; found by itself while tracing() is on
};

// One event, from its beginning to its end: the time between is its cost. The constructor applies the kind's policy
// (policies.h), so that an error is raised before anything has been done.
class NPU_API Occurrence {
 public:
  Occurrence(Kind kind, std::string_view what, Detail detail = {});
  ~Occurrence();
  Occurrence(const Occurrence&) = delete;
  Occurrence& operator=(const Occurrence&) = delete;
  void add_bytes(uint64_t bytes) { bytes_ += bytes; }

 private:
  const Kind kind_;
  const bool wanted_;
  std::string what_;
  Detail detail_;
  Place place_ = kNowhere;
  uint64_t bytes_ = 0;
  int64_t start_ns_ = 0;
};

// An event without duration.
NPU_API void record(Kind kind, std::string_view what, Detail detail = {}, uint64_t bytes = 0);

// Events that may come with every operator: without tracing an increment instead of a look-up. Lives as long as the
// process (a static variable where the events happen).
class NPU_API Tally {
 public:
  Tally(Kind kind, const char* what, const char* reason = "");
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  void note();  // while tracing once an operator as the user called it
  const char* what() const { return what_; }
  const char* reason() const { return reason_; }

 private:
  friend struct Store;
  const Kind kind_;
  const char *const what_, *const reason_;
  std::atomic<uint64_t> untold_{0};  // calls that the tables do not have yet
};

// All events of one kind, about one thing, from one place.
struct Count {
  Kind kind;
  std::string what;
  Place place;
  uint64_t calls = 0;
  // Calls that had device work between them and the former one: a hundred copies in a row are one round. Only while
  // tracing() is on.
  uint64_t rounds = 0;
  uint64_t bytes = 0;
  int64_t time_ns = 0;
  std::string op_name, reason, operands;  // of the latest call
  uint64_t last_work = 0;
};

// One event by itself.
struct Moment {
  Kind kind;
  std::string what;
  Place place;
  uint64_t thread;
  int64_t start_ns, duration_ns;
  uint64_t bytes;
};

NPU_API std::vector<Count> counts();
NPU_API std::vector<Moment> timeline();  // oldest first; at most the latest kTimeline
NPU_API void reset();

inline constexpr size_t kTimeline = size_t{1} << 16;

NPU_API int64_t now_ns();

// Waits and copies in this scope happen on account of something else ("nonzero", "fallback") and are counted under it.
class NPU_API Cause {
 public:
  explicit Cause(const char* name);
  ~Cause();
  Cause(const Cause&) = delete;
  Cause& operator=(const Cause&) = delete;
  static const char* current();  // null outside of any

 private:
  const char* former_;
};

// "float32[3, 4], bool[4]"; empty unless tracing() is on: nobody would read it.
NPU_API std::string operands_of(at::ArrayRef<at::Tensor> tensors);

}  // namespace torch_npu::events
