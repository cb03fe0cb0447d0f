// CANN's clock is the monotonic one; the difference to the calendar's is taken when the trace ends.
#include "torch_npu/csrc/profiler/device_trace.h"

#include <chrono>
#include <string_view>

#include "acl/acl_embedded.h"
#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu::profiler {
namespace {

const acl::Acl<decltype(aclprofCreateConfig)> create_config{"aclprofCreateConfig", Library::Ascendcl};
const acl::Acl<decltype(aclprofDestroyConfig)> destroy_config{"aclprofDestroyConfig", Library::Ascendcl};
const acl::Acl<decltype(aclprofStart)> start_trace{"aclprofStart", Library::Ascendcl};
const acl::Acl<decltype(aclprofStop)> stop_trace{"aclprofStop", Library::Ascendcl};
const acl::Acl<decltype(aclEmbeddedReadTrace)> read_trace{"aclEmbeddedReadTrace", Library::Ascendcl};

template <class Clock>
int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

// Bookkeeping of a stream (events, host functions) is no device work.
bool classify(const aclEmbeddedTraceRecord& record, Kind& kind) {
  if (record.api == nullptr) return false;
  const std::string_view name(record.name), api(record.api);
  const bool runtime = api.substr(0, 4) == "aclr";  // aclrtMemcpyAsync, not aclnnAdd or aclmdlRIExecuteAsync
  kind = !runtime ? Kind::Kernel : name.substr(0, 4) == "fill" ? Kind::Fill : Kind::Copy;
  return true;
}

}  // namespace

void DeviceTrace::start() {
  device::start();
  if (read_trace.try_get() == nullptr) {
    problems_.push_back("the CANN in " + cann_location().root +
                        " keeps its trace in files of its own: this profile has no device tracks. Use CANN's msprof.");
    return;
  }
  uint32_t devices[device::kMaxDevices];
  const auto count = static_cast<uint32_t>(device::count());
  for (uint32_t i = 0; i < count; ++i) devices[i] = i;
  config_ = create_config(devices, count, ACL_AICORE_NONE, nullptr, ACL_PROF_ACL_API | ACL_PROF_TASK_TIME);
  started_ns_ = now_ns<std::chrono::steady_clock>();
  acl::check(start_trace(config_), "aclprofStart");
}

void DeviceTrace::stop() {
  if (config_ == nullptr) return;
  stop_trace(config_);
  read();
  destroy_config(std::exchange(config_, nullptr));
}

DeviceTrace::~DeviceTrace() { stop(); }

void DeviceTrace::read() {
  struct Reader {
    std::vector<DeviceEvent>& events;
    int64_t since_ns, to_calendar_ns;
  } reader{events_, started_ns_, now_ns<std::chrono::system_clock>() - now_ns<std::chrono::steady_clock>()};
  const uint64_t lost = read_trace(
      [](const aclEmbeddedTraceRecord* record, void* user) {
        const Reader& r = *static_cast<Reader*>(user);
        Kind kind;
        if (record->end_ns < r.since_ns || !classify(*record, kind)) return;
        r.events.push_back({kind, record->name, record->api, record->device, record->stream,
                            record->start_ns + r.to_calendar_ns, record->end_ns + r.to_calendar_ns,
                            record->launch_thread, record->launch_begin_ns + r.to_calendar_ns,
                            record->launch_end_ns + r.to_calendar_ns});
      },
      &reader);
  if (lost > 0)
    problems_.push_back(std::to_string(lost) +
                        " of the oldest device events did not fit into the trace: profile fewer steps");
}

}  // namespace torch_npu::profiler
