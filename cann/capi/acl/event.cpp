// Events, and words in device memory as flags.
#include <sched.h>

#include <atomic>

#include "acl/acl.h"
#include "cann/capi/acl/guarded.h"
#include "cann/runtime/runtime.h"

using namespace cann;
using capi::guarded;

namespace {

template <class F>
aclError with_event(const char* name, aclrtEvent handle, F&& f) noexcept {
  return guarded(name, [&]() -> Status {
    ASSIGN_OR_RETURN(Event * event, Runtime::get().event(handle));
    return f(*event);
  });
}

template <class F>
aclError with_event_and_stream(const char* name, aclrtEvent event_handle, aclrtStream stream_handle, F&& f) noexcept {
  return guarded(name, [&]() -> Status {
    ASSIGN_OR_RETURN(Event * event, Runtime::get().event(event_handle));
    ASSIGN_OR_RETURN(Stream * stream, Runtime::get().stream(stream_handle));
    return f(*event, *stream);
  });
}

bool flag_is_up(uint64_t seen, uint64_t wanted, uint32_t how) {
  switch (how) {
    case ACL_STREAM_WAIT_VALUE_EQ: return seen == wanted;
    case ACL_STREAM_WAIT_VALUE_AND: return (seen & wanted) != 0;
    case ACL_STREAM_WAIT_VALUE_NOR: return ~(seen | wanted) != 0;
    default: return static_cast<int64_t>(seen - wanted) >= 0;
  }
}

}  // namespace

aclError aclrtCreateEvent(aclrtEvent* event) { return aclrtCreateEventExWithFlag(event, 0); }
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) { return aclrtCreateEventExWithFlag(event, flag); }

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return guarded("aclrtCreateEvent", [&]() -> Status {
    CANN_REQUIRE(event);
    if (flag & ACL_EVENT_IPC) return {error::kFeatureNotSupport, "the embedded CANN has no events between processes"};
    ASSIGN_OR_RETURN(*event, Runtime::get().create_event());
    return {};
  });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return guarded("aclrtDestroyEvent", [&] { return Runtime::get().destroy_event(static_cast<Event*>(event)); });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return with_event_and_stream("aclrtRecordEvent", event, stream, [](Event& e, Stream& s) { return e.record(s); });
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t) {
  return aclrtRecordEvent(event, stream);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return with_event_and_stream("aclrtResetEvent", event, stream, [](Event& e, Stream&) -> Status {
    e.reset();  // at once: whoever waits already holds the record that he waits for
    return {};
  });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return with_event_and_stream("aclrtStreamWaitEvent", event, stream,
                               [](Event& e, Stream& s) { return e.make_wait(s); });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t) {
  return aclrtStreamWaitEvent(stream, event);
}
aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t, uint32_t) {
  return aclrtStreamWaitEvent(stream, event);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) { return aclrtSynchronizeEventWithTimeout(event, -1); }

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return with_event("aclrtSynchronizeEvent", event,
                    [&](Event& e) { return e.synchronize(deadline_after_ms(timeout)); });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return with_event("aclrtQueryEvent", event, [&](Event& e) -> Status {
    CANN_REQUIRE(status);
    *status = e.complete() ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return {};
  });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return with_event("aclrtQueryEventStatus", event, [&](Event& e) -> Status {
    CANN_REQUIRE(status);
    *status = e.complete() ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return {};
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return with_event("aclrtQueryEventWaitStatus", event, [&](Event& e) -> Status {
    CANN_REQUIRE(status);
    *status = e.complete() ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return {};
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return guarded("aclrtEventElapsedTime", [&]() -> Status {
    CANN_REQUIRE(ms);
    ASSIGN_OR_RETURN(Event * start, Runtime::get().event(startEvent));
    ASSIGN_OR_RETURN(Event * end, Runtime::get().event(endEvent));
    ASSIGN_OR_RETURN(const int64_t start_ns, start->time_ns());
    ASSIGN_OR_RETURN(const int64_t end_ns, end->time_ns());
    *ms = static_cast<float>(static_cast<double>(end_ns - start_ns) * 1e-6);
    return {};
  });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return with_event("aclrtEventGetTimestamp", event, [&](Event& e) -> Status {
    CANN_REQUIRE(timestamp);
    ASSIGN_OR_RETURN(const int64_t ns, e.time_ns());
    *timestamp = static_cast<uint64_t>(ns / 1000);  // microseconds
    return {};
  });
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return with_event("aclrtGetEventId", event, [&](Event& e) -> Status {
    CANN_REQUIRE(eventId);
    *eventId = e.id;
    return {};
  });
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return guarded("aclrtGetEventAvailNum", [&]() -> Status {
    CANN_REQUIRE(eventCount);
    *eventCount = 65536;
    return {};
  });
}

aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t, aclrtStream stream) {
  return guarded("aclrtValueWrite", [&]() -> Status {
    CANN_REQUIRE(devAddr);
    ASSIGN_OR_RETURN(Stream * s, Runtime::get().stream(stream));
    return s->enqueue(Task("write a flag", 0, [devAddr, value](TaskContext&) {
      std::atomic_ref<uint64_t>(*static_cast<uint64_t*>(devAddr)).store(value, std::memory_order_release);
    }));
  });
}

aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return guarded("aclrtValueWait", [&]() -> Status {
    CANN_REQUIRE(devAddr);
    ASSIGN_OR_RETURN(Stream * s, Runtime::get().stream(stream));
    return s->enqueue(Task("wait for a flag", Stream::kNeverInlineUs, [devAddr, value, flag](TaskContext&) {
      std::atomic_ref<uint64_t> word(*static_cast<uint64_t*>(devAddr));
      while (!flag_is_up(word.load(std::memory_order_acquire), value, flag)) sched_yield();
    }));
  });
}
