// Sorts items by key: short rows by insertion and merging, others by radix, least significant byte first. Stable.
#pragma once

#include "cann/kernels/sort/keys.h"

namespace cann::kernels::CANN_ISA {

inline constexpr int64_t kInsertionRun = 16;
inline constexpr int64_t kRadixFrom = 192;  // below this, clearing histograms costs more than merging

template <class I>
inline void insertion_sort(I* items, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    I item = items[i];
    int64_t at = i;
    for (; at > 0 && item < items[at - 1]; --at) items[at] = items[at - 1];
    items[at] = item;
  }
}

// The result stands in `items` or `spare`; returns where.
template <class I>
inline I* merge_sort(I* items, I* spare, int64_t n) {
  for (int64_t i = 0; i < n; i += kInsertionRun)
    insertion_sort(items + i, n - i < kInsertionRun ? n - i : kInsertionRun);
  for (int64_t run = kInsertionRun; run < n; run *= 2) {
    for (int64_t begin = 0; begin < n; begin += 2 * run) {
      int64_t a = begin, a_end = begin + run < n ? begin + run : n, b = a_end,
              b_end = begin + 2 * run < n ? begin + 2 * run : n;
      for (int64_t to = begin; to < b_end; ++to) {
        bool from_b = a == a_end || (b < b_end && items[b] < items[a]);
        spare[to] = from_b ? items[b] : items[a];
        b += from_b;
        a += !from_b;
      }
    }
    I* swap = items;
    items = spare;
    spare = swap;
  }
  return items;
}

template <class I, int kBits>
inline I* radix_sort(I* items, I* spare, int64_t n) {
  constexpr int kPasses = (kBits + 7) / 8;
  uint32_t histogram[kPasses][256] = {};
  for (int64_t i = 0; i < n; ++i) {
    auto key = items[i].key();
    for (int pass = 0; pass < kPasses; ++pass) ++histogram[pass][(key >> (8 * pass)) & 255];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    uint32_t* count = histogram[pass];
    if (count[(items[0].key() >> (8 * pass)) & 255] == static_cast<uint32_t>(n)) continue;  // all alike
    uint32_t sum = 0;
    for (int digit = 0; digit < 256; ++digit) {
      uint32_t here = count[digit];
      count[digit] = sum;
      sum += here;
    }
    for (int64_t i = 0; i < n; ++i) spare[count[(items[i].key() >> (8 * pass)) & 255]++] = items[i];
    I* swap = items;
    items = spare;
    spare = swap;
  }
  return items;
}

// pre: 0 < n < kMaxSortedRow; items come in the order of their indices.
template <class T>
inline Item<T>* sort_items(Item<T>* items, Item<T>* spare, int64_t n) {
  if (n < kRadixFrom) return merge_sort(items, spare, n);
  return radix_sort<Item<T>, kKeyBits<T>>(items, spare, n);
}

}  // namespace cann::kernels::CANN_ISA
