// The functions that forward.cpp's table gathers from the other files of this folder. For kernel files only: it needs
// CANN_ISA.
#pragma once

#include "cann/kernels/attention/attention.h"

namespace cann::kernels::CANN_ISA {

void backward(DType dtype, const AttentionGradient& g, void* scratch);
void few_queries(DType dtype, const AttentionHead& h, void* scratch);
void forward_units(const AttentionHead& h, int64_t begin, int64_t end, void* scratch);  // level v4 alone

}  // namespace cann::kernels::CANN_ISA
