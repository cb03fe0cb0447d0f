// Sorters of 64-bit types.
#include "cann/kernels/sort/row_sorter.h"

namespace cann::kernels::CANN_ISA {

const RowSorter* wide_sorter(DType dtype);

const RowSorter* wide_sorter(DType dtype) {
  if (dtype == DType::Float64) return &Rows<double>::kSorter;
  return dtype == DType::Int64 ? &Rows<int64_t>::kSorter : nullptr;
}

}  // namespace cann::kernels::CANN_ISA
