// Chooses the scanner of an operation.
#include "cann/kernels/scan/scan.h"

#include "cann/kernels/scan/tables.h"

namespace cann::kernels::CANN_ISA {
namespace {

const Scanner* find(ScanOp op, DType compute) {
  bool extremum = op == ScanOp::CumMax || op == ScanOp::CumMin;
  return extremum ? find_running_extremum(op, compute) : find_fold(op, compute);
}

}  // namespace

extern const ScanKernels scan_table{find};

}  // namespace cann::kernels::CANN_ISA
