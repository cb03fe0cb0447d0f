// Elementwise losses.
#include "cann/ops/loss.h"

#include "cann/kernels/loss/loss.h"
#include "cann/ops/loss_common.h"

namespace cann::ops {
namespace {

using kernels::Loss;

struct Elementwise {
  Slot x{}, t{}, weight{};
  double param;
  kernels::LossOperands at(TaskContext& c) const { return {x.in(c), t.in(c), weight.in(c), param}; }
};

Result<Elementwise> operands(const char* op, Staging& staging, DType compute, const TensorView& shape, const TensorView& self,
                             const TensorView& target, const TensorView* weight, double param) {
  Elementwise e{.param = param};
  ASSIGN_OR_RETURN(e.x, broadcast_input(op, staging, self, shape, compute));
  ASSIGN_OR_RETURN(e.t, broadcast_input(op, staging, target, shape, compute));
  if (weight) {
    ASSIGN_OR_RETURN(e.weight, broadcast_input(op, staging, *weight, shape, compute));
  }
  return e;
}

// The shape that self, target and weight broadcast to.
Result<TensorView> common_shape(const char* op, const TensorView& self, const TensorView& target, const TensorView* weight) {
  TensorView shape = self;
  for (const TensorView* other : {&target, weight}) {
    if (!other) continue;
    TensorView wider = shape.ndim >= other->ndim ? shape : *other;
    for (int d = 0; d < wider.ndim; ++d) {
      int a = d - (wider.ndim - shape.ndim), b = d - (wider.ndim - other->ndim);
      int64_t one = a < 0 ? 1 : shape.sizes[a], two = b < 0 ? 1 : other->sizes[b];
      if (one != two && one != 1 && two != 1)
        return bad_parameter(std::string(op) + ": self " + describe(self) + ", " + describe(*other) + ": shapes must broadcast");
      wider.sizes[d] = one == 1 ? two : one;
    }
    shape = wider;
  }
  return shape;
}

Result<Launch> forward(const char* op, Loss loss, const TensorView& self, const TensorView& target, const TensorView* weight,
                       int64_t reduction, double param, const TensorView& out) {
  RETURN_IF_ERROR(check_loss(op, self, reduction, out));
  ASSIGN_OR_RETURN(TensorView shape, common_shape(op, self, target, weight));
  const int64_t n = shape.numel();
  if (out.numel() != (reduction == kNone ? n : 1))
    return bad_parameter(std::string(op) + ": out " + describe(out) + " for losses " + to_string(shape.shape()) + ": the size does not fit");
  const DType compute = compute_type(out.dtype);
  Staging staging;
  ASSIGN_OR_RETURN(Elementwise e, operands(op, staging, compute, shape, self, target, weight, param));
  Slot y = staging.output(out, compute);
  const int64_t chunks = loss_chunks(n);
  Slot sums = staging.scratch(chunks * sizeof(double)), flags = staging.scratch(chunks);
  auto kernel = kernels::loss().forward[compute == DType::Float64];
  return std::move(staging).launch(op, static_cast<double>(n) / 800, [=](TaskContext& c) -> Status {
    auto *partials = sums.in<double>(c), *to = reduction == kNone ? y.in<double>(c) : nullptr;
    auto* valid = flags.in<bool>(c);
    const kernels::LossOperands p = e.at(c);
    c.team.run(chunks, [&](int64_t k) {
      valid[k] = kernel(loss, p, to, partials + k, k * kLossChunk, std::min(n, (k + 1) * kLossChunk));
    });
    for (int64_t k = 0; k < chunks; ++k)
      if (!valid[k]) return bad_parameter(std::string(op) + ": all elements of input should be between 0 and 1");
    if (reduction != kNone) store(compute, y.in(c), add(partials, chunks) / (reduction == kMean ? static_cast<double>(n) : 1.0));
    return {};
  });
}

Result<Launch> backward(const char* op, Loss loss, const TensorView& grad_output, const TensorView& self, const TensorView& target,
                        const TensorView* weight, int64_t reduction, double param, const TensorView& grad_input) {
  RETURN_IF_ERROR(check_loss(op, self, reduction, grad_input));
  const int64_t n = grad_input.numel();
  const DType compute = compute_type(grad_input.dtype);
  Staging staging;
  ASSIGN_OR_RETURN(Elementwise e, operands(op, staging, compute, grad_input, self, target, weight, param));
  const bool one_grad = grad_output.numel() == 1;
  Slot grads;
  if (one_grad) grads = staging.input(grad_output, compute);
  else {
    ASSIGN_OR_RETURN(grads, broadcast_input(op, staging, grad_output, grad_input, compute));
  }
  Slot dx = staging.output(grad_input, compute);
  const double scale = reduction == kMean ? 1 / static_cast<double>(n) : 1;
  auto kernel = kernels::loss().backward[compute == DType::Float64];
  return std::move(staging).launch(op, static_cast<double>(n) / 1000, [=](TaskContext& c) {
    const kernels::LossOperands p = e.at(c);
    c.team.for_ranges(n, kLossChunk, [&](int64_t begin, int64_t end) {
      kernel(loss, p, grads.in(c), one_grad, scale, dx.in(c), begin, end);
    });
  });
}

}  // namespace

Result<Launch> mse_loss(const TensorView& self, const TensorView& target, int64_t reduction, const TensorView& out) {
  return forward("mse_loss", Loss::Mse, self, target, nullptr, reduction, 0, out);
}
Result<Launch> mse_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target, int64_t reduction,
                                 const TensorView& grad_input) {
  return backward("mse_loss_backward", Loss::Mse, grad_output, self, target, nullptr, reduction, 0, grad_input);
}
Result<Launch> smooth_l1_loss(const TensorView& self, const TensorView& target, int64_t reduction, double beta, const TensorView& out) {
  return forward("smooth_l1_loss", Loss::SmoothL1, self, target, nullptr, reduction, beta, out);
}
Result<Launch> smooth_l1_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                       int64_t reduction, double beta, const TensorView& grad_input) {
  return backward("smooth_l1_loss_backward", Loss::SmoothL1, grad_output, self, target, nullptr, reduction, beta, grad_input);
}
Result<Launch> huber_loss(const TensorView& self, const TensorView& target, int64_t reduction, double delta, const TensorView& out) {
  return forward("huber_loss", Loss::Huber, self, target, nullptr, reduction, delta, out);
}
Result<Launch> huber_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target, int64_t reduction,
                                   double delta, const TensorView& grad_input) {
  return backward("huber_loss_backward", Loss::Huber, grad_output, self, target, nullptr, reduction, delta, grad_input);
}
Result<Launch> soft_margin_loss(const TensorView& self, const TensorView& target, int64_t reduction, const TensorView& out) {
  return forward("soft_margin_loss", Loss::SoftMargin, self, target, nullptr, reduction, 0, out);
}
Result<Launch> soft_margin_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                         int64_t reduction, const TensorView& grad_input) {
  return backward("soft_margin_loss_backward", Loss::SoftMargin, grad_output, self, target, nullptr, reduction, 0, grad_input);
}
Result<Launch> binary_cross_entropy(const TensorView& self, const TensorView& target, const TensorView* weight, int64_t reduction,
                                    const TensorView& out) {
  return forward("binary_cross_entropy", Loss::BinaryCrossEntropy, self, target, weight, reduction, 0, out);
}
Result<Launch> binary_cross_entropy_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                             const TensorView* weight, int64_t reduction, const TensorView& grad_input) {
  return backward("binary_cross_entropy_backward", Loss::BinaryCrossEntropy, grad_output, self, target, weight, reduction, 0, grad_input);
}

}  // namespace cann::ops
