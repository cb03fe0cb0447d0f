// The functions that forward.cpp's table gathers from the other files of this folder. For kernel files only: it needs
// CANN_ISA.
#pragma once

#include "cann/kernels/attention/attention.h"

namespace cann::kernels::CANN_ISA {

void backward(DType dtype, const AttentionGradient& g, void* scratch);
void few_queries(DType dtype, const AttentionHead& h, void* scratch);
void softmax_rows(const AttentionHead& h, const SoftmaxRows& s);
void store_rows(const AttentionHead& h, const SoftmaxRows& s);

}  // namespace cann::kernels::CANN_ISA
