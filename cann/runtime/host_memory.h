// Pinned host memory: on an embedded device any memory will do, but what is pinned decides whether a copy may be left
// behind by its caller, so it is kept count of. Process-wide, as in AscendCL.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "cann/base/status.h"

namespace cann {

class HostMemory {
 public:
  Result<void*> allocate(size_t bytes);
  Status release(void* address);
  Status add(void* address, size_t bytes);  // memory of the caller's, to be treated as pinned
  Status remove(void* address);
  bool owns(const void* address) const;

 private:
  struct Range {
    size_t bytes;
    bool ours;
  };
  mutable std::mutex mutex_;
  std::map<std::byte*, Range> ranges_;
};

}  // namespace cann
