// Pointwise operators over lists of tensors, one Task for a whole list: the rows of foreach.yaml. Entry i of each list
// goes with entry i of the others.
#pragma once

#include <span>

#include "cann/ops/pointwise.h"

namespace cann::ops {

Result<Launch> foreach_unary(Op op, TensorList x,
                             TensorList out);  // integers compute in float32 where the operator needs it
Result<Launch> foreach_list(Op op, TensorList a, TensorList b, TensorList out,
                            std::initializer_list<Scalar> params = {});
Result<Launch> foreach_ternary(Op op, TensorList a, TensorList b, TensorList c, TensorList out, const Scalar& value);
Result<Launch> foreach_ternary(Op op, TensorList a, TensorList b, TensorList c, TensorList out,
                               std::span<const Scalar> values);

// The other operand is one for all tensors: a host scalar, or a device tensor of one element.
Result<Launch> foreach_one(Op op, TensorList x, Operand other, TensorList out);
Result<Launch> foreach_one_first(Op op, Operand first, TensorList x, TensorList out);
Result<Launch> foreach_scalars(Op op, TensorList x, std::span<const Scalar> others, TensorList out);

// a + alpha b, with alpha a device tensor; sign -1: a - alpha b.
Result<Launch> foreach_add(TensorList a, TensorList b, const TensorView& alpha, int sign, TensorList out);
// a + value b c (or b / c); `values`: one element for all, or one for each.
Result<Launch> foreach_add_scaled(Op op, TensorList a, TensorList b, TensorList c, const TensorView& values,
                                  TensorList out);
Result<Launch> foreach_lerp(TensorList a, TensorList b, const Scalar& weight, TensorList out);
Result<Launch> foreach_lerp(TensorList a, TensorList b, TensorList weights, TensorList out);
Result<Launch> foreach_zero(TensorList x);
// mode: the number that foreach.yaml explains.
Result<Launch> foreach_round(TensorList x, const Scalar& mode, TensorList out);
// The vector norm of order `ord` of each tensor, into one element.
Result<Launch> foreach_norm(TensorList x, const Scalar& ord, TensorList out);

}  // namespace cann::ops
