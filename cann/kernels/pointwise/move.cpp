// Gathers, scatters and fills of rectangles, by element size alone. A transposed rectangle goes through 8 x 8 squares
// held in registers, so that both sides are touched a cache line at a time.
#include "cann/kernels/pointwise/move.h"

#include <cstring>

#include "cann/kernels/bytes.h"

namespace cann::kernels::CANN_ISA {

template <class T>
static T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// dst[c * dst_stride + r] = src[r * src_stride + c] for an 8 x 8 square of 32-bit elements; strides in elements.
static void transpose_square(uint32_t* dst, int64_t dst_stride, const uint32_t* src, int64_t src_stride) {
  typedef uint32_t Row __attribute__((vector_size(32), aligned(4), may_alias));
  typedef uint32_t Index __attribute__((vector_size(32)));
  Index a[8], b[8];
  for (int r = 0; r < 8; ++r) a[r] = *reinterpret_cast<const Row*>(src + r * src_stride);
  for (int r = 0; r < 4; ++r) {
    b[2 * r] = __builtin_shuffle(a[r], a[r + 4], Index{0, 8, 1, 9, 2, 10, 3, 11});
    b[2 * r + 1] = __builtin_shuffle(a[r], a[r + 4], Index{4, 12, 5, 13, 6, 14, 7, 15});
  }
  // Three rounds of the same perfect shuffle transpose an 8 x 8 square.
  for (int r = 0; r < 4; ++r) {
    a[2 * r] = __builtin_shuffle(b[r], b[r + 4], Index{0, 8, 1, 9, 2, 10, 3, 11});
    a[2 * r + 1] = __builtin_shuffle(b[r], b[r + 4], Index{4, 12, 5, 13, 6, 14, 7, 15});
  }
  for (int r = 0; r < 4; ++r) {
    b[2 * r] = __builtin_shuffle(a[r], a[r + 4], Index{0, 8, 1, 9, 2, 10, 3, 11});
    b[2 * r + 1] = __builtin_shuffle(a[r], a[r + 4], Index{4, 12, 5, 13, 6, 14, 7, 15});
  }
  for (int c = 0; c < 8; ++c) *reinterpret_cast<Row*>(dst + c * dst_stride) = b[c];
}

// dst[c][r] = src[r][c]: strides between rows, in elements.
template <class T>
static void transpose(T* dst, int64_t dst_stride, const T* src, int64_t src_stride, int64_t rows, int64_t cols) {
  int64_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    int64_t c = 0;
    for (; c + 8 <= cols; c += 8) {
      if constexpr (sizeof(T) == 4) {
        transpose_square(dst + c * dst_stride + r, dst_stride, src + r * src_stride + c, src_stride);
      } else {
        for (int64_t j = c; j < c + 8; ++j)
          for (int64_t i = r; i < r + 8; ++i) dst[j * dst_stride + i] = src[i * src_stride + j];
      }
    }
    for (; c < cols; ++c)
      for (int64_t i = r; i < r + 8; ++i) dst[c * dst_stride + i] = src[i * src_stride + c];
  }
  for (; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) dst[c * dst_stride + r] = src[r * src_stride + c];
}

template <class T>
static void fill_row(T* dst, T value, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dst[i] = value;
}

template <class T>
static void gather_typed(T* dst, const char* src, const Block& b) {
  constexpr int64_t kItem = sizeof(T);
  if (b.row_stride == kItem && b.col_stride % kItem == 0 && b.col_stride != 0 && b.rows >= 4 && b.cols >= 4)
    return transpose(dst, b.cols, reinterpret_cast<const T*>(src), b.col_stride / kItem, b.cols, b.rows);
  for (int64_t r = 0; r < b.rows; ++r, dst += b.cols, src += b.row_stride) {
    if (b.col_stride == kItem) {
      std::memcpy(dst, src, static_cast<size_t>(b.cols * kItem));
    } else if (b.col_stride == 0) {
      fill_row(dst, load<T>(src), b.cols);
    } else {
      for (int64_t c = 0; c < b.cols; ++c) dst[c] = load<T>(src + c * b.col_stride);
    }
  }
}

template <class T>
static void scatter_typed(char* dst, const T* src, const Block& b) {
  constexpr int64_t kItem = sizeof(T);
  if (b.row_stride == kItem && b.col_stride % kItem == 0 && b.rows >= 4 && b.cols >= 4)
    return transpose(reinterpret_cast<T*>(dst), b.col_stride / kItem, src, b.cols, b.rows, b.cols);
  for (int64_t r = 0; r < b.rows; ++r, src += b.cols, dst += b.row_stride) {
    if (b.col_stride == kItem) {
      std::memcpy(dst, src, static_cast<size_t>(b.cols * kItem));
    } else {
      for (int64_t c = 0; c < b.cols; ++c) std::memcpy(dst + c * b.col_stride, src + c, kItem);
    }
  }
}

void gather(void* dst, const void* src, const Block& block, int item_bytes) {
  const char* from = static_cast<const char*>(src);
  with_bytes(item_bytes, [&]<class T>(T) { gather_typed(static_cast<T*>(dst), from, block); });
}

void scatter(void* dst, const void* src, const Block& block, int item_bytes) {
  char* to = static_cast<char*>(dst);
  with_bytes(item_bytes, [&]<class T>(T) { scatter_typed(to, static_cast<const T*>(src), block); });
}

void fill(void* dst, const void* value, int64_t n, int item_bytes) {
  const char* from = static_cast<const char*>(value);
  with_bytes(item_bytes, [&]<class T>(T) { fill_row(static_cast<T*>(dst), load<T>(from), n); });
}

template <class T>
static double sum_lanes(const T* src, int64_t n) {
  constexpr int kLanes = 16;
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) lanes[k] += src[i + k];
  for (; i < n; ++i) lanes[i % kLanes] += src[i];
  double total = 0;
  for (double lane : lanes) total += lane;
  return total;
}

double sum(const void* src, int64_t n, DType type) {
  return type == DType::Float64 ? sum_lanes(static_cast<const double*>(src), n)
                                : sum_lanes(static_cast<const float*>(src), n);
}

}  // namespace cann::kernels::CANN_ISA
