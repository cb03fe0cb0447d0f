// Sorters of the floating types of at most 32 bits.
#include "cann/kernels/sort/row_sorter.h"

namespace cann::kernels::CANN_ISA {

const RowSorter* floating_sorter(DType dtype);

const RowSorter* floating_sorter(DType dtype) {
  switch (dtype) {
    case DType::Float32: return &Rows<float>::kSorter;
    case DType::Float16: return &Rows<Half>::kSorter;
    case DType::BFloat16: return &Rows<BFloat16>::kSorter;
    default: return nullptr;
  }
}

}  // namespace cann::kernels::CANN_ISA
