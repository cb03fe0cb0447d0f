// What a Heap tells about itself: statistics, the snapshot of its segments, and the numbers in the out-of-memory error.
#include <limits>
#include <mutex>

#include <c10/util/Exception.h>

#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/heap.h"

namespace torch_npu::memory {

void Heap::throw_out_of_memory(size_t requested, size_t segment_size) {
  ++stats_.num_ooms;
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  acl::memory_info(ACL_HBM_MEM, &free_bytes, &total_bytes);
  const auto allocated = static_cast<size_t>(stats_.allocated_bytes[0].current);
  const auto active = static_cast<size_t>(stats_.active_bytes[0].current);
  const auto reserved = static_cast<size_t>(stats_.reserved_bytes[0].current);
  const bool limited = fraction_ < 1 && beyond(fraction_, segment_size);
  const auto allowed = static_cast<size_t>(fraction_ * static_cast<double>(total_bytes));
  TORCH_CHECK_WITH(
      OutOfMemoryError, false, "NPU out of memory. Tried to allocate ", c10::CachingAllocator::format_size(requested),
      " (NPU ", static_cast<int>(device_), "; ", c10::CachingAllocator::format_size(total_bytes), " total capacity; ",
      c10::CachingAllocator::format_size(allocated), " already allocated; ", c10::CachingAllocator::format_size(active),
      " current active; ", c10::CachingAllocator::format_size(free_bytes), " free; ",
      limited ? c10::CachingAllocator::format_size(allowed) + " allowed; " : std::string(),
      c10::CachingAllocator::format_size(reserved), " reserved in total by PyTorch).",
      "If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.");
}

c10::CachingDeviceAllocator::DeviceStats Heap::stats() {
  std::lock_guard lock(mutex_);
  for (auto& [key, blocks] : streams_) merge_freed(*blocks);
  auto result = stats_;
  const size_t limit = config().max_split_bytes;
  result.max_split_size = limit == std::numeric_limits<size_t>::max() ? -1 : static_cast<int64_t>(limit);
  for (const auto& [address, first] : segments_) {
    for (const Block* block = first; block != nullptr; block = block->after) {
      if (block->allocated || block->pending_events > 0 || block->is_whole_segment()) continue;
      increase(result.inactive_split, block->small, 1);
      increase(result.inactive_split_bytes, block->small, block->size);
    }
  }
  return result;
}

size_t Heap::allocated_bytes() const {
  std::lock_guard lock(mutex_);
  return static_cast<size_t>(stats_.allocated_bytes[0].current);
}

size_t Heap::reserved_bytes() const {
  std::lock_guard lock(mutex_);
  return static_cast<size_t>(stats_.reserved_bytes[0].current);
}

namespace {

template <class Each>
void for_each_stat(c10::CachingDeviceAllocator::DeviceStats& stats, Each each) {
  for (StatArray* array :
       {&stats.allocation, &stats.segment, &stats.active, &stats.inactive_split, &stats.allocated_bytes,
        &stats.reserved_bytes, &stats.active_bytes, &stats.inactive_split_bytes, &stats.requested_bytes}) {
    for (auto& stat : *array) each(stat);
  }
}

}  // namespace

void Heap::reset_accumulated_stats() {
  std::lock_guard lock(mutex_);
  for_each_stat(stats_, [](auto& stat) { stat.reset_accumulated(); });
  stats_.num_alloc_retries = stats_.num_ooms = stats_.num_sync_all_streams = 0;
  stats_.num_device_alloc = stats_.num_device_free = stats_.num_oom_rejections = 0;
}

void Heap::reset_peak_stats() {
  std::lock_guard lock(mutex_);
  for_each_stat(stats_, [](auto& stat) { stat.reset_peak(); });
}

std::vector<c10::CachingDeviceAllocator::SegmentInfo> Heap::snapshot() {
  std::lock_guard lock(mutex_);
  for (auto& [key, blocks] : streams_) merge_freed(*blocks);
  std::vector<c10::CachingDeviceAllocator::SegmentInfo> result;
  for (const auto& [address, first] : segments_) {
    auto& segment = result.emplace_back();
    segment.device = device_;
    segment.address = reinterpret_cast<size_t>(address);
    segment.stream = reinterpret_cast<void*>(first->owner->stream);
    segment.is_large = !first->small;
    for (const Block* block = first; block != nullptr; block = block->after) {
      auto& info = segment.blocks.emplace_back();
      info.size = block->size;
      info.requested_size = block->requested;
      info.allocated = block->allocated;
      info.active = block->allocated || block->pending_events > 0;
      segment.total_size += block->size;
      segment.allocated_size += info.allocated ? block->size : 0;
      segment.active_size += info.active ? block->size : 0;
      segment.requested_size += info.allocated ? block->requested : 0;
    }
  }
  return result;
}

}  // namespace torch_npu::memory
