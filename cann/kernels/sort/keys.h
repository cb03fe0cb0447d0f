// Values as unsigned keys of the same order, and a key with its index as one item.
#pragma once

#include <type_traits>

#include "cann/kernels/element.h"
#include "cann/kernels/sort/sort.h"

namespace cann::kernels::CANN_ISA {

template <class T>
using Key = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// Bits of a key that can differ.
template <class T>
constexpr int kKeyBits = sizeof(T) * 8;

// NaN becomes the largest key; both zeros the same.
inline uint32_t key_of(float x) {
  auto bits = __builtin_bit_cast(uint32_t, x + 0.0f);  // -0 + 0 is 0
  uint32_t key = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return x != x ? 0xffffffffu : key;
}
inline uint64_t key_of(double x) {
  auto bits = __builtin_bit_cast(uint64_t, x + 0.0);
  uint64_t key = bits >> 63 ? ~bits : bits | 0x8000000000000000u;
  return x != x ? ~uint64_t{0} : key;
}
template <class H>
inline uint32_t key_of_half(H x, uint32_t infinity) {
  uint32_t bits = x.bits == 0x8000u ? 0 : x.bits;
  uint32_t key = bits & 0x8000u ? ~bits & 0xffffu : bits | 0x8000u;
  return (bits & 0x7fffu) > infinity ? 0xffffu : key;
}
inline uint32_t key_of(Half x) { return key_of_half(x, 0x7c00u); }
inline uint32_t key_of(BFloat16 x) { return key_of_half(x, 0x7f80u); }
inline uint64_t key_of(int64_t x) { return static_cast<uint64_t>(x) ^ 0x8000000000000000u; }
inline uint32_t key_of(int32_t x) { return static_cast<uint32_t>(x) ^ 0x80000000u; }
inline uint32_t key_of(int16_t x) { return static_cast<uint16_t>(x ^ 0x8000); }
inline uint32_t key_of(int8_t x) { return static_cast<uint8_t>(x ^ 0x80); }
inline uint32_t key_of(uint8_t x) { return x; }
inline uint32_t key_of(Bool x) { return x.byte; }

template <class T>
constexpr Key<T> kAllOnes = static_cast<Key<T>>(kKeyBits<T> == 64 ? ~uint64_t{0} : (uint64_t{1} << kKeyBits<T>)-1);

template <class T>
inline bool is_nan(T x) {
  if constexpr (kIsFloat<T>)
    return x != x;
  else if constexpr (kIsHalf<T>)
    return key_of(x) == 0xffffu;
  else
    return false;
}

// Ordered by key, then index: all items of a row differ.
struct Item32 {  // key above, index below
  uint64_t word;
  static Item32 make(uint32_t key, uint32_t index) { return {static_cast<uint64_t>(key) << 32 | index}; }
  uint32_t key() const { return static_cast<uint32_t>(word >> 32); }
  uint32_t index() const { return static_cast<uint32_t>(word); }
  bool operator<(Item32 o) const { return word < o.word; }
};
struct Item64 {
  uint64_t word;
  uint64_t position;
  static Item64 make(uint64_t key, uint32_t index) { return {key, index}; }
  uint64_t key() const { return word; }
  uint32_t index() const { return static_cast<uint32_t>(position); }
  bool operator<(Item64 o) const { return word != o.word ? word < o.word : position < o.position; }
};
template <class T>
using Item = std::conditional_t<sizeof(T) == 8, Item64, Item32>;

template <class T>
inline void make_items(const T* x, int64_t n, bool descending, Item<T>* items) {
  Key<T> flip = descending ? kAllOnes<T> : 0;
  for (int64_t i = 0; i < n; ++i) items[i] = Item<T>::make(key_of(x[i]) ^ flip, static_cast<uint32_t>(i));
}

}  // namespace cann::kernels::CANN_ISA
