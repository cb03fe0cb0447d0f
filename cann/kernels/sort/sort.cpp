// Chooses the sorter of a type.
#include "cann/kernels/sort/sort.h"

namespace cann::kernels::CANN_ISA {

const RowSorter* floating_sorter(DType dtype);
const RowSorter* wide_sorter(DType dtype);
const RowSorter* small_sorter(DType dtype);

namespace {

const RowSorter* find(DType dtype) {
  if (is_floating(dtype) && dtype != DType::Float64) return floating_sorter(dtype);
  return size_of(dtype) == 8 ? wide_sorter(dtype) : small_sorter(dtype);
}

}  // namespace

extern const SortKernels sort_table{find};

}  // namespace cann::kernels::CANN_ISA
