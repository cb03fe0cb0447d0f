#include "cann/runtime/event.h"

#include "cann/runtime/error.h"
#include "cann/runtime/stream.h"

namespace cann {

Status wait_for(const Mark& mark, Deadline deadline) {
  if (mark.done()) return {};
  return mark.stream->wait_until(mark.position, deadline);
}

MarkPtr Event::latest() const {
  std::lock_guard lock(mutex_);
  return latest_;
}

Status Event::record(Stream& stream) {
  auto mark = std::make_shared<Mark>();
  RETURN_IF_ERROR(stream.mark(mark));
  std::lock_guard lock(mutex_);
  latest_ = std::move(mark);
  return {};
}

Status Event::make_wait(Stream& stream) {
  MarkPtr mark = latest();
  if (!mark) return {};
  if (mark->capture) return stream.join_capture(mark->capture);
  if (mark->done() || mark->stream == &stream) return {};
  return stream.enqueue(Task("wait for an event", Stream::kNeverInlineUs,
                             [mark](TaskContext&) { return wait_for(*mark, std::nullopt); }));
}

Status Event::synchronize(Deadline deadline) {
  MarkPtr mark = latest();
  if (!mark) return {};
  if (mark->capture)
    return {error::kEventCaptured, "synchronize event: it was recorded into a graph that is being captured"};
  RETURN_IF_ERROR(wait_for(*mark, deadline));
  return mark->stream->take_error();
}

bool Event::complete() const {
  MarkPtr mark = latest();
  return !mark || mark->done();
}

void Event::reset() {
  std::lock_guard lock(mutex_);
  latest_.reset();
}

Result<int64_t> Event::time_ns() const {
  MarkPtr mark = latest();
  if (!mark) return Status{error::kEventTimestampInvalid, "event time: the event was never recorded"};
  if (!mark->done())
    return Status{error::kEventNotComplete, "event time: the event is recorded but the stream has not come to it yet"};
  return mark->done_ns.load(std::memory_order_acquire);
}

}  // namespace cann
