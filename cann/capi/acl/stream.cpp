// Streams, and host functions in stream order.
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

#include "acl/acl.h"
#include "cann/capi/acl/guarded.h"
#include "cann/runtime/runtime.h"

using namespace cann;
using capi::guarded;
using capi::not_supported;

struct aclrtStreamConfigHandle {
  uint32_t priority = 0;
  uint32_t flags = 0;
};

namespace {

// Calls f(stream) for a live stream.
template <class F>
aclError with_stream(const char* name, aclrtStream handle, F&& f) noexcept {
  return guarded(name, [&]() -> Status {
    ASSIGN_OR_RETURN(Stream * stream, Runtime::get().stream(handle));
    return f(*stream);
  });
}

// aclrtLaunchCallback's functions do not run on the stream but on the thread that was subscribed to it, inside
// aclrtProcessReport; a blocking one holds up the stream meanwhile.
class Reports {
 public:
  struct Call {
    aclrtCallback fn;
    void* data;
    std::shared_ptr<std::atomic<bool>> done;
  };

  Status subscribe(uint64_t thread, Stream* stream) {
    std::lock_guard lock(mutex_);
    if (!thread_of_.emplace(stream, thread).second) return {107011, "the stream has a thread subscribed already"};
    calls_[thread];
    return {};
  }

  Status unsubscribe(uint64_t thread, Stream* stream) {
    std::lock_guard lock(mutex_);
    auto found = thread_of_.find(stream);
    if (found == thread_of_.end() || found->second != thread)
      return {107011, "this thread is not subscribed to the stream"};
    thread_of_.erase(found);
    return {};
  }

  bool subscribed(Stream* stream) {
    std::lock_guard lock(mutex_);
    return thread_of_.count(stream) != 0;
  }

  void post(Stream* stream, Call call) {
    {
      std::lock_guard lock(mutex_);
      auto found = thread_of_.find(stream);
      if (found == thread_of_.end()) return call.done->store(true);
      calls_[found->second].push_back(std::move(call));
    }
    changed_.notify_all();
  }

  void wait(const std::atomic<bool>& done) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done.load(); });
  }

  Status process(uint64_t thread, int32_t timeout_ms) {
    Call call;
    {
      std::unique_lock lock(mutex_);
      auto found = calls_.find(thread);
      if (found == calls_.end()) return {107012, "this thread is subscribed to no stream"};
      const auto ready = [&] { return !found->second.empty(); };
      if (timeout_ms < 0)
        changed_.wait(lock, ready);
      else if (!changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ready))
        return {507012, "no callback came in time"};
      call = std::move(found->second.front());
      found->second.pop_front();
    }
    call.fn(call.data);
    {
      std::lock_guard lock(mutex_);
      call.done->store(true);
    }
    changed_.notify_all();
    return {};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Stream*, uint64_t> thread_of_;
  std::map<uint64_t, std::deque<Call>> calls_;
};

Reports& reports() {
  static Reports* const value = new Reports;
  return *value;
}

}  // namespace

aclError aclrtCreateStream(aclrtStream* stream) { return aclrtCreateStreamWithConfig(stream, 0, 0); }

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return guarded("aclrtCreateStream", [&]() -> Status {
    CANN_REQUIRE(stream);
    ASSIGN_OR_RETURN(Stream * made, Runtime::get().create_stream());
    made->priority = priority;
    made->flags = flag;
    *stream = made;
    return {};
  });
}

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() { return new (std::nothrow) aclrtStreamConfigHandle; }

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  delete handle;
  return ACL_SUCCESS;
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr, const void* attrValue,
                                 size_t valueSize) {
  return guarded("aclrtSetStreamConfigOpt", [&]() -> Status {
    CANN_REQUIRE(handle);
    CANN_REQUIRE(attrValue);
    uint32_t value = 0;
    std::memcpy(&value, attrValue, std::min(valueSize, sizeof value));
    if (attr == ACL_RT_STREAM_FLAG) handle->flags = value;
    if (attr == ACL_RT_STREAM_PRIORITY) handle->priority = value;
    return {};  // a work area is not needed
  });
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  return aclrtCreateStreamWithConfig(stream, handle ? handle->priority : 0, handle ? handle->flags : 0);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return guarded("aclrtDestroyStream", [&] { return Runtime::get().destroy_stream(static_cast<Stream*>(stream)); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }

aclError aclrtSynchronizeStream(aclrtStream stream) { return aclrtSynchronizeStreamWithTimeout(stream, -1); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return with_stream("aclrtSynchronizeStream", stream,
                     [&](Stream& s) { return s.synchronize(deadline_after_ms(timeout)); });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return with_stream("aclrtStreamQuery", stream, [&](Stream& s) -> Status {
    CANN_REQUIRE(status);
    if (s.capturing())
      return {error::kStreamCaptured, "the stream is being captured into a graph: it has no state to ask for"};
    *status = s.idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return {};
  });
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return with_stream("aclrtStreamGetId", stream, [&](Stream& s) -> Status {
    CANN_REQUIRE(streamId);
    *streamId = static_cast<int32_t>(s.id());
    return {};
  });
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return with_stream("aclrtStreamGetPriority", stream, [&](Stream& s) -> Status {
    CANN_REQUIRE(priority);
    *priority = s.priority;
    return {};
  });
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return with_stream("aclrtStreamGetFlags", stream, [&](Stream& s) -> Status {
    CANN_REQUIRE(flags);
    *flags = s.flags;
    return {};
  });
}

aclError aclrtStreamAbort(aclrtStream) { return not_supported("aclrtStreamAbort"); }
aclError aclrtStreamStop(aclrtStream) { return not_supported("aclrtStreamStop"); }

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return with_stream("aclrtSetStreamFailureMode", stream, [&](Stream& s) -> Status {
    s.failure_mode = mode;
    return {};
  });
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  return with_stream("aclrtSetStreamAttribute", stream, [&](Stream& s) -> Status {
    CANN_REQUIRE(value);
    if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE) s.failure_mode = value->failureMode;
    return {};
  });
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  return with_stream("aclrtGetStreamAttribute", stream, [&](Stream& s) -> Status {
    CANN_REQUIRE(value);
    *value = {};
    if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE) value->failureMode = s.failure_mode;
    return {};
  });
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t) {
  return with_stream("aclrtSetStreamOverflowSwitch", stream, [](Stream&) { return Status(); });
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return with_stream("aclrtGetStreamOverflowSwitch", stream, [&](Stream&) -> Status {
    CANN_REQUIRE(flag);
    *flag = 0;
    return {};
  });
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  return guarded("aclrtGetStreamAvailableNum", [&]() -> Status {
    CANN_REQUIRE(streamCount);
    *streamCount = 1024;
    return {};
  });
}

// The cores are one Team's, shared by all streams: a stream has no share of its own.
aclError aclrtSetStreamResLimit(aclrtStream, aclrtDevResLimitType, uint32_t) {
  return not_supported("aclrtSetStreamResLimit");
}
aclError aclrtResetStreamResLimit(aclrtStream) { return ACL_SUCCESS; }
aclError aclrtUseStreamResInCurrentThread(aclrtStream) { return ACL_SUCCESS; }
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream) { return ACL_SUCCESS; }

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value) {
  return with_stream("aclrtGetStreamResLimit", stream, [&](Stream&) -> Status {
    CANN_REQUIRE(value);
    (void)type;
    *value = static_cast<uint32_t>(Runtime::get().team().threads());
    return {};
  });
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType, uint32_t* value) {
  return guarded("aclrtGetResInCurrentThread", [&]() -> Status {
    CANN_REQUIRE(value);
    *value = static_cast<uint32_t>(Runtime::get().team().threads());
    return {};
  });
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return with_stream("aclrtLaunchHostFunc", stream, [&](Stream& s) -> Status {
    CANN_REQUIRE(fn);
    return s.enqueue(Task("host function", Stream::kNeverInlineUs, [fn, args](TaskContext&) { fn(args); }));
  });
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType, aclrtStream stream) {
  return with_stream("aclrtLaunchCallback", stream, [&](Stream& s) -> Status {
    CANN_REQUIRE(fn);
    if (!reports().subscribed(&s)) return {107011, "no thread is subscribed to the stream (aclrtSubscribeReport)"};
    const bool block = blockType == ACL_CALLBACK_BLOCK;
    return s.enqueue(Task("host callback", Stream::kNeverInlineUs, [fn, userData, block, stream = &s](TaskContext&) {
      auto done = std::make_shared<std::atomic<bool>>(false);
      reports().post(stream, {fn, userData, done});
      if (block) reports().wait(*done);
    }));
  });
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return with_stream("aclrtSubscribeReport", stream, [&](Stream& s) { return reports().subscribe(threadId, &s); });
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return with_stream("aclrtUnSubscribeReport", stream, [&](Stream& s) { return reports().unsubscribe(threadId, &s); });
}

aclError aclrtProcessReport(int32_t timeout) {
  return guarded("aclrtProcessReport",
                 [&] { return reports().process(static_cast<uint64_t>(pthread_self()), timeout); });
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback) {
  return ACL_SUCCESS;
}  // failures arrive as sticky errors
