// An event that destroys itself, and helpers over aclrtEvent. CANN keeps an event alive under pending tasks.
#pragma once

#include "acl/acl.h"
#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu::event {

inline aclrtEvent create(bool timing) {
  aclrtEvent event = nullptr;
  const uint32_t flags = timing ? ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC : ACL_EVENT_SYNC;
  acl::check(acl::create_event(&event, flags), "aclrtCreateEventExWithFlag");
  return event;
}

inline bool done(aclrtEvent event) {
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  acl::check(acl::query_event(event, &status), "aclrtQueryEventStatus");
  return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}

class Event {
 public:
  explicit Event(bool timing = false) : event_(create(timing)) {}
  Event(Event&& other) noexcept : event_(other.event_) { other.event_ = nullptr; }
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) acl::destroy_event(event_);
  }

  void record(aclrtStream stream) { acl::check(acl::record_event(event_, stream), "aclrtRecordEvent"); }
  void block(aclrtStream stream) const { acl::check(acl::stream_wait_event(stream, event_), "aclrtStreamWaitEvent"); }
  void synchronize() const { acl::check(acl::synchronize_event(event_), "aclrtSynchronizeEvent"); }
  bool done() const { return event::done(event_); }
  // pre: both have a timing, and have ended.
  float milliseconds_to(const Event& later) const {
    float milliseconds = 0;
    acl::check(acl::event_elapsed_time(&milliseconds, event_, later.event_), "aclrtEventElapsedTime");
    return milliseconds;
  }

 private:
  aclrtEvent event_ = nullptr;
};

}  // namespace torch_npu::event
