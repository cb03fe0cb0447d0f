// A few rows times a matrix that is read once, as it lies: as dot products where its columns are contiguous, as sums of
// rows where its rows are. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/matmul/gemm_tile.h"

namespace cann::kernels::CANN_ISA {

// sums[r, j] for kRows rows of a, one column of b: dot products along a contiguous depth.
template <class S, class W, int kRows>
static inline void dot_column(int64_t depth, const W* a, int64_t a_row, const S* b, W* sums, int64_t sums_row) {
  using L = Lanes<W>;
  using V = typename L::Vector;
  constexpr int kUnroll = kRows <= 2 ? 4 : 2;  // enough independent sums to hide the latency of multiply_add
  V s[kRows][kUnroll] = {};
  W tail[kRows] = {};
  int64_t p = 0;
  for (; p + kUnroll * L::kCount <= depth; p += kUnroll * L::kCount)
#pragma GCC unroll 4
    for (int u = 0; u < kUnroll; ++u) {
      const V y = load_wide<S, W>(b + p + u * L::kCount);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) s[r][u] = L::multiply_add(L::load(a + r * a_row + p + u * L::kCount), y, s[r][u]);
    }
  for (; p + L::kCount <= depth; p += L::kCount) {
    const V y = load_wide<S, W>(b + p);
    for (int r = 0; r < kRows; ++r) s[r][0] = L::multiply_add(L::load(a + r * a_row + p), y, s[r][0]);
  }
  for (; p < depth; ++p)
    for (int r = 0; r < kRows; ++r) tail[r] += a[r * a_row + p] * static_cast<W>(widen(b[p]));
  for (int r = 0; r < kRows; ++r) {
    V total = s[r][0];
    for (int u = 1; u < kUnroll; ++u) total += s[r][u];
    sums[r * sums_row] = L::sum(total) + tail[r];
  }
}

template <class S, class W, int kRows = kFewRows>
static void dot_columns(const GemmTile& t, const W* a, int64_t a_row, W* sums) {
  if constexpr (kRows > 0) {
    if (t.m != kRows) return dot_columns<S, W, kRows - 1>(t, a, a_row, sums);
    for (int64_t j = 0; j < t.n; ++j)
      dot_column<S, W, kRows>(t.k, a, a_row, static_cast<const S*>(t.b) + j * t.b_col, sums + j, kTileCols);
  }
}

// sums[r, 0..n) = sum over p of a[r, p] * b[p, 0..n), four rows of b at a time.
template <class S, class W>
static void add_rows(const GemmTile& t, const W* a, int64_t a_row, W* sums) {
  using L = Lanes<W>;
  const S* b = static_cast<const S*>(t.b);
  for (int64_t r = 0; r < t.m; ++r)
    for (int64_t j = 0; j < t.n; ++j) sums[r * kTileCols + j] = W{};
  int64_t p = 0;
  for (; p + 4 <= t.k; p += 4) {
    const S* x[4];
    for (int q = 0; q < 4; ++q) x[q] = b + (p + q) * t.b_row;
    int64_t j = 0;
    for (; j + L::kCount <= t.n; j += L::kCount) {
      typename L::Vector y[4];
      for (int q = 0; q < 4; ++q) y[q] = load_wide<S, W>(x[q] + j);
      for (int64_t r = 0; r < t.m; ++r) {
        typename L::Vector v = L::load(sums + r * kTileCols + j);
        for (int q = 0; q < 4; ++q) v = L::multiply_add(L::broadcast(a[r * a_row + p + q]), y[q], v);
        L::store(sums + r * kTileCols + j, v);
      }
    }
    for (; j < t.n; ++j)
      for (int64_t r = 0; r < t.m; ++r)
        for (int q = 0; q < 4; ++q) sums[r * kTileCols + j] += a[r * a_row + p + q] * static_cast<W>(widen(x[q][j]));
  }
  for (; p < t.k; ++p)
    for (int64_t r = 0; r < t.m; ++r)
      for (int64_t j = 0; j < t.n; ++j)
        sums[r * kTileCols + j] += a[r * a_row + p] * static_cast<W>(widen(b[p * t.b_row + j]));
}

}  // namespace cann::kernels::CANN_ISA
