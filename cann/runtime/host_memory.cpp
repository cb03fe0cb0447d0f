#include "cann/runtime/host_memory.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "cann/runtime/error.h"

namespace cann {

Result<void*> HostMemory::allocate(size_t bytes) {
  constexpr size_t kPage = 4096;
  const size_t rounded = (std::max<size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  void* address = rounded < bytes ? nullptr : std::aligned_alloc(kPage, rounded);
  if (!address)
    return Status{error::kMemoryAllocation,
                  "allocate " + std::to_string(bytes) + " bytes of host memory: the system has no more"};
  std::lock_guard lock(mutex_);
  ranges_.insert_or_assign(static_cast<std::byte*>(address), Range{rounded, true});
  return address;
}

Status HostMemory::release(void* address) {
  {
    std::lock_guard lock(mutex_);
    const auto range = ranges_.find(static_cast<std::byte*>(address));
    if (range == ranges_.end() || !range->second.ours)
      return {error::kInvalidParam,
              "free host memory: this address did not come from aclrtMallocHost, or was freed before"};
    ranges_.erase(range);
  }
  std::free(address);
  return {};
}

Status HostMemory::add(void* address, size_t bytes) {
  std::lock_guard lock(mutex_);
  if (!ranges_.try_emplace(static_cast<std::byte*>(address), Range{bytes, false}).second)
    return {error::kInvalidParam, "register host memory: this address is registered already"};
  return {};
}

Status HostMemory::remove(void* address) {
  std::lock_guard lock(mutex_);
  const auto range = ranges_.find(static_cast<std::byte*>(address));
  if (range == ranges_.end() || range->second.ours)
    return {error::kInvalidParam, "unregister host memory: this address is not registered"};
  ranges_.erase(range);
  return {};
}

bool HostMemory::owns(const void* address) const {
  std::lock_guard lock(mutex_);
  const auto* p = static_cast<const std::byte*>(address);
  auto after = ranges_.upper_bound(const_cast<std::byte*>(p));
  return after != ranges_.begin() && p < std::prev(after)->first + std::prev(after)->second.bytes;
}

}  // namespace cann
