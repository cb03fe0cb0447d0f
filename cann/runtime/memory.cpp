#include "cann/runtime/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "cann/runtime/error.h"

namespace cann {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kCommitStep = size_t{64} << 20;

size_t round_up(size_t n, size_t grain) { return (n + grain - 1) / grain * grain; }

std::byte* round_up(std::byte* p, size_t grain) {
  return reinterpret_cast<std::byte*>(round_up(reinterpret_cast<uintptr_t>(p), grain));
}

std::string megabytes(size_t bytes) {
  char text[32];
  if (bytes < (size_t{1} << 20))
    std::snprintf(text, sizeof text, "%zu bytes", bytes);
  else
    std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

}  // namespace

DeviceMemory::DeviceMemory(int device, int64_t budget_bytes, bool guard)
    : device_(device), budget_(static_cast<size_t>(budget_bytes)), guard_(guard) {}

DeviceMemory::~DeviceMemory() {
  if (begin_) munmap(begin_, static_cast<size_t>(end_ - begin_));
}

Status DeviceMemory::out_of_memory(size_t bytes) const {
  return {error::kMemoryAllocation, "allocate " + megabytes(bytes) + " on npu:" + std::to_string(device_) + ": only " +
                                        megabytes(budget_ - std::min(used_, budget_)) + " of its " +
                                        megabytes(budget_) +
                                        " are free (NPU_EMBEDDED_MEMORY sets the size of a device)"};
}

// Twice the budget in addresses, so that fragments do not end it early. Addresses cost nothing.
Status DeviceMemory::reserve() {
  if (begin_) return {};
  const size_t bytes = round_up(2 * budget_, kHugePage) + 2 * kHugePage;
  void* range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return {error::kMemoryAllocation, "open npu:" + std::to_string(device_) + ": the system refuses " +
                                          megabytes(bytes) +
                                          " of address space (a lower NPU_EMBEDDED_MEMORY needs less)"};
  begin_ = static_cast<std::byte*>(range);
  end_ = begin_ + bytes;
  committed_ = round_up(begin_, kHugePage);
  put_free(committed_, static_cast<size_t>(end_ - committed_));
  return {};
}

Result<void*> DeviceMemory::allocate(size_t asked) {
  if (asked > budget_) return out_of_memory(asked);
  const size_t bytes = round_up(std::max<size_t>(asked, 1), kGrain);
  std::lock_guard lock(mutex_);
  if (used_ + bytes > budget_) return out_of_memory(asked);
  if (guard_) return allocate_guarded(bytes);
  RETURN_IF_ERROR(reserve());
  std::byte* address = take_free(bytes, bytes >= kHugePage / 2 ? kHugePage : kGrain);
  if (!address) return out_of_memory(asked);
  if (!commit(address + bytes)) {
    put_free(address, bytes);
    return out_of_memory(asked);
  }
  blocks_.emplace(address, bytes);
  used_ += bytes;
  return address;
}

Status DeviceMemory::release(void* pointer) {
  std::lock_guard lock(mutex_);
  const auto block = blocks_.find(static_cast<std::byte*>(pointer));
  if (block == blocks_.end())
    return {error::kInvalidParam, "free: this address is no allocation of npu:" + std::to_string(device_) +
                                      " (freed before, or the middle of a block?)"};
  used_ -= block->second;
  if (guard_) return release_guarded(block);
  const auto [address, bytes] = *block;
  blocks_.erase(block);
  put_free(address, bytes);
  return {};
}

// Best fit; of equal ones the lowest address, which keeps the touched pages together.
std::byte* DeviceMemory::take_free(size_t bytes, size_t alignment) {
  for (auto fit = free_by_size_.lower_bound({bytes, nullptr}); fit != free_by_size_.end(); ++fit) {
    auto [size, begin] = *fit;
    std::byte* const address = round_up(begin, alignment);
    if (address + bytes > begin + size) continue;
    erase_free(free_.find(begin));
    if (address > begin) put_free(begin, static_cast<size_t>(address - begin));
    if (begin + size > address + bytes) put_free(address + bytes, static_cast<size_t>(begin + size - address - bytes));
    return address;
  }
  return nullptr;
}

void DeviceMemory::put_free(std::byte* address, size_t bytes) {
  auto next = free_.lower_bound(address);
  if (next != free_.end() && address + bytes == next->first) {
    bytes += next->second;
    auto merged = next++;
    erase_free(merged);
  }
  if (next != free_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == address) {
      address = before->first;
      bytes += before->second;
      erase_free(before);
    }
  }
  free_.emplace(address, bytes);
  free_by_size_.emplace(bytes, address);
}

void DeviceMemory::erase_free(std::map<std::byte*, size_t>::iterator block) {
  free_by_size_.erase({block->second, block->first});
  free_.erase(block);
}

bool DeviceMemory::commit(std::byte* end) {
  if (end <= committed_) return true;
  std::byte* const until = std::min(round_up(end, kCommitStep), end_);
  const size_t bytes = static_cast<size_t>(until - committed_);
  if (mprotect(committed_, bytes, PROT_READ | PROT_WRITE) != 0) return false;
  madvise(committed_, bytes, MADV_HUGEPAGE);  // where the system allows it; else small pages do
  committed_ = until;
  return true;
}

// The block ends where the forbidden page begins, down to the 64 bytes that kernels may expect of an address.
Result<void*> DeviceMemory::allocate_guarded(size_t bytes) {
  const size_t inner = round_up(bytes, kPage);
  void* pages = mmap(nullptr, inner + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return out_of_memory(bytes);
  std::byte* const first = static_cast<std::byte*>(pages) + kPage;
  if (mprotect(first, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(pages, inner + 2 * kPage);
    return out_of_memory(bytes);
  }
  std::byte* const address = first + (inner - bytes);
  std::memset(first, 0xFF, inner);  // NaN in every floating type, -1 in every integer
  blocks_.emplace(address, bytes);
  used_ += bytes;
  return address;
}

// The addresses stay forbidden for ever, so that a use after the end is a fault with a stack.
Status DeviceMemory::release_guarded(std::map<std::byte*, size_t>::iterator block) {
  std::byte* const end = block->first + block->second;
  const size_t inner = round_up(block->second, kPage);
  blocks_.erase(block);
  mmap(end - inner, inner, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return {};
}

bool DeviceMemory::owns(const void* pointer) const {
  std::lock_guard lock(mutex_);
  const auto* p = static_cast<const std::byte*>(pointer);
  if (p >= begin_ && p < end_) return true;
  const auto within = [p](const std::map<std::byte*, size_t>& blocks) {
    auto after = blocks.upper_bound(const_cast<std::byte*>(p));
    return after != blocks.begin() && p < std::prev(after)->first + std::prev(after)->second;
  };
  return (guard_ && within(blocks_)) || within(mappings_);
}

Block DeviceMemory::find(const void* pointer) const {
  std::lock_guard lock(mutex_);
  auto* p = static_cast<std::byte*>(const_cast<void*>(pointer));
  for (const auto* blocks : {&blocks_, &mappings_}) {
    auto after = blocks->upper_bound(p);
    if (after == blocks->begin()) continue;
    const auto& [address, bytes] = *std::prev(after);
    if (p < address + bytes) return {address, bytes};
  }
  return {};
}

Status DeviceMemory::charge(size_t bytes) {
  std::lock_guard lock(mutex_);
  if (bytes > budget_ || used_ + bytes > budget_) return out_of_memory(bytes);
  used_ += bytes;
  return {};
}

void DeviceMemory::discharge(size_t bytes) {
  std::lock_guard lock(mutex_);
  used_ -= bytes;
}

void DeviceMemory::add_mapping(Block block) {
  std::lock_guard lock(mutex_);
  mappings_[block.address] = block.bytes;
}

void DeviceMemory::remove_mapping(void* address) {
  std::lock_guard lock(mutex_);
  mappings_.erase(static_cast<std::byte*>(address));
}

size_t DeviceMemory::used_bytes() const {
  std::lock_guard lock(mutex_);
  return used_;
}

}  // namespace cann
