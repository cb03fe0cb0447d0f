// One tile of a real product: operands are packed block by block, widened on the way, into panels that stay in the
// cache; the sums of a block of kTileDepth terms live in registers, those of all blocks in the tile; the result is
// rounded once. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/half.h"
#include "cann/kernels/matmul/gemm.h"
#include "cann/kernels/matmul/panel.h"
#include "cann/kernels/matmul/transpose.h"

namespace cann::kernels::CANN_ISA {

// n elements `step` apart, widened.
template <class S, class W>
static inline void gather_row(const S* from, int64_t step, W* to, int64_t n) {
  if (step == 1) return widen(from, to, n);
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<W>(widen(from[i * step]));
}

// packed[r, 0..depth) = a's rows; rows stand kPackedRow apart.
template <class S, class W>
static void pack_rows(const S* a, int64_t a_row, int64_t a_col, int64_t rows, int64_t depth, W* packed) {
  if (a_col == 1 || a_row != 1) {
    for (int64_t r = 0; r < rows; ++r) gather_row(a + r * a_row, a_col, packed + r * kPackedRow, depth);
    return;
  }
  pack_transposed(a, a_col, depth, rows, packed, kPackedRow);  // read along its contiguous side
}

// packed[panel][0..depth)[kPanelCols], the last panel filled up with zeros.
template <class S, class W>
static void pack_panels(const S* b, int64_t b_row, int64_t b_col, int64_t depth, int64_t cols, W* packed) {
  constexpr int kCols = kPanelCols<W>;
  for (int64_t j = 0; j < cols; j += kCols, packed += depth * kCols) {
    const int64_t width = lesser(kCols, cols - j);
    const S* from = b + j * b_col;
    if (width < kCols)
      for (int64_t i = 0; i < depth * kCols; ++i) packed[i] = W{};
    if (b_col == 1) {
      for (int64_t p = 0; p < depth; ++p) {
        if (width == kCols)
          widen(from + p * b_row, packed + p * kCols, int64_t{kCols});
        else
          widen(from + p * b_row, packed + p * kCols, width);
      }
      continue;
    }
    if (b_row == 1) {
      pack_transposed(from, b_col, width, depth, packed, kCols);
      continue;
    }
    for (int64_t c = 0; c < width; ++c)
      for (int64_t p = 0; p < depth; ++p) packed[p * kCols + c] = static_cast<W>(widen(from[c * b_col + p * b_row]));
  }
}

template <class W>
static inline W factor_as(const Factor& f) {
  if constexpr (W(0.5) == W(0))
    return static_cast<W>(f.integer);
  else
    return static_cast<W>(f.real);
}

// out = alpha * sums + beta * c, for one row of n sums; `line` is n elements of room and may be `sums` itself.
template <class S, class W>
static inline void finish_row(const GemmTile& t, int64_t row, W* sums, W* line) {
  const int64_t n = t.n;
  if (const W alpha = factor_as<W>(t.alpha); alpha != W(1))
    for (int64_t j = 0; j < n; ++j) sums[j] *= alpha;
  if (t.c) {
    const W beta = factor_as<W>(t.beta);
    gather_row(static_cast<const S*>(t.c) + row * t.c_row, t.c_col, line, n);
    if (beta == W(1))
      for (int64_t j = 0; j < n; ++j) sums[j] += line[j];
    else
      for (int64_t j = 0; j < n; ++j) sums[j] += beta * line[j];
  }
  S* out = static_cast<S*>(t.out) + row * t.out_row;
  if (t.out_col == 1) return narrow(sums, out, n);
  for (int64_t j = 0; j < n; ++j) narrow(sums[j], out[j * t.out_col]);
}

// Whether the sums may grow where the result lies: nothing is left to do to them.
template <class S, class W>
static inline bool sums_in_place(const GemmTile& t) {
  if constexpr (!__is_same(S, W)) return false;
  return t.out_col == 1 && t.n % kPanelCols<W> == 0 && !t.c && factor_as<W>(t.alpha) == W(1);
}

// pre: m <= kTileRows, n <= kTileCols
template <class S, class W>
static void gemm_tile(const GemmTile& t) {
  constexpr int kCols = kPanelCols<W>;
  const bool in_place = sums_in_place<S, W>(t);
  const int64_t sums_row = in_place ? t.out_row : (t.n + kCols - 1) / kCols * kCols;
  W* sums = static_cast<W*>(in_place ? t.out : t.scratch);
  W* rows = static_cast<W*>(t.scratch) + kTileRows * kTileCols;
  W* panels = rows + kTileRows * kPackedRow;
  const S* a = static_cast<const S*>(t.a);
  const S* b = static_cast<const S*>(t.b);
  if (t.k == 0)
    for (int64_t i = 0; i < t.m; ++i)
      for (int64_t j = 0; j < round_up(t.n, kCols); ++j) sums[i * sums_row + j] = W{};
  for (int64_t p = 0; p < t.k; p += kTileDepth) {
    const int64_t depth = lesser(kTileDepth, t.k - p);
    const W *packed_a = rows, *packed_b = panels;
    int64_t a_row = kPackedRow, b_row = kCols, panel_step = depth * kCols;
    // An operand that is read only once or twice is read as it lies.
    bool a_lies = false, b_lies = false;
    if constexpr (__is_same(S, W)) {
      a_lies = t.a_col == 1 && t.n <= 2 * kCols;
      b_lies = t.b_col == 1 && t.m <= kRegisterRows && t.n % kCols == 0;
      if (a_lies) packed_a = a + p, a_row = t.a_row;
      if (b_lies) packed_b = b + p * t.b_row, b_row = t.b_row, panel_step = kCols;
    }
    if (!a_lies) pack_rows(a + p * t.a_col, t.a_row, t.a_col, t.m, depth, rows);
    if (!b_lies) pack_panels(b + p * t.b_row, t.b_row, t.b_col, depth, t.n, panels);
    for (int64_t j = 0; j < t.n; j += kCols)
      for (int64_t i = 0; i < t.m; i += kRegisterRows)
        multiply_rows<W>(lesser(kRegisterRows, t.m - i), depth, packed_a + i * a_row, a_row, 1,
                         packed_b + j / kCols * panel_step, b_row, sums + i * sums_row + j, sums_row, p == 0);
  }
  if (in_place) return;
  for (int64_t i = 0; i < t.m; ++i) finish_row<S>(t, i, sums + i * sums_row, panels);
}

}  // namespace cann::kernels::CANN_ISA
