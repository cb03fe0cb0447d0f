// The memory of one device: segments from CANN, cut into blocks, kept after use and handed out again in stream order.
// A freed block serves its own stream at once (what runs later on a stream runs after) and others never; a block used
// on further streams waits for an event of each. Thread-safe.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <c10/core/CachingDeviceAllocator.h>

#include "torch_npu/csrc/device/brief_mutex.h"
#include "torch_npu/csrc/device/event.h"
#include "torch_npu/csrc/device/free_blocks.h"
#include "torch_npu/csrc/device/memory_config.h"

namespace torch_npu::memory {

using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;

inline void increase(StatArray& stat, bool small, size_t amount) {
  stat[static_cast<size_t>(StatType::AGGREGATE)].increase(amount);
  stat[static_cast<size_t>(small ? StatType::SMALL_POOL : StatType::LARGE_POOL)].increase(amount);
}

inline void decrease(StatArray& stat, bool small, size_t amount) {
  stat[static_cast<size_t>(StatType::AGGREGATE)].decrease(amount);
  stat[static_cast<size_t>(small ? StatType::SMALL_POOL : StatType::LARGE_POOL)].decrease(amount);
}

class Heap {
 public:
  explicit Heap(c10::DeviceIndex device) : device_(device) {}

  // pre: bytes > 0. Throws c10::OutOfMemoryError with the numbers.
  Block* allocate(size_t bytes, c10::StreamId stream);
  void free(Block* block) noexcept;
  void record_stream(Block* block, c10::StreamId stream);

  // What `stream` allocates from now on comes from the graph pool of this key (below 0), and goes back to it when it is
  // freed: nobody else gets it while a graph of the pool is alive.
  void begin_pool(c10::StreamId stream, c10::StreamId key);
  void end_pool(c10::StreamId stream);
  void leave_pool(c10::StreamId key);  // once for each begin_pool: that graph is gone

  // Gives what is cached and unused back to CANN. Waits for the device.
  void empty_cache();
  void set_fraction(double fraction);  // of the device's memory

  c10::CachingDeviceAllocator::DeviceStats stats();
  size_t allocated_bytes() const;
  size_t reserved_bytes() const;
  void reset_accumulated_stats();
  void reset_peak_stats();
  std::vector<c10::CachingDeviceAllocator::SegmentInfo> snapshot();

 private:
  using Pending = std::pair<event::Event, Block*>;

  StreamBlocks& blocks_of(c10::StreamId key);
  Block* take_free(StreamBlocks& blocks, size_t size, bool small);
  Block* locked_allocate(size_t bytes, size_t size, c10::StreamId stream, bool& retried);
  Block* new_segment(StreamBlocks& blocks, size_t size, bool small);
  void* segment_memory(size_t segment_size);
  bool beyond(double fraction, size_t more);
  void split(Block* block, size_t size);
  void recycle(Block* block);
  void merge_freed(StreamBlocks& blocks);
  void merge_and_insert(Block* block);
  void merge(Block* block, Block* neighbour);
  void erase_free(Block* block);
  void release_cached();
  void release_segment(Block* block);
  void process_events();
  void wait_for_events();
  void free_uncached(Block* block);
  [[noreturn]] void throw_out_of_memory(size_t requested, size_t segment_size);
  Block* new_node();

  const c10::DeviceIndex device_;
  mutable BriefMutex mutex_;
  std::unordered_map<c10::StreamId, std::unique_ptr<StreamBlocks>> streams_;
  std::vector<std::pair<c10::StreamId, c10::StreamId>> captures_;  // streams under capture, and their pools' keys
  StreamBlocks* last_used_ = nullptr;                              // saves the look-up: most programs have one stream
  std::vector<Pending> pending_;
  std::vector<std::unique_ptr<Block[]>> node_slabs_;
  std::vector<Block*> spare_nodes_;
  std::unordered_map<char*, Block*> segments_;  // first block of each
  c10::CachingDeviceAllocator::DeviceStats stats_;
  double fraction_ = config().fraction;
  size_t device_bytes_ = 0;  // asked once
};

}  // namespace torch_npu::memory
