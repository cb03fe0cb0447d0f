// A few rows times a matrix that is read once, as it lies: as dot products where its columns are contiguous, as sums of rows where its
// rows are. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/matmul/gemm_tile.h"

namespace cann::kernels::CANN_ISA {

inline constexpr int kChunk = 512;  // elements of b widened at once; a multiple of every vector

// sums[r, j] for kRows rows of a, one column of b: dot products along a contiguous depth.
template <class S, class W, int kRows>
static inline void dot_column(int64_t depth, const W* a, int64_t a_row, const S* b, W* sums, int64_t sums_row) {
  using L = Lanes<W>;
  using V = typename L::Vector;
  constexpr int kUnroll = kRows <= 2 ? 4 : 2;  // enough independent sums to hide the latency of multiply_add
  V s[kRows][kUnroll] = {};
  W tail[kRows] = {};
  W wide[kChunk];
  for (int64_t p = 0; p < depth; p += kChunk) {
    const int64_t n = lesser(kChunk, depth - p);
    const W* x = wide;
    if constexpr (__is_same(S, W)) x = b + p;
    else widen(b + p, wide, n);
    int64_t q = 0;
    for (; q + kUnroll * L::kCount <= n; q += kUnroll * L::kCount)
#pragma GCC unroll 4
      for (int u = 0; u < kUnroll; ++u) {
        const V y = L::load(x + q + u * L::kCount);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
          s[r][u] = L::multiply_add(L::load(a + r * a_row + p + q + u * L::kCount), y, s[r][u]);
      }
    for (; q < n; ++q)
      for (int r = 0; r < kRows; ++r) tail[r] += a[r * a_row + p + q] * x[q];
  }
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

// sums[r, 0..n) += a[r, p] * b[p, 0..n) for four rows of b at a time.
template <class S, class W>
static void add_rows(const GemmTile& t, const W* a, int64_t a_row, W* sums) {
  W wide[4][kTileCols];
  for (int64_t r = 0; r < t.m; ++r)
    for (int64_t j = 0; j < t.n; ++j) sums[r * kTileCols + j] = W{};
  for (int64_t p = 0; p < t.k; p += 4) {
    const int64_t depth = lesser(4, t.k - p);
    const W* x[4];
    for (int64_t q = 0; q < 4; ++q) {
      const S* from = static_cast<const S*>(t.b) + (p + q) * t.b_row;
      if (q >= depth) {
        for (int64_t j = 0; j < t.n; ++j) wide[q][j] = W{};
        x[q] = wide[q];
      } else if constexpr (__is_same(S, W)) {
        x[q] = from;
      } else {
        widen(from, wide[q], t.n);
        x[q] = wide[q];
      }
    }
    for (int64_t r = 0; r < t.m; ++r) {
      W y[4] = {};
      for (int64_t q = 0; q < depth; ++q) y[q] = a[r * a_row + p + q];
      W* s = sums + r * kTileCols;
      using L = Lanes<W>;
      int64_t j = 0;
      for (; j + L::kCount <= t.n; j += L::kCount) {
        typename L::Vector v = L::load(s + j);
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) v = L::multiply_add(L::broadcast(y[q]), L::load(x[q] + j), v);
        L::store(s + j, v);
      }
      for (; j < t.n; ++j) s[j] += (y[0] * x[0][j] + y[1] * x[1][j]) + (y[2] * x[2][j] + y[3] * x[3][j]);
    }
  }
}

}  // namespace cann::kernels::CANN_ISA
