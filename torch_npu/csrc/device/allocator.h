// The device allocator as PyTorch sees it, and the faster way in for csrc itself.
#pragma once

#include <vector>

#include <c10/core/CachingDeviceAllocator.h>

#include "torch_npu/csrc/device/device.h"

namespace torch_npu::memory {

NPU_API c10::DeviceAllocator* allocator() noexcept;

// On the device's current stream. 0 bytes give a null pointer that knows its device. Throws c10::OutOfMemoryError.
NPU_API c10::DataPtr allocate(size_t bytes, c10::DeviceIndex device);

// Graph pools: see Heap.
NPU_API void begin_pool(c10::DeviceIndex device, c10::StreamId stream, c10::StreamId key);
NPU_API void end_pool(c10::DeviceIndex device, c10::StreamId stream);
NPU_API void leave_pool(c10::DeviceIndex device, c10::StreamId key);

NPU_API void set_fraction(double fraction, c10::DeviceIndex device);
NPU_API std::vector<c10::CachingDeviceAllocator::SegmentInfo> snapshot(c10::DeviceIndex device);

}  // namespace torch_npu::memory
