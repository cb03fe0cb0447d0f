// The process's devices: lazy start, the number of devices, the current device of each thread, and what happens after
// a fork. Nothing here touches a device before `start()`.
#pragma once

#include <c10/core/Device.h>

#include "torch_npu/csrc/export.h"

namespace torch_npu::device {

inline constexpr int kMaxDevices = 64;

// aclInit, once. Throws if there is no device, or in a child that was forked after the start.
NPU_API void start();
NPU_API bool started() noexcept;

// True in a process forked after the parent's start: the device's threads did not survive the fork.
NPU_API bool in_bad_fork() noexcept;

// 0 if there is no CANN or no device. Does not start anything.
NPU_API c10::DeviceIndex count() noexcept;

NPU_API c10::DeviceIndex current() noexcept;
NPU_API void set_current(c10::DeviceIndex index);                     // throws if there is no such device
NPU_API void use(c10::DeviceIndex index);                             // starts it too
NPU_API void set_current_unchecked(c10::DeviceIndex index) noexcept;  // for destructors

// The current device for -1, else the index itself. Throws if there is no such device.
NPU_API c10::DeviceIndex resolve(c10::DeviceIndex index);

NPU_API void synchronize(c10::DeviceIndex index);

namespace detail {
// The device that CANN has as this thread's current one; -1 before the first use and, for every thread, after a fork.
extern thread_local int bound_device;
void bind_slow(c10::DeviceIndex index);
}  // namespace detail

// Starts the devices if need be and makes `index` CANN's current device for this thread. A compare when it already is.
inline void bind(c10::DeviceIndex index) {
  if (detail::bound_device != index) [[unlikely]]
    detail::bind_slow(index);
}

}  // namespace torch_npu::device
