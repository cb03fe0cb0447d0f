// What PyTorch asks of a device type: current device, streams and events. torch.Stream, torch.Event and
// torch.accelerator stand on it. A device index of -1 means the current device everywhere.
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "torch_npu/csrc/device/allocator.h"
#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/event.h"
#include "torch_npu/csrc/device/stream.h"
#include "torch_npu/csrc/diagnostics/events.h"

namespace torch_npu::device {
namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::Stream;

aclrtEvent as_event(void* event) { return static_cast<aclrtEvent>(event); }

struct Guard final : c10::impl::DeviceGuardImplInterface {
  static constexpr c10::DeviceType static_type = c10::DeviceType::PrivateUse1;

  c10::DeviceType type() const override { return static_type; }
  DeviceIndex deviceCount() const noexcept override { return count(); }

  Device getDevice() const override { return {static_type, current()}; }
  void setDevice(Device device) const override { set_current(resolve(device.index())); }
  void uncheckedSetDevice(Device device) const noexcept override { set_current_unchecked(device.index()); }
  Device exchangeDevice(Device device) const override {
    const Device former = getDevice();
    set_current(resolve(device.index()));
    return former;
  }

  Stream getStream(Device device) const override { return stream::current(device.index()); }
  Stream getDefaultStream(Device device) const override { return stream::default_stream(device.index()); }
  Stream getStreamFromGlobalPool(Device device, bool high_priority) const override {
    return stream::from_pool(device.index(), high_priority);
  }
  Stream getNewStream(Device device, int priority) const override {
    return stream::from_pool(device.index(), priority < 0);
  }
  Stream exchangeStream(Stream stream) const override { return stream::exchange(stream); }
  void* getStreamNativeHandle(const Stream stream) const override { return stream::handle(stream); }
  bool queryStream(const Stream& stream) const override { return stream::query(stream::handle(stream)); }
  void synchronizeStream(const Stream& stream) const override {
    const events::Occurrence waiting(events::Kind::Sync, "synchronize");
    stream::synchronize(stream::handle(stream));
  }
  void synchronizeDevice(const DeviceIndex index) const override {
    const events::Occurrence waiting(events::Kind::Sync, "synchronize");
    device::synchronize(index);
  }

  void record(void** event, const Stream& stream, const DeviceIndex index, const c10::EventFlag flag) const override {
    TORCH_CHECK(index == -1 || index == stream.device_index(), "Event device index ", static_cast<int>(index),
                " does not match recording stream's device index ", static_cast<int>(stream.device_index()), ".");
    const aclrtStream handle = stream::handle(stream);
    if (*event == nullptr) *event = event::create(flag == c10::EventFlag::BACKEND_DEFAULT);
    acl::check(acl::record_event(as_event(*event), handle), "aclrtRecordEvent");
  }
  void block(void* event, const Stream& stream) const override {
    if (event == nullptr) return;
    acl::check(acl::stream_wait_event(stream::handle(stream), as_event(event)), "aclrtStreamWaitEvent");
  }
  bool queryEvent(void* event) const override { return event == nullptr || event::done(as_event(event)); }
  void synchronizeEvent(void* event) const override {
    if (event == nullptr) return;
    const events::Occurrence waiting(events::Kind::Sync, "synchronize");
    acl::check(acl::synchronize_event(as_event(event)), "aclrtSynchronizeEvent");
  }
  void destroyEvent(void* event, const DeviceIndex) const noexcept override {
    if (event != nullptr && !in_bad_fork()) acl::destroy_event(as_event(event));
  }
  double elapsedTime(void* start, void* end, const DeviceIndex) const override {
    TORCH_CHECK(start != nullptr && end != nullptr, "Both events must be recorded before calculating elapsed time.");
    float milliseconds = 0;
    acl::check(acl::event_elapsed_time(&milliseconds, as_event(start), as_event(end)), "aclrtEventElapsedTime");
    return milliseconds;
  }

  void recordDataPtrOnStream(const c10::DataPtr& data, const Stream& stream) const override {
    memory::allocator()->recordStream(data, stream);
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

}  // namespace
}  // namespace torch_npu::device
