// Streams and each thread's current stream. A stream is created at its first use and lives as long as the process.
#include "torch_npu/csrc/device/stream.h"

#include <array>
#include <atomic>
#include <mutex>

#include <c10/util/Exception.h>

#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu::stream {
namespace {

constexpr int kOwned = 1 + 2 * kPoolSize;  // default, normal, high priority
constexpr uint32_t kFast = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;

struct DeviceStreams {
  std::mutex mutex;
  std::array<std::atomic<aclrtStream>, kOwned> handles{};
  std::atomic<uint32_t> next_normal{0};
  std::atomic<uint32_t> next_high{0};
};

// Never destroyed: tensors may be freed by other libraries' exit handlers.
DeviceStreams& streams_of(c10::DeviceIndex device) {
  static auto& devices = *new std::array<DeviceStreams, device::kMaxDevices>();
  return devices[device];
}

thread_local std::array<c10::StreamId, device::kMaxDevices> current_ids{};

c10::Stream make(c10::DeviceIndex device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::DeviceType::PrivateUse1, device), id);
}

aclrtStream create(c10::DeviceIndex device, c10::StreamId id) {
  DeviceStreams& streams = streams_of(device);
  std::lock_guard lock(streams.mutex);
  aclrtStream stream = streams.handles[id].load(std::memory_order_relaxed);
  if (stream != nullptr) return stream;
  const uint32_t priority = id > kPoolSize ? 0 : 4;  // CANN: 0 is the most urgent of 0 to 7
  acl::check(acl::create_stream(&stream, priority, kFast), "aclrtCreateStreamWithConfig");
  streams.handles[id].store(stream, std::memory_order_release);
  return stream;
}

}  // namespace

c10::StreamId current_id(c10::DeviceIndex device) noexcept { return current_ids[device]; }

c10::Stream current(c10::DeviceIndex device) {
  device = device::resolve(device);
  return make(device, current_ids[device]);
}

c10::Stream exchange(c10::Stream stream) {
  const auto device = device::resolve(stream.device_index());
  const c10::Stream former = make(device, current_ids[device]);
  current_ids[device] = stream.id();
  return former;
}

c10::Stream default_stream(c10::DeviceIndex device) { return make(device::resolve(device), 0); }

c10::Stream from_pool(c10::DeviceIndex device, bool high_priority) {
  device = device::resolve(device);
  DeviceStreams& streams = streams_of(device);
  auto& next = high_priority ? streams.next_high : streams.next_normal;
  const int slot = static_cast<int>(next.fetch_add(1, std::memory_order_relaxed) % kPoolSize);
  return make(device, 1 + slot + (high_priority ? kPoolSize : 0));
}

c10::Stream external(aclrtStream stream, c10::DeviceIndex device) {
  TORCH_CHECK(stream != nullptr, "ExternalStream: the stream's address is null");
  return make(device::resolve(device), reinterpret_cast<c10::StreamId>(stream));
}

aclrtStream handle(c10::DeviceIndex device, c10::StreamId id) {
  device::bind(device);
  if (id < 0 || id >= kOwned) return reinterpret_cast<aclrtStream>(id);
  const aclrtStream stream = streams_of(device).handles[id].load(std::memory_order_acquire);
  return stream != nullptr ? stream : create(device, id);
}

aclrtStream current_handle(c10::DeviceIndex device) { return handle(device, current_ids[device]); }

bool query(aclrtStream stream) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  acl::check(acl::query_stream(stream, &status), "aclrtStreamQuery");
  return status == ACL_STREAM_STATUS_COMPLETE;
}

void synchronize(aclrtStream stream) { acl::check(acl::synchronize_stream(stream), "aclrtSynchronizeStream"); }

}  // namespace torch_npu::stream
