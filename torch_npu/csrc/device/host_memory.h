// Pinned host memory: kept after use, and handed out again when the streams that read or wrote it are done.
#pragma once

#include <ATen/core/CachingHostAllocator.h>

#include "torch_npu/csrc/export.h"

namespace torch_npu::host_memory {

NPU_API at::HostAllocator* allocator();
NPU_API bool is_pinned(const void* address);

// The copy that uses `storage_data` runs on `stream`: do not reuse the memory before. False if it is not pinned memory
// of ours.
bool record(const c10::DataPtr& data, const c10::Stream& stream);

}  // namespace torch_npu::host_memory
