// Settings of the caching allocator: PYTORCH_NPU_ALLOC_CONF (or PYTORCH_ALLOC_CONF) and PYTORCH_NO_NPU_MEMORY_CACHING.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace torch_npu::memory {

struct Config {
  bool caching = true;
  size_t max_split_bytes = std::numeric_limits<size_t>::max();
  size_t large_segment_bytes = size_t{20} << 20;
  double garbage_collection_threshold = 0;  // 0: never
  double fraction = 1;                      // of the device's memory that this process may take
};

// "key:value,key:value". Throws: which key or value, and what is allowed.
Config parse(const std::string& text, const char* variable);

// From the environment, read at the first use.
const Config& config();

}  // namespace torch_npu::memory
