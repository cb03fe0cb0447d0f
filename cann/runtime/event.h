// Events: a Mark is one record of an event on a stream; whoever waits for it holds it by count, so that the event may
// be recorded anew, reset or destroyed meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "cann/base/status.h"
#include "cann/runtime/clock.h"

namespace cann {

class Recording;
class Stream;

struct Mark {
  Stream* stream = nullptr;
  uint64_t position = 0;               // it is done when the stream has run so far
  std::shared_ptr<Recording> capture;  // recorded into a graph: to be replayed, not waited for
  std::atomic<int64_t> done_ns{0};     // the time when the stream came to it; 0 before

  bool done() const { return done_ns.load(std::memory_order_acquire) != 0; }
};
using MarkPtr = std::shared_ptr<Mark>;

class Event {
 public:
  Status record(Stream& stream);
  // The stream's later work waits for the latest record; nothing to wait for if there is none.
  Status make_wait(Stream& stream);
  Status synchronize(Deadline deadline);
  bool complete() const;
  void reset();
  // pre: recorded and complete, else an error
  Result<int64_t> time_ns() const;

  std::atomic<bool> live{false};
  uint32_t id = 0;

 private:
  MarkPtr latest() const;

  mutable std::mutex mutex_;
  MarkPtr latest_;
};

// Waits for the mark's stream to come to it, running that stream's work if nobody else does.
Status wait_for(const Mark& mark, Deadline deadline);

}  // namespace cann
