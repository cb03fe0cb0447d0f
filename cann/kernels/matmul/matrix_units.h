// Products of bfloat16 on the matrix units of the CPU (AMX): 32 x 32 sums in four tile registers, float32. Compiled at
// level v4 alone, and only called on CPUs that have the units (ops/onednn.h, has_matrix_units()). Products are exact; a
// subnormal operand counts as 0 there. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/half.h"
#include "cann/kernels/matmul/panel.h"

#if defined(__AVX512F__)
#define CANN_MATRIX_UNITS __attribute__((target("amx-tile,amx-bf16")))

namespace cann::kernels::CANN_ISA {

// A block of sums is kUnit x kUnit; the depth goes in steps of kUnit too.
inline constexpr int kUnit = 32;
inline constexpr int kPairCols = 16;  // columns of a tile of b

// All eight tile registers: 16 rows of 64 bytes. In memory for good: GCC's intrinsic tells the compiler of 8 bytes
// only.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileShapes) == 64);
static constexpr TileShapes kTileShapes;

// The units are this thread's for as long as it stands.
class MatrixUnits {
 public:
  CANN_MATRIX_UNITS MatrixUnits() { _tile_loadconfig(&kTileShapes); }
  CANN_MATRIX_UNITS ~MatrixUnits() { _tile_release(); }
  MatrixUnits(const MatrixUnits&) = delete;
  MatrixUnits& operator=(const MatrixUnits&) = delete;
};

typedef uint32_t Words __attribute__((vector_size(64)));
typedef uint32_t UnalignedWords __attribute__((vector_size(64), aligned(2), may_alias));
typedef uint16_t Halves __attribute__((vector_size(64)));

// n < 32 elements of a row, zeros beyond.
static inline Words load_part(const BFloat16* from, int64_t n) {
  return (Words)_mm512_maskz_loadu_epi16(static_cast<__mmask32>((uint64_t{1} << n) - 1), from);
}
static inline Words load_row(const BFloat16* from, int64_t n) {
  return n >= kUnit ? (Words) * reinterpret_cast<const UnalignedWords*>(from) : load_part(from, n < 0 ? 0 : n);
}

// rows[r] word c becomes rows[c] word r.
static inline void transpose(Words* rows) {
  Words t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    t[i + 1] =
        __builtin_shufflevector(rows[i], rows[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
  Words u[16];
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 2; ++j) {
      const Words a = t[i + j], b = t[i + j + 2];
      u[i + 2 * j] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      u[i + 2 * j + 1] = __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
  for (int j = 0; j < 4; ++j) {  // u[4 i + j]: words j, j + 4, j + 8, j + 12 of rows 4 i to 4 i + 3
    const Words a = u[j], b = u[4 + j], c = u[8 + j], d = u[12 + j];
    const Words low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const Words low2 = __builtin_shufflevector(c, d, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const Words high = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    const Words high2 = __builtin_shufflevector(c, d, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    rows[j] = __builtin_shufflevector(low, low2, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    rows[j + 8] = __builtin_shufflevector(low, low2, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    rows[j + 4] = __builtin_shufflevector(high, high2, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    rows[j + 12] = __builtin_shufflevector(high, high2, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  }
}

// b as the units want it: packed[panel of kPairCols columns][depth / 2][column], two elements of the depth a word; both
// sizes rounded up to kUnit with zeros. pre: b_row == 1 or b_col == 1
static inline void pack_pairs(const BFloat16* b, int64_t b_row, int64_t b_col, int64_t depth, int64_t cols,
                              Words* packed) {
  const int64_t words = round_up(depth, kUnit) / 2;
  if (b_col == 1) {
    for (int64_t j = 0; j < round_up(cols, kUnit); j += kUnit, packed += 2 * words)
      for (int64_t p = 0; p < words; ++p) {
        const BFloat16* from = b + 2 * p * b_row + j;
        const Halves even = 2 * p < depth ? (Halves)load_row(from, cols - j) : Halves{};
        const Halves odd = 2 * p + 1 < depth ? (Halves)load_row(from + b_row, cols - j) : Halves{};
        packed[p] = (Words)__builtin_shufflevector(even, odd, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8,
                                                   40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47);
        packed[words + p] =
            (Words)__builtin_shufflevector(even, odd, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55,
                                           24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63);
      }
    return;
  }
  for (int64_t j = 0; j < round_up(cols, kUnit); j += kPairCols, packed += words)
    for (int64_t p = 0; p < words; p += kPairCols) {
      Words rows[kPairCols];
      for (int c = 0; c < kPairCols; ++c)
        rows[c] = j + c < cols ? load_row(b + (j + c) * b_col + 2 * p, depth - 2 * p) : Words{};
      transpose(rows);
      for (int i = 0; i < kPairCols; ++i) packed[p + i] = rows[i];
    }
}

// sums[kUnit][kUnit] (+)= kUnit rows of a times a pair of panels, over the first `depth` of the packed_depth that b was
// packed with. pre: both are multiples of kUnit
CANN_MATRIX_UNITS static inline void multiply_unit(int64_t depth, int64_t packed_depth, const uint16_t* a,
                                                   int64_t a_row, const Words* b, float* sums, int64_t sums_row,
                                                   bool first) {
  const int64_t words = packed_depth / 2, row_bytes = a_row * 2, sums_bytes = sums_row * 4;
  __asm__ volatile("" ::: "memory");  // the loads below do not tell the compiler that they read memory
  if (first) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  } else {
    _tile_loadd(0, sums, sums_bytes);
    _tile_loadd(1, sums + 16, sums_bytes);
    _tile_loadd(2, sums + 16 * sums_row, sums_bytes);
    _tile_loadd(3, sums + 16 * sums_row + 16, sums_bytes);
  }
  for (int64_t p = 0; p < depth / 2; p += 16) {
    _tile_loadd(4, a + 2 * p, row_bytes);
    _tile_loadd(6, b + p, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + words + p, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + 16 * a_row + 2 * p, row_bytes);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, sums_bytes);
  _tile_stored(1, sums + 16, sums_bytes);
  _tile_stored(2, sums + 16 * sums_row, sums_bytes);
  _tile_stored(3, sums + 16 * sums_row + 16, sums_bytes);
}

}  // namespace cann::kernels::CANN_ISA
#endif
