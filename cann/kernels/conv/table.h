// The functions that conv.cpp's table gathers from the other files of this folder. For kernel files only: it needs
// CANN_ISA.
#pragma once

#include "cann/kernels/conv/conv.h"

namespace cann::kernels::CANN_ISA {

void depthwise(DType dtype, const DepthwisePlane& p);
void depthwise_rows(DType dtype, const DepthwiseRows& p, int64_t begin, int64_t end);

}  // namespace cann::kernels::CANN_ISA
