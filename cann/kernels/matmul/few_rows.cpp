// Products whose result has few rows (a vector times a matrix, the decoding step of a language model): memory bound, so
// b is read once, as it lies, widened in registers and never packed. Columns contiguous along the depth become dot
// products; columns side by side become sums of rows. Sums in float32 (float64) by lanes, rounded once.
#include "cann/kernels/matmul/few_rows.h"
#include "cann/kernels/matmul/gemm_table.h"

namespace cann::kernels::CANN_ISA {

// pre: m <= kFewRows, n <= kTileCols, b_row == 1 or b_col == 1; k of any length: a's rows are widened piece by piece.
template <class S, class W>
static void few_rows(const GemmTile& t) {
  W* sums = static_cast<W*>(t.scratch);  // [m][kTileCols]
  W* total = sums + kFewRows * kTileCols;
  W* line = total + kFewRows * kTileCols;
  W* rows = line + kTileCols;
  constexpr int64_t kPiece = 4096;  // of the depth: kFewRows of them stay in the second cache
  for (int64_t r = 0; r < t.m * kTileCols; ++r) total[r] = W{};
  for (int64_t p = 0; p < t.k; p += kPiece) {
    GemmTile piece = t;
    piece.k = lesser(kPiece, t.k - p);
    piece.b = static_cast<const S*>(t.b) + p * t.b_row;
    for (int64_t r = 0; r < t.m; ++r)
      gather_row(static_cast<const S*>(t.a) + r * t.a_row + p * t.a_col, t.a_col, rows + r * kPiece, piece.k);
    if (t.b_row == 1)
      dot_columns<S, W>(piece, rows, kPiece, sums);
    else
      add_rows<S, W>(piece, rows, kPiece, sums);
    for (int64_t r = 0; r < t.m * kTileCols; ++r) total[r] += sums[r];
  }
  for (int64_t r = 0; r < t.m; ++r) finish_row<S>(t, r, total + r * kTileCols, line);
}

void few_rows_f32(const GemmTile& t) { few_rows<float, float>(t); }
void few_rows_f16(const GemmTile& t) { few_rows<Half, float>(t); }
void few_rows_bf16(const GemmTile& t) { few_rows<BFloat16, float>(t); }
void few_rows_f64(const GemmTile& t) { few_rows<double, double>(t); }

}  // namespace cann::kernels::CANN_ISA
