// Reads through indices. Copies bytes of 1, 2, 4, 8 or 16, so every element type is served; rows along which no index
// varies are copied whole.
#include "cann/kernels/index/gather.h"

#include <cstring>

#include "cann/kernels/index/cursor.h"

namespace cann::kernels::CANN_ISA {
namespace {

struct Bytes16 {
  uint64_t low, high;
};

template <class T>
void copy_row(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t count) {
  constexpr int64_t kBytes = sizeof(T);
  if (to_stride == kBytes && from_stride == kBytes) {
    std::memcpy(to, from, count * kBytes);
    return;
  }
  for (int64_t j = 0; j < count; ++j)
    *reinterpret_cast<T*>(to + j * to_stride) = *reinterpret_cast<const T*>(from + j * from_stride);
}

// The last dimension of gather, take and index_select along the last dimension: one index tensor, one value an element.
template <class T, class I>
bool gather_row(const IndexWalk& walk, const Cursor& cursor, int64_t first, int64_t count, BadIndex& bad) {
  const int last = walk.ndim - 1;
  const IndexWalk::Index& index = walk.index[0];
  const int64_t to_stride = walk.plain_strides[last], from_stride = walk.indexed_strides[last],
                index_stride = index.strides[last];
  const int64_t stride = index.stride, size = index.size;
  char* to = walk.plain + cursor.plain + first * to_stride;
  const char* from = walk.indexed + cursor.indexed + first * from_stride;
  const char* at = index.data + cursor.index[0] + first * index_stride;
  for (int64_t j = 0; j < count; ++j) {
    const int64_t given = *reinterpret_cast<const I*>(at + j * index_stride);
    int64_t value = given;
    if (static_cast<uint64_t>(value) >= static_cast<uint64_t>(size)) [[unlikely]] {
      if (walk.wraps && value < 0) value += size;
      if (static_cast<uint64_t>(value) >= static_cast<uint64_t>(size)) {
        bad = {true, index.dim, given, size};
        return false;
      }
    }
    *reinterpret_cast<T*>(to + j * to_stride) = *reinterpret_cast<const T*>(from + j * from_stride + value * stride);
  }
  return true;
}

template <class T>
BadIndex gather_elements(const IndexWalk& walk, int64_t begin, int64_t end) {
  BadIndex bad;
  const int last = walk.ndim - 1;
  const int64_t inner = walk.sizes[last];
  const bool elementwise = varies_inside(walk);
  Cursor cursor(walk);
  cursor.seek(begin / inner);
  int64_t first = begin % inner;
  while (begin < end) {
    const int64_t count = inner - first < end - begin ? inner - first : end - begin;
    if (!elementwise) {
      int64_t offset;
      if (!cursor.resolve(0, offset, bad)) return bad;
      copy_row<T>(walk.plain + cursor.plain + first * walk.plain_strides[last], walk.plain_strides[last],
                  walk.indexed + cursor.indexed + offset + first * walk.indexed_strides[last],
                  walk.indexed_strides[last], count);
    } else if (walk.indices == 1) {
      const bool good = walk.index[0].is_int32 ? gather_row<T, int32_t>(walk, cursor, first, count, bad)
                                               : gather_row<T, int64_t>(walk, cursor, first, count, bad);
      if (!good) return bad;
    } else {
      for (int64_t j = first; j < first + count; ++j) {
        int64_t offset;
        if (!cursor.resolve(j, offset, bad)) return bad;
        *reinterpret_cast<T*>(walk.plain + cursor.plain + j * walk.plain_strides[last]) =
            *reinterpret_cast<const T*>(walk.indexed + cursor.indexed + j * walk.indexed_strides[last] + offset);
      }
    }
    begin += count;
    first = 0;
    cursor.next();
  }
  return bad;
}

// pre: no operand is empty
BadIndex gather(const IndexWalk& walk, int64_t begin, int64_t end) {
  switch (walk.element_bytes) {
    case 1: return gather_elements<uint8_t>(walk, begin, end);
    case 2: return gather_elements<uint16_t>(walk, begin, end);
    case 4: return gather_elements<uint32_t>(walk, begin, end);
    case 8: return gather_elements<uint64_t>(walk, begin, end);
    default: return gather_elements<Bytes16>(walk, begin, end);
  }
}

}  // namespace

extern const GatherKernels gather_table{gather};

}  // namespace cann::kernels::CANN_ISA
