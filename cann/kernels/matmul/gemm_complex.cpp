// Products of complex matrices: real and imaginary parts are packed apart, and four real multiply-adds make one complex
// one, as (a + bi)(c + di) = (ac - bd) + (ad + bc)i. An infinite factor gives NaN parts where PyTorch's CPU (BLAS)
// gives them too.
#include "cann/kernels/element.h"
#include "cann/kernels/matmul/gemm_table.h"
#include "cann/kernels/matmul/gemm_tile.h"

namespace cann::kernels::CANN_ISA {

inline constexpr int kComplexRows = kRegisterRows / 3;  // four vectors of sums a row

// Sums and operands are planes: the imaginary one stands `plane` elements behind the real one.
template <class W, int kRows>
static inline void multiply_panel_complex(int64_t depth, const W* a, int64_t a_plane, const W* b, int64_t b_plane,
                                          W* sums, int64_t sums_row, int64_t sums_plane, bool first) {
  using L = Lanes<W>;
  using V = typename L::Vector;
  V re[kRows][2], im[kRows][2];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < 2; ++v) {
      const W* from = sums + r * sums_row + v * L::kCount;
      re[r][v] = first ? V{} : L::load(from);
      im[r][v] = first ? V{} : L::load(from + sums_plane);
    }
  for (int64_t p = 0; p < depth; ++p) {
    V b_re[2], b_im[2];
    for (int v = 0; v < 2; ++v) {
      b_re[v] = L::load(b + p * kPanelCols<W> + v * L::kCount);
      b_im[v] = L::load(b + b_plane + p * kPanelCols<W> + v * L::kCount);
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V x = L::broadcast(a[r * kPackedRow + p]), y = L::broadcast(a[a_plane + r * kPackedRow + p]);
      for (int v = 0; v < 2; ++v) {
        re[r][v] = L::multiply_add(x, b_re[v], re[r][v]);
        re[r][v] = L::multiply_add(-y, b_im[v], re[r][v]);
        im[r][v] = L::multiply_add(x, b_im[v], im[r][v]);
        im[r][v] = L::multiply_add(y, b_re[v], im[r][v]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < 2; ++v) {
      W* to = sums + r * sums_row + v * L::kCount;
      L::store(to, re[r][v]);
      L::store(to + sums_plane, im[r][v]);
    }
}

template <class W, int kRows = kComplexRows>
static inline void multiply_rows_complex(int64_t rows, int64_t depth, const W* a, int64_t a_plane, const W* b,
                                         int64_t b_plane, W* sums, int64_t sums_row, int64_t sums_plane, bool first) {
  if constexpr (kRows > 0) {
    if (rows == kRows)
      return multiply_panel_complex<W, kRows>(depth, a, a_plane, b, b_plane, sums, sums_row, sums_plane, first);
    multiply_rows_complex<W, kRows - 1>(rows, depth, a, a_plane, b, b_plane, sums, sums_row, sums_plane, first);
  }
}

template <class W>
static void finish_row_complex(const GemmTile& t, int64_t row, const W* re, const W* im) {
  const W alpha_re = static_cast<W>(t.alpha.real), alpha_im = static_cast<W>(t.alpha.imag);
  const W beta_re = static_cast<W>(t.beta.real), beta_im = static_cast<W>(t.beta.imag);
  const bool scaled = !t.alpha.is_one(), beta_scaled = !t.beta.is_one();
  const Complex<W>* c = static_cast<const Complex<W>*>(t.c);
  Complex<W>* out = static_cast<Complex<W>*>(t.out) + row * t.out_row;
  for (int64_t j = 0; j < t.n; ++j) {
    Complex<W> x{re[j], im[j]};
    if (scaled) x = {x.re * alpha_re - x.im * alpha_im, x.re * alpha_im + x.im * alpha_re};
    if (c) {
      Complex<W> y = c[row * t.c_row + j * t.c_col];
      if (beta_scaled) y = {y.re * beta_re - y.im * beta_im, y.re * beta_im + y.im * beta_re};
      x = {x.re + y.re, x.im + y.im};
    }
    out[j * t.out_col] = x;
  }
}

template <class W>
static void gemm_tile_complex(const GemmTile& t) {
  constexpr int kCols = kPanelCols<W>;
  const int64_t sums_row = (t.n + kCols - 1) / kCols * kCols;
  const int64_t sums_plane = kTileRows * kTileCols, rows_plane = kTileRows * kPackedRow,
                panels_plane = kTileDepth * kTileCols;
  W* sums = static_cast<W*>(t.scratch);
  W* rows = sums + 2 * sums_plane;
  W* panels = rows + 2 * rows_plane;
  const Complex<W>* a = static_cast<const Complex<W>*>(t.a);
  const Complex<W>* b = static_cast<const Complex<W>*>(t.b);
  if (t.k == 0)
    for (int64_t i = 0; i < t.m * sums_row; ++i) sums[i] = sums[sums_plane + i] = W{};
  for (int64_t p = 0; p < t.k; p += kTileDepth) {
    const int64_t depth = lesser(kTileDepth, t.k - p);
    for (int64_t i = 0; i < t.m; ++i)
      for (int64_t q = 0; q < depth; ++q) {
        const Complex<W> x = a[i * t.a_row + (p + q) * t.a_col];
        rows[i * kPackedRow + q] = x.re;
        rows[rows_plane + i * kPackedRow + q] = x.im;
      }
    for (int64_t j = 0; j < sums_row; ++j)
      for (int64_t q = 0; q < depth; ++q) {
        const Complex<W> x = j < t.n ? b[(p + q) * t.b_row + j * t.b_col] : Complex<W>{};
        W* to = panels + (j / kCols * depth + q) * kCols + j % kCols;
        to[0] = x.re;
        to[panels_plane] = x.im;
      }
    for (int64_t j = 0; j < t.n; j += kCols)
      for (int64_t i = 0; i < t.m; i += kComplexRows)
        multiply_rows_complex<W>(lesser(kComplexRows, t.m - i), depth, rows + i * kPackedRow, rows_plane,
                                 panels + j * depth, panels_plane, sums + i * sums_row + j, sums_row, sums_plane,
                                 p == 0);
  }
  for (int64_t i = 0; i < t.m; ++i) finish_row_complex(t, i, sums + i * sums_row, sums + sums_plane + i * sums_row);
}

void gemm_c64(const GemmTile& t) { gemm_tile_complex<float>(t); }
void gemm_c128(const GemmTile& t) { gemm_tile_complex<double>(t); }

}  // namespace cann::kernels::CANN_ISA
