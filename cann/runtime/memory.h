// One device's memory: a budget, and one range of addresses in which blocks are handed out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "cann/base/status.h"

namespace cann {

struct Block {
  std::byte* address = nullptr;
  size_t bytes = 0;
};

// Pages stay with the process once touched: page faults cost more than kernels. Large blocks start at 2 MiB, so that
// huge pages fit. With `guard`, each block lies in pages of its own between forbidden ones, is filled with NaN patterns
// at first, and is forbidden after its end.
class DeviceMemory {
 public:
  DeviceMemory(int device, int64_t budget_bytes, bool guard);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  static constexpr size_t kGrain = 512;
  static constexpr size_t kHugePage = size_t{2} << 20;

  Result<void*> allocate(size_t bytes);
  Status release(void* address);

  bool owns(const void* address) const;
  Block find(const void* address) const;  // the block that holds this address; an empty one if none does

  // Memory that lies elsewhere but counts: physical memory that is mapped by its holder.
  Status charge(size_t bytes);
  void discharge(size_t bytes);
  void add_mapping(Block block);
  void remove_mapping(void* address);

  size_t budget_bytes() const { return budget_; }
  size_t used_bytes() const;

 private:
  Status reserve();
  Status out_of_memory(size_t bytes) const;
  std::byte* take_free(size_t bytes, size_t alignment);
  void put_free(std::byte* address, size_t bytes);
  void erase_free(std::map<std::byte*, size_t>::iterator block);
  bool commit(std::byte* end);
  Result<void*> allocate_guarded(size_t bytes);
  Status release_guarded(std::map<std::byte*, size_t>::iterator block);

  const int device_;
  const size_t budget_;
  const bool guard_;
  mutable std::mutex mutex_;
  std::byte* begin_ = nullptr;  // the range, reserved at the first allocation
  std::byte* end_ = nullptr;
  std::byte* committed_ = nullptr;
  size_t used_ = 0;
  std::map<std::byte*, size_t> blocks_;
  std::map<std::byte*, size_t> free_;
  std::set<std::pair<size_t, std::byte*>> free_by_size_;
  std::map<std::byte*, size_t> mappings_;
};

}  // namespace cann
