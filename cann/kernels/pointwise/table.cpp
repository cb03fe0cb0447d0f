// Collects the tile functions of this folder's kernel files into one table per ISA level.
#include "cann/kernels/pointwise/elements.h"
#include "cann/kernels/pointwise/move.h"

namespace cann::kernels::CANN_ISA {

static TileTable build_table() {
  TileTable table;
  add_arithmetic(table);
  add_division(table);
  add_rounding(table);
  add_compare(table);
  add_elementary(table);
  add_elementary_complex(table);
  add_special(table);
  add_activation(table);
  add_loss(table);
  add_complex(table);
  return table;
}

static TileFn find(Op op, DType compute) {
  static const TileTable table = build_table();
  const int type = static_cast<int>(compute);
  if (op >= Op::Count || type < 0 || type >= TileTable::kTypes) return nullptr;
  return table.functions[static_cast<int>(op)][type];
}

extern const PointwiseKernels pointwise_table{find, find_convert, gather, scatter, fill, sum};

}  // namespace cann::kernels::CANN_ISA
