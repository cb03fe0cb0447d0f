// The products that gemm.cpp's table gathers from the other files of this folder. For kernel files only: it needs
// CANN_ISA.
#pragma once

#include "cann/kernels/matmul/gemm.h"

namespace cann::kernels::CANN_ISA {

void gemm_c64(const GemmTile& t);
void gemm_c128(const GemmTile& t);

void few_rows_f32(const GemmTile& t);
void few_rows_f16(const GemmTile& t);
void few_rows_bf16(const GemmTile& t);
void few_rows_f64(const GemmTile& t);

// Level v4 alone.
void units_f16(const GemmTile& t);
void units_bf16(const GemmTile& t);

}  // namespace cann::kernels::CANN_ISA
