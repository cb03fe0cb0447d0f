// What CANN tells about devices, and memory that Python code holds by its address.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>

#include "torch_npu/csrc/export.h"

namespace torch_npu::information {

NPU_API std::string soc_name();
NPU_API std::string runtime_version();  // "major.minor.patch" of the runtime's interface
NPU_API std::pair<int64_t, int64_t> core_counts(c10::DeviceIndex device);  // cube (matrix) and vector cores
NPU_API bool can_access_peer(int device, int peer);

// Milliseconds between two recorded events, given by address. Throws if one has not been recorded.
NPU_API double elapsed_time(uintptr_t start, uintptr_t end);

// torch.npu.caching_allocator_alloc gives out an address; this owns the memory until it comes back.
NPU_API void keep(c10::DataPtr data);
NPU_API void release(uintptr_t address);

}  // namespace torch_npu::information
