// Matrix products of our own, one tile of the result at a time: every dtype, any strides. They serve small products and
// the types that oneDNN does not multiply; ops/matmul.cpp cuts a product into tiles and gives each its scratch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

// alpha or beta, in the three forms that the types compute in.
struct Factor {
  double real = 1, imag = 0;
  int64_t integer = 1;
  bool is_zero() const { return real == 0 && imag == 0 && integer == 0; }
  bool is_one() const { return real == 1 && imag == 0 && integer == 1; }
};

// out[i, j] = alpha * sum over p of a[i, p] * b[p, j]  +  beta * c[i, j].   All operands have one dtype; strides in
// elements.
struct GemmTile {
  int64_t m, n, k;
  const void* a;
  int64_t a_row, a_col;
  const void* b;
  int64_t b_row, b_col;
  const void* c;  // null: none, and beta is not read
  int64_t c_row, c_col;
  void* out;
  int64_t out_row, out_col;
  Factor alpha, beta;
  void* scratch;  // gemm_scratch_bytes() of it, aligned to 64
};

// Rows and columns of the largest tile, and what one needs beside its operands.
inline constexpr int64_t kTileRows = 192, kTileCols = 256, kTileDepth = 256;
inline constexpr int64_t kPackedRow =
    kTileDepth + 16;  // not a power of two: the rows of a would share few sets of the cache
inline constexpr size_t kGemmScratchBytes =
    2 * 8 * static_cast<size_t>(kTileRows * kTileCols + kTileRows * kPackedRow + kTileDepth * kTileCols);

constexpr size_t units_scratch_bytes(int64_t k, int64_t n) {
  const int64_t depth = k + 32, cols = n + 32;
  return static_cast<size_t>(33 * cols * 4 + 2 * (depth * cols * 4 + 32 * (depth + 32) * 2) + 512) + kGemmScratchBytes;
}

using GemmKernel = void (*)(const GemmTile&);

// Sums that somebody else computed: scratch holds [m + 1][n] of them, float32, the last row free.
using FinishKernel = void (*)(DType, const GemmTile&);

struct MatmulKernels {
  GemmKernel f32, f16, bf16, f64, i8, u8, i16, i32, i64, c64, c128;
  // The same sums where the result has few rows (m <= kFewRows) and b's columns are contiguous: b is read once, as it
  // lies.
  GemmKernel few_rows_f32, few_rows_f16, few_rows_bf16, few_rows_f64;
  FinishKernel finish;  // float32 and the half types
  // The same products on the CPU's matrix units; null at levels without. pre: the CPU has them; a_col == 1; b_row == 1
  // or b_col == 1; m and n of any size; scratch: units_scratch_bytes(k, n).
  GemmKernel units_f16, units_bf16;
};
inline constexpr int64_t kFewRows = 8;

CANN_KERNEL_TABLE(MatmulKernels, matmul)

}  // namespace cann::kernels
