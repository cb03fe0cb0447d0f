// What scan.cpp chooses from; each in the file of its name.
#pragma once

#include "cann/kernels/scan/scan.h"

namespace cann::kernels::CANN_ISA {

const Scanner* find_fold(ScanOp op, DType compute);
const Scanner* find_running_extremum(ScanOp op, DType compute);

}  // namespace cann::kernels::CANN_ISA
