// Writes through indices, point by point in order.
#include "cann/kernels/index/scatter.h"

#include <cstring>

#include "cann/kernels/bytes.h"
#include "cann/kernels/index/combine.h"
#include "cann/kernels/index/cursor.h"

namespace cann::kernels::CANN_ISA {
namespace {

// Calls row(to, to_stride, from, from_stride, count) where no index varies along the last dimension, and one(to, from)
// for each element where one does.
template <class Row, class One>
BadIndex for_each_destination(const IndexWalk& walk, Row&& row, One&& one) {
  BadIndex bad;
  const int last = walk.ndim - 1;
  const int64_t inner = walk.sizes[last], rows = inner ? walk.numel() / inner : 0;
  const int64_t to_stride = walk.indexed_strides[last], from_stride = walk.plain_strides[last];
  const Inside inside(walk);
  Cursor cursor(walk);
  cursor.seek(0);
  for (int64_t r = 0; r < rows; ++r, cursor.next()) {
    char* to = walk.indexed + cursor.indexed;
    const char* from = walk.plain + cursor.plain;
    int64_t offset = 0;
    if (inside.varying < 2 && !cursor.resolve(0, offset, bad, inside.index)) return bad;
    to += offset;
    if (inside.varying == 0) {
      row(to, to_stride, from, from_stride, inner);
    } else if (inside.varying == 1) {
      const IndexWalk::Index& index = walk.index[inside.index];
      const char* at = index.data + cursor.index[inside.index];
      const int64_t index_stride = index.strides[last], stride = index.stride;
      for (int64_t j = 0; j < inner; ++j) {
        int64_t value = load_index(at + j * index_stride, index.is_int32);
        if (!in_range(index, walk.wraps, value, bad)) return bad;
        one(to + value * stride + j * to_stride, from + j * from_stride);
      }
    } else {
      for (int64_t j = 0; j < inner; ++j) {
        if (!cursor.resolve(j, offset, bad)) return bad;
        one(to + offset + j * to_stride, from + j * from_stride);
      }
    }
  }
  return bad;
}

template <class T>
BadIndex assign_elements(const IndexWalk& walk) {
  auto one = [](char* to, const char* from) { *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from); };
  auto row = [&](char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t count) {
    constexpr int64_t kBytes = sizeof(T);
    if (to_stride == kBytes && from_stride == kBytes) {
      std::memcpy(to, from, count * kBytes);
    } else {
      for (int64_t j = 0; j < count; ++j) one(to + j * to_stride, from + j * from_stride);
    }
  };
  return for_each_destination(walk, row, one);
}

BadIndex assign(const IndexWalk& walk) {
  return with_bytes(walk.element_bytes, [&]<class T>(T) { return assign_elements<T>(walk); });
}

template <class T, class Op, bool kScaled>
BadIndex combine_elements(const IndexWalk& walk, const void* alpha) {
  Accumulator<T> scale{};
  if constexpr (kScaled) scale = load(*static_cast<const T*>(alpha));
  auto join = [scale](T& to, T from) {
    Accumulator<T> value = load(from);
    if constexpr (kScaled) value = Multiply::apply(scale, value);
    store<T>(Op::apply(load(to), value), to);
  };
  auto one = [&](char* to, const char* from) { join(*reinterpret_cast<T*>(to), *reinterpret_cast<const T*>(from)); };
  auto row = [&](char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t count) {
    constexpr int64_t kBytes = sizeof(T);
    if (to_stride == kBytes && from_stride == kBytes) {
      T* out = reinterpret_cast<T*>(to);
      const T* in = reinterpret_cast<const T*>(from);
#pragma GCC ivdep
      for (int64_t j = 0; j < count; ++j) join(out[j], in[j]);
    } else {
      for (int64_t j = 0; j < count; ++j) one(to + j * to_stride, from + j * from_stride);
    }
  };
  return for_each_destination(walk, row, one);
}

BadIndex combine(const IndexWalk& walk, Combine how, DType dtype, const void* alpha) {
  return with_type(dtype, [&](auto element) {
    using T = decltype(element);
    if (alpha) return combine_elements<T, Add, true>(walk, alpha);  // only sums are scaled
    return with_combine(how, [&](auto op) { return combine_elements<T, decltype(op), false>(walk, nullptr); });
  });
}

}  // namespace

extern const ScatterKernels scatter_table{assign, combine};

}  // namespace cann::kernels::CANN_ISA
