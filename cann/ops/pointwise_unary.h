// Functions of one tensor with more to them than a tile function: the rows of pointwise_unary.yaml. See pointwise.h.
#pragma once

#include "cann/ops/pointwise.h"

namespace cann::ops {

// Rounded to `decimals` digits after the point, ties to even; negative: before it.
Result<Launch> round_decimals(const TensorView& self, int64_t decimals, const TensorView& out);

// A replacement as large as float32's maximum (or -maximum) stands for the maximum of self's type.
Result<Launch> nan_to_num(const TensorView& self, float nan, float posinf, float neginf, const TensorView& out);

// The n-th derivative of digamma, n >= 0.
Result<Launch> polygamma(int64_t n, const TensorView& self, const TensorView& out);

}  // namespace cann::ops
