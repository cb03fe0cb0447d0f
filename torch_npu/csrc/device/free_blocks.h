// Free memory blocks of one stream, found by size in constant time for small sizes. Knows nothing of devices.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <c10/core/Stream.h>

namespace torch_npu::memory {

inline constexpr size_t kUnit = 512;            // every block is a multiple of it, as in PyTorch's other allocators
inline constexpr size_t kSmallLimit = 1 << 20;  // larger requests come from the large pool

class Heap;
struct StreamBlocks;

struct Block {
  char* address = nullptr;
  size_t size = 0;       // bytes, a multiple of kUnit
  size_t requested = 0;  // bytes that the caller asked for
  Heap* heap = nullptr;
  StreamBlocks* owner = nullptr;  // where it goes when it is freed
  Block* before = nullptr;        // neighbours in the same segment
  Block* after = nullptr;
  Block* free_previous = nullptr;  // links of the free list
  Block* free_next = nullptr;
  std::vector<c10::StreamId> used_on;  // other streams that record_stream named
  int pending_events = 0;
  bool small = false;
  bool allocated = false;
  bool merged = true;  // with its free neighbours, when it is free itself

  bool is_whole_segment() const { return before == nullptr && after == nullptr; }
};

// Small free blocks. One list for each multiple of 512 bytes up to 1 MiB and a bit per list that is not empty: a
// request takes a few instructions, where a tree ordered by size takes 50 to 100 ns.
class SmallBlocks {
 public:
  void insert(Block* block) {
    const size_t slot = slot_of(block->size);
    block->free_previous = nullptr;
    block->free_next = heads_[slot];
    if (heads_[slot] != nullptr) heads_[slot]->free_previous = block;
    heads_[slot] = block;
    words_[slot / 64] |= uint64_t{1} << (slot % 64);
  }

  void erase(Block* block) {
    const size_t slot = slot_of(block->size);
    if (block->free_next != nullptr) block->free_next->free_previous = block->free_previous;
    if (block->free_previous != nullptr) {
      block->free_previous->free_next = block->free_next;
    } else {
      heads_[slot] = block->free_next;
      if (heads_[slot] == nullptr) words_[slot / 64] &= ~(uint64_t{1} << (slot % 64));
    }
  }

  // One of exactly `size` bytes, most recently freed first (it may still be in the cache); null if none.
  Block* find_exact(size_t size) const { return size > kSmallLimit ? nullptr : heads_[slot_of(size)]; }

  // The smallest that holds `size` bytes, most recently freed first; null if none.
  Block* find(size_t size) const {
    const size_t slot = slot_of(size);
    if (heads_[slot] != nullptr) return heads_[slot];
    size_t word = slot / 64;
    uint64_t bits = words_[word] & (~uint64_t{0} << (slot % 64));
    while (bits == 0) {
      if (++word == words_.size()) return nullptr;
      bits = words_[word];
    }
    return heads_[word * 64 + std::countr_zero(bits)];
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (Block* head : heads_) {
      for (Block* block = head; block != nullptr;) {
        Block* next = block->free_next;  // visit may erase it
        visit(block);
        block = next;
      }
    }
  }

 private:
  // Blocks beyond 1 MiB (a fresh segment) share the last list: it is only reached when all others are empty.
  static constexpr size_t kSlots = kSmallLimit / kUnit + 2;
  static size_t slot_of(size_t size) { return size > kSmallLimit ? kSlots - 1 : size / kUnit; }

  std::array<Block*, kSlots> heads_{};
  std::array<uint64_t, (kSlots + 63) / 64> words_{};
};

struct BySize {
  bool operator()(const Block* a, const Block* b) const {
    return a->size != b->size ? a->size < b->size : a->address < b->address;
  }
};

using LargeBlocks = std::set<Block*, BySize>;

// What one stream has freed and may take again at once; or what belongs to captured graphs, whose replays use it.
struct StreamBlocks {
  c10::StreamId stream = 0;
  c10::StreamId key = 0;  // the stream again, or a graph pool's number below 0
  int graphs = 0;         // that are alive and have this pool
  // Freed and not merged: a program that asks for the same sizes again and again neither merges nor splits.
  SmallBlocks freed;
  SmallBlocks small;
  LargeBlocks large;
};

}  // namespace torch_npu::memory
