// Losses that are a sum or mean of a pointwise function, and their gradients: the rows of pointwise_loss.yaml.
#pragma once

#include "cann/ops/pointwise.h"

namespace cann::ops {

// PyTorch's and CANN's numbers.
enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

Result<Launch> loss(Op op, std::initializer_list<Operand> operands, int64_t reduction, const TensorView& out,
                    std::initializer_list<Scalar> scalars = {});
// operands: gradient, self, target, ...; the op's first parameter is the factor that the reduction brings.
Result<Launch> loss_backward(Op op, std::initializer_list<Operand> operands, int64_t reduction, const TensorView& out,
                             std::initializer_list<Scalar> scalars = {});

// A null weight stands for ones.
Result<Launch> binary_cross_entropy(const TensorView& self, const TensorView& target, const TensorView* weight,
                                    int64_t reduction, const TensorView& out);
Result<Launch> binary_cross_entropy_backward(const TensorView& grad_output, const TensorView& self,
                                             const TensorView& target, const TensorView* weight, int64_t reduction,
                                             const TensorView& out);
Result<Launch> binary_cross_entropy_with_logits(const TensorView& self, const TensorView& target,
                                                const TensorView* weight, const TensorView* pos_weight,
                                                int64_t reduction, const TensorView& out);

}  // namespace cann::ops
