// See the header.
#include "cann/ops/pointwise_loss.h"

#include <algorithm>

namespace cann::ops {
namespace {

Status unknown_reduction(Op op, int64_t reduction) {
  return bad_parameter(std::string(kernels::info(op).name) + ": reduction " + std::to_string(reduction) +
                       ": needs 0 (none), 1 (mean) or 2 (sum)");
}

// Elements of the operands' broadcast.
int64_t count(std::initializer_list<Operand> operands) {
  int64_t sizes[kMaxDims], n = 1;
  std::fill(sizes, sizes + kMaxDims, 1);
  for (const Operand& o : operands) {
    if (!o.tensor) continue;
    for (int d = 0; d < o.tensor->ndim; ++d) {
      int64_t& size = sizes[kMaxDims - o.tensor->ndim + d];
      if (size == 1) size = o.tensor->sizes[d];
    }
  }
  for (int64_t size : sizes) n *= size;
  return n;
}

const Scalar kOne(1.0);
Operand or_ones(const TensorView* weight) { return weight ? Operand(*weight) : Operand(kOne); }

}  // namespace

Result<Launch> loss(Op op, std::initializer_list<Operand> operands, int64_t reduction, const TensorView& out,
                    std::initializer_list<Scalar> scalars) {
  if (reduction == kNone) return same_type(op, operands, out, scalars);
  if (reduction != kMean && reduction != kSum) return unknown_reduction(op, reduction);
  const DType compute = kernels::compute_type(common_type(operands));
  // The mean of nothing is 0 / 0.
  const int64_t n = count(operands);
  const double scale = reduction == kSum ? 1.0 : n == 0 ? __builtin_nan("") : 1.0 / static_cast<double>(n);
  return pointwise_sum(op, operands, scale, out, compute, params_of(scalars, compute),
                       static_cast<int>(scalars.size()));
}

Result<Launch> loss_backward(Op op, std::initializer_list<Operand> operands, int64_t reduction, const TensorView& out,
                             std::initializer_list<Scalar> scalars) {
  if (reduction != kNone && reduction != kMean && reduction != kSum) return unknown_reduction(op, reduction);
  const DType compute = kernels::compute_type(common_type(operands));
  // The gradient of a mean is spread over the elements of self, operand 1.
  const int64_t n = std::max<int64_t>(1, operands.begin()[1].tensor->numel());
  Params params;
  params.set(0, Scalar(reduction == kMean ? 1.0 / static_cast<double>(n) : 1.0), compute);
  int slot = 1;
  for (const Scalar& s : scalars) params.set(slot++, s, compute);
  return pointwise(op, operands, out, compute, params, slot);
}

Result<Launch> binary_cross_entropy(const TensorView& self, const TensorView& target, const TensorView* weight,
                                    int64_t reduction, const TensorView& out) {
  return loss(Op::BinaryCrossEntropy, {self, target, or_ones(weight)}, reduction, out);
}

Result<Launch> binary_cross_entropy_backward(const TensorView& grad_output, const TensorView& self,
                                             const TensorView& target, const TensorView* weight, int64_t reduction,
                                             const TensorView& out) {
  return loss_backward(Op::BinaryCrossEntropyBackward, {grad_output, self, target, or_ones(weight)}, reduction, out);
}

Result<Launch> binary_cross_entropy_with_logits(const TensorView& self, const TensorView& target,
                                                const TensorView* weight, const TensorView* pos_weight,
                                                int64_t reduction, const TensorView& out) {
  return loss(Op::BinaryCrossEntropyWithLogits, {self, target, or_ones(weight), or_ones(pos_weight)}, reduction, out);
}

}  // namespace cann::ops
