// The functions that conv.cpp's table gathers from the other files of this folder. For kernel files only: it needs
// CANN_ISA.
#pragma once

#include "cann/kernels/conv/conv.h"

namespace cann::kernels::CANN_ISA {

void depthwise(DType dtype, const DepthwisePlane& p);

}  // namespace cann::kernels::CANN_ISA
