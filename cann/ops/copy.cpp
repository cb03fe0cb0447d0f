// Casts; copies and fills themselves are pointwise.cpp's.
#include "cann/ops/copy.h"

namespace cann::ops {

Result<Launch> cast(const TensorView& self, DType dtype, const TensorView& out) {
  if (dtype != out.dtype)
    return bad_parameter(std::string("cast: dtype ") + name_of(dtype) + ", but out is " + describe(out));
  return copy(self, out);
}

}  // namespace cann::ops
