// Functions of three operands, selection and clamping: the rows of pointwise_ternary.yaml. See pointwise.h.
#pragma once

#include "cann/ops/pointwise.h"

namespace cann::ops {

// A bound that is null does not bound.
Result<Launch> clamp(const TensorView& self, const Scalar* min, const Scalar* max, const TensorView& out);
Result<Launch> clamp(const TensorView& self, const TensorView* min, const TensorView* max, const TensorView& out);

// condition ? self : other; condition is bool or uint8.
Result<Launch> where(const TensorView& condition, Operand self, Operand other, const TensorView& out);

// |self - other| <= atol + rtol |other|
Result<Launch> isclose(const TensorView& self, const TensorView& other, double rtol, double atol, bool equal_nan,
                       const TensorView& out);

}  // namespace cann::ops
