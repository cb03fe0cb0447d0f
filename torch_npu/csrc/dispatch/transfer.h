// Bytes between host and device, in stream order. Knows addresses only; what they mean is copies.cpp's affair.
#pragma once

#include <ATen/core/Tensor.h>

#include "torch_npu/csrc/export.h"

namespace torch_npu::transfer {

// Waits until everything enqueued on the device's current stream is done. Counted under `reason`.
void wait(c10::DeviceIndex device, const char* reason);

// pre: both hold `bytes` bytes from data_ptr() on, without gaps. Returns when `host` may be used or changed again,
// unless it is pinned and non_blocking is asked for.
void to_device(const at::Tensor& device, const at::Tensor& host, size_t bytes, bool non_blocking);
void to_host(const at::Tensor& host, const at::Tensor& device, size_t bytes, bool non_blocking);

// Between two devices: each side's current stream waits for the other where it must; the host does not.
void across(const at::Tensor& dst, const at::Tensor& src, size_t bytes);

// A few bytes from the device, for `.item()`.
void read(void* host, const void* device, size_t bytes, c10::DeviceIndex index, const char* reason);

}  // namespace torch_npu::transfer
