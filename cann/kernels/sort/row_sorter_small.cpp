// Sorters of integers of at most 32 bits and of booleans.
#include "cann/kernels/sort/row_sorter.h"

namespace cann::kernels::CANN_ISA {

const RowSorter* small_sorter(DType dtype);

const RowSorter* small_sorter(DType dtype) {
  switch (dtype) {
    case DType::Int32: return &Rows<int32_t>::kSorter;
    case DType::Int16: return &Rows<int16_t>::kSorter;
    case DType::Int8: return &Rows<int8_t>::kSorter;
    case DType::UInt8: return &Rows<uint8_t>::kSorter;
    case DType::Bool: return &Rows<Bool>::kSorter;
    default: return nullptr;
  }
}

}  // namespace cann::kernels::CANN_ISA
