// The devices' part of torch.profiler: registered with kineto by PyTorch's own hook for a PrivateUse1 backend. Gives
// each launch as an event of its host thread and each kernel, copy and fill as one of its stream, joined by an arrow.
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <c10/util/Exception.h>
#include <libkineto.h>
#include <output_base.h>
#include <torch/csrc/profiler/standalone/privateuse1_profiler.h>

#include "torch_npu/csrc/profiler/correlation.h"
#include "torch_npu/csrc/profiler/device_trace.h"

namespace torch_npu::profiler {
namespace {

using libkineto::ActivityType;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

ActivityType type_of(Kind kind) {
  switch (kind) {
    case Kind::Copy: return ActivityType::GPU_MEMCPY;
    case Kind::Fill: return ActivityType::GPU_MEMSET;
    case Kind::Kernel: break;
  }
  return ActivityType::CONCURRENT_KERNEL;
}

class Session final : public libkineto::IActivityProfilerSession {
 public:
  void start() override {
    // A profile of a program that never gets to a device is one of its CPU part.
    try {
      trace_.start();
    } catch (const c10::Error& error) {
      TORCH_WARN("torch.profiler records no NPU: ", error.what_without_backtrace());
    }
    buffer_->span.startTime = now_ns();
    status_ = libkineto::TraceStatus::RECORDING;
  }

  void stop() override {
    if (status_ != libkineto::TraceStatus::RECORDING) return;
    trace_.stop();
    for (const std::string& problem : trace_.problems()) TORCH_WARN("torch.profiler: ", problem);
    buffer_->span.endTime = now_ns();
    status_ = libkineto::TraceStatus::PROCESSING;
  }

  std::vector<std::string> errors() override { return trace_.problems(); }

  void processTrace(libkineto::ActivityLogger& logger) override {
    processTrace(logger, [](int32_t) { return nullptr; }, 0, INT64_MAX);
  }

  void processTrace(libkineto::ActivityLogger& logger, libkineto::getLinkedActivityCallback linked, int64_t,
                    int64_t) override {
    name_tracks(logger);
    int32_t flow = 0;
    for (const DeviceEvent& event : trace_.events()) {
      const uint64_t id = correlation_.find(event.launch_thread, event.launch_begin_ns);
      const libkineto::ITraceActivity* const op = id != 0 ? linked(static_cast<int32_t>(id)) : nullptr;
      ++flow;
      if (event.launch_thread != 0) logger.handleActivity(launch(event, flow, op));
      logger.handleActivity(work(event, flow, op));
    }
    buffer_->gpuOpCount = flow;
  }

  // Devices and streams are named in processTrace, as there is room for one device here. For the first it must be here:
  // in between kineto calls its process id, 0, a "GPU 0".
  std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override {
    return std::make_unique<libkineto::DeviceInfo>(device_info(0));
  }
  std::vector<libkineto::ResourceInfo> getResourceInfos() override { return {}; }
  std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override { return std::move(buffer_); }

  void pushCorrelationId(uint64_t id) override { correlation_.push(id, now_ns()); }
  void popCorrelationId() override { correlation_.pop(now_ns()); }

 private:
  static libkineto::DeviceInfo device_info(int device) {
    const std::string name = "npu:" + std::to_string(device);
    return {device, libkineto::kExceedMaxPid + device, name, name};
  }

  void name_tracks(libkineto::ActivityLogger& logger) const {
    std::map<int, std::set<uint32_t>> streams;
    for (const DeviceEvent& event : trace_.events()) streams[event.device].insert(event.stream);
    for (const auto& [device, numbers] : streams) {
      logger.handleDeviceInfo(device_info(device), buffer_->span.startTime);
      for (const uint32_t number : numbers)
        logger.handleResourceInfo({number, number, device, "stream " + std::to_string(number)},
                                  buffer_->span.startTime);
    }
  }

  libkineto::GenericTraceActivity& add(ActivityType type, const std::string& name, int32_t flow,
                                       const libkineto::ITraceActivity* op) {
    buffer_->emplace_activity(buffer_->span, type, name);
    libkineto::GenericTraceActivity& activity = *buffer_->activities.back();
    activity.id = flow;
    activity.linked = op;
    activity.flow.id = static_cast<uint32_t>(flow);
    activity.flow.type = libkineto::kLinkAsyncCpuGpu;
    activity.addMetadata("correlation", flow);
    return activity;
  }

  const libkineto::GenericTraceActivity& launch(const DeviceEvent& event, int32_t flow,
                                                const libkineto::ITraceActivity* op) {
    libkineto::GenericTraceActivity& activity = add(ActivityType::PRIVATEUSE1_RUNTIME, event.api, flow, op);
    activity.startTime = event.launch_begin_ns;
    activity.endTime = event.launch_end_ns;
    activity.device = static_cast<int32_t>(getpid());
    activity.resource = activity.threadId = event.launch_thread;
    activity.flow.start = 1;
    return activity;
  }

  const libkineto::GenericTraceActivity& work(const DeviceEvent& event, int32_t flow,
                                              const libkineto::ITraceActivity* op) {
    libkineto::GenericTraceActivity& activity = add(type_of(event.kind), event.name, flow, op);
    activity.startTime = event.start_ns;
    activity.endTime = event.end_ns;
    activity.device = event.device;
    activity.resource = static_cast<int32_t>(event.stream);
    activity.addMetadata("device", event.device);
    activity.addMetadata("stream", event.stream);
    activity.addMetadataQuoted("api", event.api);
    return activity;
  }

  DeviceTrace trace_;
  Correlation correlation_;
  std::unique_ptr<libkineto::CpuTraceBuffer> buffer_ = std::make_unique<libkineto::CpuTraceBuffer>();
};

class Profiler final : public libkineto::IActivityProfiler {
 public:
  const std::string& name() const override { return name_; }
  const std::set<ActivityType>& availableActivities() const override { return types_; }

  // No session where the devices are not asked for: PyTorch then calls nothing here.
  std::unique_ptr<libkineto::IActivityProfilerSession> configure(const std::set<ActivityType>& types,
                                                                 const libkineto::Config&) override {
    if (types.count(ActivityType::CONCURRENT_KERNEL) == 0) return nullptr;
    return std::make_unique<Session>();
  }
  std::unique_ptr<libkineto::IActivityProfilerSession> configure(int64_t, int64_t, const std::set<ActivityType>& types,
                                                                 const libkineto::Config& config) override {
    return configure(types, config);
  }

 private:
  const std::string name_ = "npu";
  const std::set<ActivityType> types_{ActivityType::CONCURRENT_KERNEL, ActivityType::GPU_MEMCPY,
                                      ActivityType::GPU_MEMSET, ActivityType::PRIVATEUSE1_RUNTIME};
};

REGISTER_PRIVATEUSE1_PROFILER(Profiler);

}  // namespace
}  // namespace torch_npu::profiler
