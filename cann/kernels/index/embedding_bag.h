// Bags of embedding rows, reduced without materialising the rows; and rows scaled down to a largest norm.
#pragma once

#include "cann/kernels/index/walk.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

enum class BagMode : int64_t { Sum = 0, Mean = 1, Max = 2 };

struct Bags {
  BagMode mode;
  DType dtype;
  bool is_int32;  // indices and offsets
  int64_t rows, columns, count, bags, padding;
  const char* weight;
  int64_t row_stride, column_stride;  // in elements
  const char *indices, *offsets;
  const char* sample_weights;  // of dtype, one an index; null is 1
  bool last_offset;            // offsets has one entry more, which ends the last bag
  char* out;                   // [bags, columns], contiguous
  char* bag_size;              // of the indices' type; indices that are not padding
  char* max_indices;           // of the indices' type, [bags, columns], only for Max
  char* offset2bag;            // of the indices' type, one an index; null is allowed
};

struct EmbeddingBagKernels {
  // Bags [begin, end). Half types are accumulated in float32. A bad index or offset stops it.
  BadIndex (*bags)(const Bags& b, int64_t begin, int64_t end);
  // x *= max_norm / (|x|_p + 1e-7) if |x|_p > max_norm
  void (*renorm)(DType dtype, void* row, int64_t columns, int64_t stride, double max_norm, double p);
};
CANN_KERNEL_TABLE(EmbeddingBagKernels, embedding_bag)

}  // namespace cann::kernels
