// Blocks and segments of one device's memory. Sizes follow PyTorch's other caching allocators, so that programs tuned
// for one device behave alike on this one: requests up to 1 MiB come from 2 MiB segments, larger ones from 20 MiB
// segments, from 10 MiB on a segment of their own, rounded to 2 MiB.
#include "torch_npu/csrc/device/heap.h"

#include <algorithm>
#include <mutex>

#include <c10/util/Exception.h>

#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/stream.h"
#include "torch_npu/csrc/diagnostics/events.h"

namespace torch_npu::memory {
namespace {

constexpr size_t kSmallSegment = size_t{2} << 20;
constexpr size_t kLargeRequest = size_t{10} << 20;
constexpr size_t kRoundLarge = size_t{2} << 20;
constexpr size_t kExabyte = size_t{1} << 60;
constexpr size_t kNodesPerSlab = 256;

size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

size_t segment_size_for(size_t size, bool small) {
  if (!config().caching) return size;
  if (small) return kSmallSegment;
  return size < kLargeRequest ? config().large_segment_bytes : round_up(size, kRoundLarge);
}

}  // namespace

Block* Heap::allocate(size_t bytes, c10::StreamId stream) {
  TORCH_CHECK_WITH(OutOfMemoryError, bytes < kExabyte, "NPU out of memory. Tried to allocate more than 1EB memory.");
  device::bind(device_);
  const size_t size = round_up(bytes, kUnit);
  bool retried = false;
  Block* const block = locked_allocate(bytes, size, stream, retried);
  if (retried) [[unlikely]] {  // told without the lock: the telling looks at Python's frames
    try {
      events::record(events::Kind::Retry, "allocation", {}, size);
    } catch (...) {  // an error by policy
      free(block);
      throw;
    }
  }
  return block;
}

Block* Heap::locked_allocate(size_t bytes, size_t size, c10::StreamId stream, bool& retried) {
  const bool small = size <= kSmallLimit;
  std::lock_guard lock(mutex_);
  if (!pending_.empty()) process_events();
  for (const auto& [captured, pool] : captures_)
    if (captured == stream) stream = pool;
  StreamBlocks& blocks = blocks_of(stream);
  Block* block = take_free(blocks, size, small);
  if (block == nullptr) {
    const int64_t retries = stats_.num_alloc_retries;
    block = new_segment(blocks, size, small);
    retried = stats_.num_alloc_retries != retries;
  }
  split(block, size);
  block->allocated = true;
  block->requested = bytes;
  increase(stats_.allocation, small, 1);
  increase(stats_.active, small, 1);
  increase(stats_.allocated_bytes, small, block->size);
  increase(stats_.active_bytes, small, block->size);
  increase(stats_.requested_bytes, small, bytes);
  return block;
}

void Heap::free(Block* block) noexcept {
  // The forked child of a process that uses devices has the tensors but not the devices: letting go is all that is
  // left.
  if (device::in_bad_fork()) return;
  std::lock_guard lock(mutex_);
  block->allocated = false;
  decrease(stats_.allocation, block->small, 1);
  decrease(stats_.allocated_bytes, block->small, block->size);
  decrease(stats_.requested_bytes, block->small, block->requested);
  if (block->used_on.empty()) [[likely]] {
    recycle(block);
    return;
  }
  try {
    for (const c10::StreamId stream : block->used_on) {
      event::Event event;
      event.record(stream::handle(device_, stream));
      pending_.emplace_back(std::move(event), block);
      ++block->pending_events;
    }
  } catch (const c10::Error& error) {
    // Without an event nothing says when the memory is free: it stays taken, and the device's error shows elsewhere.
    ++block->pending_events;
    TORCH_WARN("a block of npu:", static_cast<int>(device_), " is not reused: ", error.what_without_backtrace());
  }
  block->used_on.clear();
}

void Heap::record_stream(Block* block, c10::StreamId stream) {
  std::lock_guard lock(mutex_);
  if (stream == block->owner->stream) return;
  auto& used_on = block->used_on;
  if (std::find(used_on.begin(), used_on.end(), stream) == used_on.end()) used_on.push_back(stream);
}

void Heap::empty_cache() {
  device::bind(device_);
  std::lock_guard lock(mutex_);
  release_cached();
}

void Heap::set_fraction(double fraction) {
  TORCH_CHECK_VALUE(fraction >= 0 && fraction <= 1, "invalid fraction:", fraction, ". Please set within (0, 1)");
  std::lock_guard lock(mutex_);
  fraction_ = fraction;
}

void Heap::begin_pool(c10::StreamId stream, c10::StreamId key) {
  std::lock_guard lock(mutex_);
  StreamBlocks& pool = blocks_of(key);
  pool.stream = stream;
  ++pool.graphs;
  captures_.emplace_back(stream, key);
}

void Heap::end_pool(c10::StreamId stream) {
  std::lock_guard lock(mutex_);
  std::erase_if(captures_, [stream](const auto& capture) { return capture.first == stream; });
}

void Heap::leave_pool(c10::StreamId key) {
  std::lock_guard lock(mutex_);
  --blocks_of(key).graphs;
}

// pre: a stream that is not being captured, or a pool's key.
StreamBlocks& Heap::blocks_of(c10::StreamId key) {
  if (last_used_ != nullptr && last_used_->key == key) return *last_used_;
  auto& blocks = streams_[key];
  if (blocks == nullptr) {
    blocks = std::make_unique<StreamBlocks>();
    blocks->stream = blocks->key = key;
  }
  last_used_ = blocks.get();
  return *blocks;
}

// Null if there is none.
Block* Heap::take_free(StreamBlocks& blocks, size_t size, bool small) {
  Block* block = nullptr;
  if (small) {
    block = blocks.freed.find_exact(size);
    if (block == nullptr) {
      merge_freed(blocks);
      block = blocks.small.find(size);
    }
  } else {
    Block key;
    key.size = size;
    const auto found = blocks.large.lower_bound(&key);
    if (found == blocks.large.end()) return nullptr;
    // A block that must not be split serves only requests of about its size.
    const size_t limit = config().max_split_bytes;
    if (size < limit ? (*found)->size >= limit : (*found)->size >= size + kLargeRequest * 2) return nullptr;
    block = *found;
  }
  if (block != nullptr) erase_free(block);
  return block;
}

Block* Heap::new_segment(StreamBlocks& blocks, size_t size, bool small) {
  const size_t segment_size = segment_size_for(size, small);
  const double threshold = config().garbage_collection_threshold;
  if (threshold > 0 && beyond(threshold * fraction_, 0)) release_cached();
  void* memory = segment_memory(segment_size);
  if (memory == nullptr) {
    ++stats_.num_alloc_retries;
    release_cached();
    memory = segment_memory(segment_size);
  }
  if (memory == nullptr) throw_out_of_memory(size, segment_size);
  ++stats_.num_device_alloc;
  increase(stats_.segment, small, 1);
  increase(stats_.reserved_bytes, small, segment_size);
  Block* block = new_node();
  block->address = static_cast<char*>(memory);
  block->size = segment_size;
  block->owner = &blocks;
  block->small = small;
  segments_.emplace(block->address, block);
  return block;
}

void* Heap::segment_memory(size_t segment_size) {
  if (fraction_ < 1 && beyond(fraction_, segment_size)) return nullptr;
  void* memory = nullptr;
  return acl::malloc(&memory, segment_size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS ? memory : nullptr;
}

// Would `more` bytes take more than this fraction of the device's memory?
bool Heap::beyond(double fraction, size_t more) {
  size_t free_bytes = 0;
  if (device_bytes_ == 0) acl::check(acl::memory_info(ACL_HBM_MEM, &free_bytes, &device_bytes_), "aclrtGetMemInfo");
  const auto wanted = static_cast<double>(stats_.reserved_bytes[0].current) + static_cast<double>(more);
  return wanted > fraction * static_cast<double>(device_bytes_);
}

// Keeps the first `size` bytes, unless what is left is too little to be worth a block.
void Heap::split(Block* block, size_t size) {
  const size_t left = block->size - size;
  if (!config().caching) return;
  if (block->small ? left < kUnit : left <= kSmallLimit || size >= config().max_split_bytes) return;
  Block* rest = new_node();
  rest->address = block->address + size;
  rest->size = left;
  rest->owner = block->owner;
  rest->small = block->small;
  rest->before = block;
  rest->after = block->after;
  if (rest->after != nullptr) rest->after->before = rest;
  block->after = rest;
  block->size = size;
  if (rest->small) {
    rest->owner->small.insert(rest);
  } else {
    rest->owner->large.insert(rest);
  }
}

// pre: no one uses the block any more, on any stream.
void Heap::recycle(Block* block) {
  decrease(stats_.active, block->small, 1);
  decrease(stats_.active_bytes, block->small, block->size);
  if (!config().caching) {
    free_uncached(block);
    return;
  }
  if (block->small) {
    block->merged = false;
    block->owner->freed.insert(block);
  } else {
    merge_and_insert(block);
  }
}

void Heap::merge_freed(StreamBlocks& blocks) {
  while (Block* block = blocks.freed.find(kUnit)) {
    erase_free(block);
    merge_and_insert(block);
  }
}

void Heap::merge_and_insert(Block* block) {
  const auto is_free = [](const Block* b) { return b != nullptr && !b->allocated && b->pending_events == 0; };
  while (is_free(block->before)) merge(block, block->before);
  while (is_free(block->after)) merge(block, block->after);
  block->merged = true;
  if (block->small) {
    block->owner->small.insert(block);
  } else {
    block->owner->large.insert(block);
  }
}

void Heap::merge(Block* block, Block* neighbour) {
  erase_free(neighbour);
  if (neighbour == block->before) {
    if (neighbour->before == nullptr) segments_[neighbour->address] = block;
    block->address = neighbour->address;
    block->before = neighbour->before;
    if (block->before != nullptr) block->before->after = block;
  } else {
    block->after = neighbour->after;
    if (block->after != nullptr) block->after->before = block;
  }
  block->size += neighbour->size;
  spare_nodes_.push_back(neighbour);
}

void Heap::erase_free(Block* block) {
  if (!block->small) {
    block->owner->large.erase(block);
  } else {
    (block->merged ? block->owner->small : block->owner->freed).erase(block);
  }
}

void Heap::release_cached() {
  // Work may still be enqueued on memory that its owner has freed.
  acl::check(acl::synchronize_device(), "aclrtSynchronizeDevice");
  wait_for_events();
  std::vector<Block*> whole;
  const auto collect = [&](Block* block) {
    if (block->is_whole_segment()) whole.push_back(block);
  };
  for (auto& [key, blocks] : streams_) {
    if (blocks->graphs > 0) continue;  // replays use it, though no tensor does
    merge_freed(*blocks);
    blocks->small.for_each(collect);
    std::for_each(blocks->large.begin(), blocks->large.end(), collect);
  }
  for (Block* block : whole) {
    erase_free(block);
    release_segment(block);
  }
}

void Heap::release_segment(Block* block) {
  segments_.erase(block->address);
  acl::free(block->address);
  ++stats_.num_device_free;
  decrease(stats_.segment, block->small, 1);
  decrease(stats_.reserved_bytes, block->small, block->size);
  spare_nodes_.push_back(block);
}

void Heap::free_uncached(Block* block) {
  acl::synchronize_device();  // the block's stream may still use it
  release_segment(block);
}

void Heap::process_events() {
  const auto is_done = [this](Pending& entry) {
    if (!entry.first.done()) return false;
    if (--entry.second->pending_events == 0) recycle(entry.second);
    return true;
  };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), is_done), pending_.end());
}

void Heap::wait_for_events() {
  ++stats_.num_sync_all_streams;
  for (Pending& entry : pending_) entry.first.synchronize();
  process_events();
}

Block* Heap::new_node() {
  if (spare_nodes_.empty()) {
    node_slabs_.push_back(std::make_unique<Block[]>(kNodesPerSlab));
    for (size_t i = 0; i < kNodesPerSlab; ++i) spare_nodes_.push_back(&node_slabs_.back()[i]);
  }
  Block* node = spare_nodes_.back();
  spare_nodes_.pop_back();
  node->heap = this;
  node->before = node->after = nullptr;
  node->pending_events = 0;
  node->allocated = false;
  node->merged = true;
  node->requested = 0;
  return node;
}

}  // namespace torch_npu::memory
