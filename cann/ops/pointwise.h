// The pointwise family: broadcasts operands, decides the type to compute in, and makes a Task that runs an operator's
// tile function (kernels/pointwise) over them, whatever their strides and types. Rows of pointwise_*.yaml call the
// helpers below.
#pragma once

#include <initializer_list>

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"
#include "cann/kernels/pointwise/pointwise.h"

namespace cann::ops {

using kernels::Op;
using kernels::Params;

// An operand: a tensor, or a host scalar that stands for a tensor full of it.
struct Operand {
  Operand(const TensorView& t) : tensor(&t) {}
  Operand(const Scalar& s) : scalar(&s) {}
  const TensorView* tensor = nullptr;
  const Scalar* scalar = nullptr;
};

// The type PyTorch's promotion gives: tensors with dimensions first, then those without, then scalars.
DType common_type(std::initializer_list<Operand> operands);

// out = op(operands...), computed in `compute` (half types in float32). Operands broadcast to out's shape and convert
// to the compute type, the result to out's type. At most kMaxInputs operands, of which at most kSlots less the used
// params are scalars.
Result<Launch> pointwise(Op op, std::initializer_list<Operand> operands, const TensorView& out, DType compute,
                         const Params& params = {}, int used_params = 0);

// The common shapes. `scalars` become params in the compute type.
// Result type = the operands' common type.
Result<Launch> same_type(Op op, std::initializer_list<Operand> operands, const TensorView& out,
                         std::initializer_list<Scalar> scalars = {});
// Integers and bools compute in out's type if that is floating, else in float32 (exp, sin, true division, ...).
Result<Launch> floating(Op op, std::initializer_list<Operand> operands, const TensorView& out,
                        std::initializer_list<Scalar> scalars = {});

// out = scale * sum of op(operands...): one element. The operands broadcast against each other.
Result<Launch> pointwise_sum(Op op, std::initializer_list<Operand> operands, double scale, const TensorView& out,
                             DType compute, const Params& params, int used_params);

// Several launches as one, run in order.
Launch sequence(const char* name, Launch first, Launch second);

// Params of float64 or of the compute type.
Params params_of(std::initializer_list<Scalar> scalars, DType type);

// self + alpha other, self - alpha other. alpha must fit the result type, as PyTorch asks.
Result<Launch> add(Operand self, Operand other, const Scalar& alpha, const TensorView& out);
Result<Launch> sub(Operand self, Operand other, const Scalar& alpha, const TensorView& out);

// out = src in out's type. Same shapes or src broadcast.
Result<Launch> copy(const TensorView& src, const TensorView& out);
Result<Launch> fill(const TensorView& self, const Scalar& value);

}  // namespace cann::ops
