// Reads through indices. Copies bytes of 1, 2, 4, 8 or 16, so every element type is served; rows along which no index
// varies are copied whole.
#include "cann/kernels/index/gather.h"

#include <cstring>

#include "cann/kernels/bytes.h"
#include "cann/kernels/index/cursor.h"

namespace cann::kernels::CANN_ISA {
namespace {

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

// A last dimension along which one index varies; `from` holds what the others select.
template <class T, class I>
bool gather_row(const IndexWalk& walk, int varying, const char* at, char* to, const char* from, int64_t count,
                BadIndex& bad) {
  const int last = walk.ndim - 1;
  const IndexWalk::Index& index = walk.index[varying];
  const int64_t to_stride = walk.plain_strides[last], from_stride = walk.indexed_strides[last];
  const int64_t index_stride = index.strides[last], stride = index.stride;
  for (int64_t j = 0; j < count; ++j) {
    int64_t value = *reinterpret_cast<const I*>(at + j * index_stride);
    if (!in_range(index, walk.wraps, value, bad)) return false;
    *reinterpret_cast<T*>(to + j * to_stride) = *reinterpret_cast<const T*>(from + j * from_stride + value * stride);
  }
  return true;
}

// Whether a walk copies whole rows that one index selects.
bool selects_rows(const IndexWalk& w) {
  return w.ndim == 2 && w.indices == 1 && w.index[0].strides[1] == 0 && w.plain_strides[1] == w.element_bytes &&
         w.indexed_strides[1] == w.element_bytes;
}

// Rows [begin, end) of such a walk. The rows are asked for some steps before they are copied: where they lie is known.
BadIndex gather_rows(const IndexWalk& w, int64_t begin, int64_t end) {
  constexpr int64_t kAhead = 16;
  const IndexWalk::Index& index = w.index[0];
  const int64_t row_bytes = w.sizes[1] * w.element_bytes;
  BadIndex bad;
  for (int64_t r = begin; r < end; ++r) {
    if (r + kAhead < end) {
      const int64_t later = load_index(index.data + (r + kAhead) * index.strides[0], index.is_int32);
      __builtin_prefetch(w.indexed + (r + kAhead) * w.indexed_strides[0] + later * index.stride);
    }
    int64_t value = load_index(index.data + r * index.strides[0], index.is_int32);
    if (!in_range(index, w.wraps, value, bad)) return bad;
    std::memcpy(w.plain + r * w.plain_strides[0], w.indexed + r * w.indexed_strides[0] + value * index.stride,
                static_cast<size_t>(row_bytes));
  }
  return bad;
}

template <class T>
BadIndex gather_elements(const IndexWalk& walk, int64_t begin, int64_t end) {
  BadIndex bad;
  const int last = walk.ndim - 1;
  const int64_t inner = walk.sizes[last], to_stride = walk.plain_strides[last],
                from_stride = walk.indexed_strides[last];
  const Inside inside(walk);
  Cursor cursor(walk);
  cursor.seek(begin / inner);
  for (int64_t first = begin % inner; begin < end; first = 0, cursor.next()) {
    const int64_t count = inner - first < end - begin ? inner - first : end - begin;
    char* to = walk.plain + cursor.plain + first * to_stride;
    const char* from = walk.indexed + cursor.indexed + first * from_stride;
    int64_t offset = 0;
    if (inside.varying < 2) {
      if (!cursor.resolve(0, offset, bad, inside.index)) return bad;
      if (inside.varying == 0) {
        copy_row<T>(to, to_stride, from + offset, from_stride, count);
      } else {
        const IndexWalk::Index& index = walk.index[inside.index];
        const char* at = index.data + cursor.index[inside.index] + first * index.strides[last];
        const bool good = index.is_int32
                              ? gather_row<T, int32_t>(walk, inside.index, at, to, from + offset, count, bad)
                              : gather_row<T, int64_t>(walk, inside.index, at, to, from + offset, count, bad);
        if (!good) return bad;
      }
    } else {
      for (int64_t j = 0; j < count; ++j) {
        if (!cursor.resolve(first + j, offset, bad)) return bad;
        *reinterpret_cast<T*>(to + j * to_stride) = *reinterpret_cast<const T*>(from + j * from_stride + offset);
      }
    }
    begin += count;
  }
  return bad;
}

// pre: no operand is empty
BadIndex gather(const IndexWalk& walk, int64_t begin, int64_t end) {
  if (selects_rows(walk) && begin % walk.sizes[1] == 0 && end % walk.sizes[1] == 0)
    return gather_rows(walk, begin / walk.sizes[1], end / walk.sizes[1]);
  return with_bytes(walk.element_bytes, [&]<class T>(T) { return gather_elements<T>(walk, begin, end); });
}

}  // namespace

extern const GatherKernels gather_table{gather};

}  // namespace cann::kernels::CANN_ISA
