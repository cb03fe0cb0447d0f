// Functions of two operands with more to them than a tile function: the rows of pointwise_binary.yaml. See pointwise.h.
#pragma once

#include "cann/ops/pointwise.h"

namespace cann::ops {

// DivTrunc, DivFloor, Remainder and Fmod: among integers a divisor of zero fails when the device reaches it, as
// PyTorch's CPU does; among floating types it gives infinity or NaN.
Result<Launch> integer_division(Op op, Operand self, Operand other, const TensorView& out);

// CANN's numbers for div's rounding_mode.
enum DivMode : int32_t { kTrueDivision = 0, kTruncDivision = 1, kFloorDivision = 2 };
Result<Launch> divide(Operand self, Operand other, int32_t mode, const TensorView& out);

// Constant exponents with a cheaper form (2, 3, 1/2, -1/2, -1, 0, 1) take it.
Result<Launch> pow(Operand self, Operand exponent, const TensorView& out);

}  // namespace cann::ops
