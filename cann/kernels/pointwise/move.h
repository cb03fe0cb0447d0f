// What brings elements into a tile and out of it; see PointwiseKernels for what each does.
#pragma once

#include "cann/kernels/pointwise/pointwise.h"

namespace cann::kernels::CANN_ISA {

ConvertFn find_convert(DType from, DType to);
void gather(void* dst, const void* src, const Block& block, int item_bytes);
void scatter(void* dst, const void* src, const Block& block, int item_bytes);
void fill(void* dst, const void* value, int64_t n, int item_bytes);
double sum(const void* src, int64_t n, DType type);

}  // namespace cann::kernels::CANN_ISA
