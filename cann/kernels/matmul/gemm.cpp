// The table of products: real types here, complex ones in gemm_complex.cpp, results of few rows in few_rows.cpp.
// Floating sums are taken in blocks of kTileDepth terms, in float32 for the half types, and rounded once; NaN and
// infinities go through them. Integers wrap, as PyTorch's do.
#include "cann/kernels/matmul/gemm_table.h"
#include "cann/kernels/matmul/gemm_tile.h"
#include "cann/kernels/matmul/wrapping.h"

namespace cann::kernels::CANN_ISA {

template <class S>
static void finish_rows(const GemmTile& t) {
  float* sums = static_cast<float*>(t.scratch);
  for (int64_t i = 0; i < t.m; ++i) finish_row<S>(t, i, sums + i * t.n, sums + t.m * t.n);
}

static void finish(DType dtype, const GemmTile& t) {
  if (dtype == DType::Float16)
    finish_rows<Half>(t);
  else if (dtype == DType::BFloat16)
    finish_rows<BFloat16>(t);
  else
    finish_rows<float>(t);
}

extern const MatmulKernels matmul_table{
    gemm_tile<float, float>,
    gemm_tile<Half, float>,
    gemm_tile<BFloat16, float>,
    gemm_tile<double, double>,
    gemm_tile<Wrapping<int8_t>, uint32_t>,
    gemm_tile<Wrapping<uint8_t>, uint32_t>,
    gemm_tile<Wrapping<int16_t>, uint32_t>,
    gemm_tile<Wrapping<int32_t>, uint32_t>,
    gemm_tile<Wrapping<int64_t>, uint64_t>,
    gemm_c64,
    gemm_c128,
    few_rows_f32,
    few_rows_f16,
    few_rows_bf16,
    few_rows_f64,
    finish,
#if defined(__AVX512F__)
    units_f16,
    units_bf16,
#else
    nullptr,
    nullptr,
#endif
};

}  // namespace cann::kernels::CANN_ISA
