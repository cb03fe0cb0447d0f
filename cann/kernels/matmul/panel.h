// The innermost product: a few rows of a times a panel of b, two vectors wide, with the sums in registers. Everything
// that multiplies matrices here (gemm, attention) ends in it. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/matmul/lanes.h"

namespace cann::kernels::CANN_ISA {

static inline int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }  // std::min would be a weak symbol
static inline int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

// Registers: rows x 2 vectors of sums, 2 of b, 1 of a.
#if defined(__AVX512F__)
inline constexpr int kRegisterRows = 12;
#else
inline constexpr int kRegisterRows = 6;
#endif
template <class W>
inline constexpr int kPanelCols = 2 * Lanes<W>::kCount;

// sums[r, 0..kPanelCols) (+)= sum over p of a[r, p] * b[p, 0..kPanelCols). Strides in elements; b and sums have
// contiguous columns.
template <class W, int kRows>
static inline void multiply_panel(int64_t depth, const W* a, int64_t a_row, int64_t a_col, const W* b, int64_t b_row,
                                  W* sums, int64_t sums_row, bool first) {
  using L = Lanes<W>;
  typename L::Vector s[kRows][2];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < 2; ++v) s[r][v] = first ? typename L::Vector{} : L::load(sums + r * sums_row + v * L::kCount);
  for (int64_t p = 0; p < depth; ++p) {
    const typename L::Vector b0 = L::load(b + p * b_row), b1 = L::load(b + p * b_row + L::kCount);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const typename L::Vector x = L::broadcast(a[r * a_row + p * a_col]);
      s[r][0] = L::multiply_add(x, b0, s[r][0]);
      s[r][1] = L::multiply_add(x, b1, s[r][1]);
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < 2; ++v) L::store(sums + r * sums_row + v * L::kCount, s[r][v]);
}

template <class W, int kRows = kRegisterRows>
static inline void multiply_rows(int64_t rows, int64_t depth, const W* a, int64_t a_row, int64_t a_col, const W* b,
                                 int64_t b_row, W* sums, int64_t sums_row, bool first) {
  if constexpr (kRows > 0) {
    if (rows == kRows) return multiply_panel<W, kRows>(depth, a, a_row, a_col, b, b_row, sums, sums_row, first);
    multiply_rows<W, kRows - 1>(rows, depth, a, a_row, a_col, b, b_row, sums, sums_row, first);
  }
}

}  // namespace cann::kernels::CANN_ISA
