#include "cann/kernels/pointwise/elements.h"
namespace cann::kernels::CANN_ISA {
void add_elementary_complex(TileTable&) {}
}  // namespace cann::kernels::CANN_ISA
