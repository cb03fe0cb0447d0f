// Rows are copied whole where both sides are contiguous, else element by element; where the source runs along another
// dimension than the destination (a transpose), both in blocks that the first-level cache holds.
#include "cann/kernels/shape/copy.h"

#include <cstring>

#include "cann/kernels/bytes.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
void copy_row(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t count) {
  constexpr int64_t kBytes = sizeof(T);
  if (to_stride == kBytes) {
    if (from_stride == kBytes) {
      std::memcpy(to, from, count * kBytes);
    } else if (from_stride == 0) {
      const T value = *reinterpret_cast<const T*>(from);
      for (int64_t j = 0; j < count; ++j) reinterpret_cast<T*>(to)[j] = value;
    } else if (from_stride == -kBytes) {
      const T* last = reinterpret_cast<const T*>(from) - (count - 1);
      for (int64_t j = 0; j < count; ++j) reinterpret_cast<T*>(to)[j] = last[count - 1 - j];
    } else {
      for (int64_t j = 0; j < count; ++j)
        reinterpret_cast<T*>(to)[j] = *reinterpret_cast<const T*>(from + j * from_stride);
    }
    return;
  }
  for (int64_t j = 0; j < count; ++j)
    *reinterpret_cast<T*>(to + j * to_stride) = *reinterpret_cast<const T*>(from + j * from_stride);
}

// Walks all dimensions but the last.
struct Rows {
  const CopyBox& box;
  int64_t at[CopyBox::kDims];
  int64_t from = 0, to = 0;

  Rows(const CopyBox& b, int64_t row) : box(b) {
    for (int d = box.ndim - 2; d >= 0; --d) {
      at[d] = row % box.sizes[d];
      row /= box.sizes[d];
      from += at[d] * box.from_strides[d];
      to += at[d] * box.to_strides[d];
    }
  }
  void next() {
    for (int d = box.ndim - 2; d >= 0; --d) {
      from += box.from_strides[d];
      to += box.to_strides[d];
      if (++at[d] < box.sizes[d]) return;
      from -= at[d] * box.from_strides[d];
      to -= at[d] * box.to_strides[d];
      at[d] = 0;
    }
  }
};

// A matrix whose source is contiguous along rows' dimension: 16 x 16 elements at a time, so that each cache line is
// used up.
template <class T>
void copy_transposed(const CopyBox& box, int64_t first_row, int64_t rows) {
  constexpr int64_t kBlock = 16;
  const int row_dim = box.ndim - 2, last = box.ndim - 1;
  const int64_t columns = box.sizes[last], from_row = box.from_strides[row_dim], from_column = box.from_strides[last];
  const int64_t to_row = box.to_strides[row_dim], to_column = box.to_strides[last];
  const Rows start(box, first_row);
  for (int64_t r = 0; r < rows; r += kBlock)
    for (int64_t c = 0; c < columns; c += kBlock) {
      const int64_t r_end = r + kBlock < rows ? r + kBlock : rows, c_end = c + kBlock < columns ? c + kBlock : columns;
      for (int64_t i = r; i < r_end; ++i)
        for (int64_t j = c; j < c_end; ++j)
          *reinterpret_cast<T*>(box.to + start.to + i * to_row + j * to_column) =
              *reinterpret_cast<const T*>(box.from + start.from + i * from_row + j * from_column);
    }
}

template <class T>
void copy_elements(const CopyBox& box, int64_t begin, int64_t end) {
  const int last = box.ndim - 1;
  const int64_t inner = box.sizes[last], to_stride = box.to_strides[last], from_stride = box.from_strides[last];
  constexpr int64_t kBytes = sizeof(T);
  const bool transposed = last > 0 && from_stride != kBytes && box.from_strides[last - 1] == kBytes && inner >= 4;
  int64_t row = begin / inner, first = begin % inner;
  while (begin < end) {
    if (transposed && first == 0 && end - begin >= inner) {
      const int64_t in_matrix = box.sizes[last - 1] - row % box.sizes[last - 1], wanted = (end - begin) / inner;
      const int64_t rows = in_matrix < wanted ? in_matrix : wanted;
      copy_transposed<T>(box, row, rows);
      begin += rows * inner;
      row += rows;
      continue;
    }
    Rows at(box, row);
    do {
      const int64_t count = inner - first < end - begin ? inner - first : end - begin;
      copy_row<T>(box.to + at.to + first * to_stride, to_stride, box.from + at.from + first * from_stride, from_stride,
                  count);
      begin += count;
      ++row;
      first = 0;
      at.next();
    } while (begin < end && !transposed);
  }
}

void copy(const CopyBox& box, int64_t begin, int64_t end) {
  with_bytes(box.element_bytes, [&]<class T>(T) { copy_elements<T>(box, begin, end); });
}

}  // namespace

extern const CopyKernels copy_box_table{copy};

}  // namespace cann::kernels::CANN_ISA
