// Kullback-Leibler divergence and the gradient of binary cross entropy with logits: PyTorch composes them, CANN has
// them whole. Operands broadcast to the first's shape.
#include <memory>

#include "cann/kernels/loss/divergence.h"
#include "cann/ops/loss.h"
#include "cann/ops/loss_common.h"

namespace cann::ops {
namespace {

Status misfit(const char* op, const TensorView& self, const TensorView& target, const TensorView& out) {
  return bad_parameter(std::string(op) + ": self " + describe(self) + ", target " + describe(target) + ", result " +
                       describe(out) + ": floating tensors that fit, and reduction 0, 1 or 2, needed");
}

// grad_output as the gradient that arrives at each of n elements.
struct Arriving {
  Slot slot;
  bool one;
  double scale;
  kernels::Incoming in(const TaskContext& c) const { return {slot.in(c), one, scale}; }
};

// What the gradients share: checks, dense operands, threads. body(context, incoming, begin, end).
struct Backward {
  const char* op;
  DType compute;
  int64_t n;
  Staging staging;
  Arriving grad;

  Slot input(const TensorView* t, const TensorView& as) {
    TensorView expanded;
    return t != nullptr && expand(*t, as, expanded) ? staging.input(expanded, compute) : Slot();
  }
};

Result<Backward> backward_of(const char* op, const TensorView& grad_output, const TensorView& self,
                             const TensorView& target, int64_t reduction, const TensorView& out) {
  TensorView expanded, grads;
  if (!is_floating(self.dtype) || !is_floating(out.dtype) || !same_shape(self, out) || reduction < kNone ||
      reduction > kSum || !expand(target, self, expanded) || !expand(grad_output, self, grads))
    return misfit(op, self, target, out);
  Backward b{op, compute_type(self.dtype), self.numel(), {}, {}};
  const bool one = reduction != kNone && grad_output.numel() == 1;
  b.grad.one = one;
  b.grad.scale = reduction == kMean ? 1.0 / static_cast<double>(std::max<int64_t>(b.n, 1)) : 1.0;
  b.grad.slot = b.staging.input(one ? grad_output : grads, b.compute);
  return b;
}

template <class Body>
Launch run(Backward b, Body body) {
  return std::move(b.staging).launch(
      b.op, static_cast<double>(b.n) / 200, [n = b.n, grad = b.grad, body](TaskContext& c) {
        c.team.for_ranges(n, kLossChunk, [&](int64_t begin, int64_t end) { body(c, grad.in(c), begin, end); });
      });
}

}  // namespace

Result<Launch> kl_div(const TensorView& self, const TensorView& target, int64_t reduction, bool log_target,
                      const TensorView& out) {
  TensorView expanded;
  const int64_t n = self.numel(), chunks = loss_chunks(n);
  if (!is_floating(self.dtype) || !expand(target, self, expanded) || out.numel() != (reduction == kNone ? n : 1))
    return misfit("kl_div", self, target, out);
  RETURN_IF_ERROR(check_loss("kl_div", self, reduction, out));
  const DType compute = compute_type(self.dtype);
  Staging staging;
  Slot x = staging.input(self, compute), t = staging.input(expanded, compute), y = staging.output(out, compute);
  Slot sums = staging.scratch(static_cast<size_t>(chunks) * sizeof(double));
  const auto kernel = kernels::divergence().kl_div[compute == DType::Float64];
  return std::move(staging).launch("kl_div", static_cast<double>(n) / 200, [=](TaskContext& c) {
    c.team.run(chunks, [&](int64_t k) {
      sums.in<double>(c)[k] = kernel(x.in(c), t.in(c), log_target, reduction == kNone ? y.in(c) : nullptr,
                                     k * kLossChunk, std::min(n, (k + 1) * kLossChunk));
    });
    if (reduction == kNone) return;
    const double sum = add(sums.in<double>(c), chunks);
    store(compute, y.in(c), reduction == kMean ? sum / static_cast<double>(n) : sum);
  });
}

Result<Launch> kl_div_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                               int64_t reduction, bool log_target, const TensorView& out) {
  ASSIGN_OR_RETURN(Backward b, backward_of("kl_div_backward", grad_output, self, target, reduction, out));
  Slot t = b.input(&target, self), dx = b.staging.output(out, b.compute);
  const auto kernel = kernels::divergence().kl_div_backward[b.compute == DType::Float64];
  return run(std::move(b), [=](TaskContext& c, const kernels::Incoming& g, int64_t begin, int64_t end) {
    kernel(g, t.in(c), log_target, dx.in(c), begin, end);
  });
}

Result<Launch> kl_div_target_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                      int64_t reduction, bool log_target, const TensorView& out) {
  ASSIGN_OR_RETURN(Backward b, backward_of("kl_div_target_backward", grad_output, self, target, reduction, out));
  Slot x = b.input(&self, self), t = b.input(&target, self), dt = b.staging.output(out, b.compute);
  const auto kernel = kernels::divergence().kl_div_target_backward[b.compute == DType::Float64];
  return run(std::move(b), [=](TaskContext& c, const kernels::Incoming& g, int64_t begin, int64_t end) {
    kernel(g, x.in(c), t.in(c), log_target, dt.in(c), begin, end);
  });
}

Result<Launch> binary_cross_entropy_with_logits_backward(const TensorView& grad_output, const TensorView& self,
                                                         const TensorView& target, const TensorView* weight,
                                                         const TensorView* pos_weight, int64_t reduction,
                                                         const TensorView& out) {
  constexpr const char* kOp = "binary_cross_entropy_with_logits_backward";
  ASSIGN_OR_RETURN(Backward b, backward_of(kOp, grad_output, self, target, reduction, out));
  Slot x = b.input(&self, self), t = b.input(&target, self), w = b.input(weight, self), p = b.input(pos_weight, self);
  if ((weight != nullptr && !w) || (pos_weight != nullptr && !p)) return misfit(kOp, self, target, out);
  Slot dx = b.staging.output(out, b.compute);
  const auto kernel = kernels::divergence().bce_with_logits_backward[b.compute == DType::Float64];
  return run(std::move(b), [=](TaskContext& c, const kernels::Incoming& g, int64_t begin, int64_t end) {
    kernel(g, x.in(c), t.in(c), w.in(c), p.in(c), dx.in(c), begin, end);
  });
}

}  // namespace cann::ops
