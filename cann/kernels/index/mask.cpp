// Eight mask bytes are looked at as one word, so that long stretches of 0 or of 1 cost little.
#include "cann/kernels/index/mask.h"

#include <cstring>

#include "cann/kernels/bytes.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr uint64_t kAllOnes = 0x0101010101010101;

int64_t count(const uint8_t* mask, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n;) {
    const int64_t end = i + 255 < n ? i + 255 : n;  // a byte's sum does not overflow
    uint32_t part = 0;
    for (; i < end; ++i) part += mask[i] != 0;
    sum += part;
  }
  return sum;
}

// Calls each(i) for the true positions, eight(i) where eight in a row are true.
template <class Each, class Eight>
void for_true(const uint8_t* mask, int64_t n, Each&& each, Eight&& eight) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t word;
    std::memcpy(&word, mask + i, 8);
    if (word == 0) continue;
    if (word == kAllOnes) {
      eight(i);
      continue;
    }
    for (int64_t j = i; j < i + 8; ++j)
      if (mask[j]) each(j);
  }
  for (; i < n; ++i)
    if (mask[i]) each(i);
}

template <class T>
void select_elements(const T* from, const uint8_t* mask, int64_t n, T* to) {
  for_true(
      mask, n, [&](int64_t i) { *to++ = from[i]; },
      [&](int64_t i) {
        std::memcpy(to, from + i, 8 * sizeof(T));
        to += 8;
      });
}

template <class T>
void scatter_elements(T* to, const uint8_t* mask, int64_t n, const T* from) {
  for_true(
      mask, n, [&](int64_t i) { to[i] = *from++; },
      [&](int64_t i) {
        std::memcpy(to + i, from, 8 * sizeof(T));
        from += 8;
      });
}

void select(int64_t element_bytes, const char* from, const uint8_t* mask, int64_t n, char* to) {
  with_bytes(element_bytes,
             [&]<class T>(T) { select_elements(reinterpret_cast<const T*>(from), mask, n, reinterpret_cast<T*>(to)); });
}

void scatter(int64_t element_bytes, char* to, const uint8_t* mask, int64_t n, const char* from) {
  with_bytes(element_bytes, [&]<class T>(T) {
    scatter_elements(reinterpret_cast<T*>(to), mask, n, reinterpret_cast<const T*>(from));
  });
}

}  // namespace

extern const MaskKernels mask_table{count, select, scatter};

}  // namespace cann::kernels::CANN_ISA
