// Streams of each device: the default one, a pool that is handed out in turn, and streams made elsewhere; and each
// thread's current stream. A c10::StreamId is 0 for the default stream, 1 to 64 for the pool, else a stream's address.
#pragma once

#include <c10/core/Stream.h>

#include "acl/acl.h"
#include "torch_npu/csrc/device/device.h"

namespace torch_npu::stream {

inline constexpr int kPoolSize = 32;  // per priority and device, as PyTorch has elsewhere

NPU_API c10::StreamId current_id(c10::DeviceIndex device) noexcept;
NPU_API c10::Stream current(c10::DeviceIndex device);
NPU_API c10::Stream exchange(c10::Stream stream);  // returns the device's former current stream
NPU_API c10::Stream default_stream(c10::DeviceIndex device);
NPU_API c10::Stream from_pool(c10::DeviceIndex device, bool high_priority);
NPU_API c10::Stream external(aclrtStream stream, c10::DeviceIndex device);

// The handle; makes the stream at its first use and binds the thread to its device.
NPU_API aclrtStream handle(c10::DeviceIndex device, c10::StreamId id);
inline aclrtStream handle(const c10::Stream& stream) { return handle(stream.device_index(), stream.id()); }

// What a launcher needs for every operator.
NPU_API aclrtStream current_handle(c10::DeviceIndex device);

NPU_API bool query(aclrtStream stream);
NPU_API void synchronize(aclrtStream stream);

}  // namespace torch_npu::stream

namespace torch_npu {

inline c10::DeviceIndex current_device() noexcept { return device::current(); }
inline aclrtStream current_stream_handle(c10::DeviceIndex device) { return stream::current_handle(device); }

// Makes `device` the thread's current one for a scope. Two thread-local accesses where it already is.
class DeviceSwitch {
 public:
  explicit DeviceSwitch(c10::DeviceIndex device) : former_(device::current()) {
    if (device != former_) device::set_current(device);
  }
  ~DeviceSwitch() { device::set_current_unchecked(former_); }
  DeviceSwitch(const DeviceSwitch&) = delete;
  DeviceSwitch& operator=(const DeviceSwitch&) = delete;

 private:
  c10::DeviceIndex former_;
};

}  // namespace torch_npu
