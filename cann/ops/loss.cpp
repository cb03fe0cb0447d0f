// Losses whose targets are classes: negative log likelihood, multi-class and multi-label margins.
#include <cstring>

#include "cann/kernels/loss/loss.h"
#include "cann/ops/loss.h"
#include "cann/ops/loss_common.h"

namespace cann::ops {
namespace {

Status refuse(const char* op, const TensorView& self, const TensorView& target, const char* needed) {
  return bad_parameter(std::string(op) + ": self " + describe(self) + ", target " + describe(target) + ": " + needed);
}

// [N, C, ...] with targets [N, ...]; [C] counts as N = 1.
Result<kernels::NllShape> nll_shape(const char* op, const TensorView& self, const TensorView& target,
                                    const TensorView* weight, int64_t ignore_index) {
  if (self.ndim == 0 || !is_floating(self.dtype))
    return refuse(op, self, target, "a floating self of one or more dimensions needed");
  kernels::NllShape s{1, self.sizes[self.ndim == 1 ? 0 : 1], 1, ignore_index};
  if (self.ndim > 1) s.batch = self.sizes[0];
  for (int d = 2; d < self.ndim; ++d) s.spatial *= self.sizes[d];
  if (!is_integral(target.dtype) || target.numel() != s.batch * s.spatial)
    return refuse(op, self, target, "one class index needed for each row of self");
  if (weight && weight->numel() != s.classes) return refuse(op, self, *weight, "one weight needed for each class");
  return s;
}

// Worded as PyTorch's: by it the adapter tells the kind of exception.
Status out_of_bounds(const char* op, int64_t target) {
  return bad_parameter(std::string(op) + ": Target " + std::to_string(target) + " is out of bounds.");
}

Status target_out_of_range(const char* op, int64_t target, int64_t classes) {
  return bad_parameter(std::string(op) + ": target out of range: " + std::to_string(target) + " must lie in [0, " +
                       std::to_string(classes) + ")");
}

// Rows and classes of the margin losses: [N, C], or [C] as one row.
struct Rows {
  int64_t rows, classes;
};
Rows rows_of(const TensorView& self) {
  if (self.ndim == 0) return {1, 1};
  if (self.ndim == 1) return {1, self.sizes[0]};
  return {self.sizes[0], self.sizes[1]};
}

// First the rows' losses into scratch (or the result), then their reduction.
template <class Kernel>
Launch reduce_rows(Staging staging, const char* op, int64_t rows, int64_t row_cost, DType compute, int64_t reduction,
                   Slot out, Kernel kernel) {
  Slot losses = reduction == kNone ? out : staging.scratch(rows * size_of(compute));
  return std::move(staging).launch(op, static_cast<double>(rows * row_cost) / 500, [=](TaskContext& c) -> Status {
    RETURN_IF_ERROR(kernel(c, losses.in(c)));
    if (reduction == kNone) return {};
    double sum = 0;
    for (int64_t r = 0; r < rows; ++r)
      sum += compute == DType::Float64 ? losses.in<double>(c)[r] : static_cast<double>(losses.in<float>(c)[r]);
    store(compute, out.in(c), sum / (reduction == kMean ? static_cast<double>(rows) : 1.0));
    return {};
  });
}

}  // namespace

Result<Launch> nll_loss(const TensorView& self, const TensorView& target, const TensorView* weight, int64_t reduction,
                        int64_t ignore_index, const TensorView& output, const TensorView& total_weight) {
  RETURN_IF_ERROR(check_loss("nll_loss", self, reduction, output));
  ASSIGN_OR_RETURN(const kernels::NllShape shape, nll_shape("nll_loss", self, target, weight, ignore_index));
  const int64_t n = shape.batch * shape.spatial, chunks = loss_chunks(n);
  if (output.numel() != (reduction == kNone ? n : 1))
    return refuse("nll_loss", self, output, "the result's size does not fit");
  const DType compute = compute_type(self.dtype);
  Staging staging;
  Slot x = staging.input(self, compute);
  Slot t = staging.input(target, DType::Int64), w = staging.input(weight, compute);
  Slot y = staging.output(output, compute), total = staging.output(total_weight, compute);
  Slot sums = staging.scratch(2 * chunks * sizeof(double)), flags = staging.scratch(chunks * sizeof(int64_t));
  auto kernel = kernels::loss().nll_forward[compute == DType::Float64];
  return std::move(staging).launch("nll_loss", static_cast<double>(n) / 50, [=](TaskContext& c) -> Status {
    auto *losses = sums.in<double>(c), *weights = losses + chunks;
    auto* bad = flags.in<int64_t>(c);
    void* to = reduction == kNone ? y.in(c) : nullptr;
    c.team.run(chunks, [&](int64_t k) {
      bad[k] = kernel(x.in(c), t.in<int64_t>(c), w.in(c), shape, to, losses + k, weights + k, k * kLossChunk,
                      std::min(n, (k + 1) * kLossChunk));
    });
    for (int64_t k = 0; k < chunks; ++k)
      if (bad[k] >= 0) return out_of_bounds("nll_loss", t.in<int64_t>(c)[bad[k]]);
    const double sum_of_weights = add(weights, chunks);
    if (total) store(compute, total.in(c), reduction == kNone ? 0 : sum_of_weights);
    if (reduction != kNone) store(compute, y.in(c), add(losses, chunks) / (reduction == kMean ? sum_of_weights : 1.0));
    return {};
  });
}

Result<Launch> nll_loss_backward(const TensorView& grad_output, const TensorView& self, const TensorView& target,
                                 const TensorView* weight, int64_t reduction, int64_t ignore_index,
                                 const TensorView& total_weight, const TensorView& grad_input) {
  RETURN_IF_ERROR(check_loss("nll_loss_backward", self, reduction, grad_input));
  ASSIGN_OR_RETURN(const kernels::NllShape shape, nll_shape("nll_loss_backward", self, target, weight, ignore_index));
  const int64_t n = shape.batch * shape.spatial;
  const bool one_grad = reduction != kNone;
  if (grad_input.numel() != self.numel() || grad_output.numel() != (one_grad ? 1 : n))
    return refuse("nll_loss_backward", self, grad_output, "the sizes of the gradients do not fit");
  const DType compute = compute_type(self.dtype);
  Staging staging;
  Slot t = staging.input(target, DType::Int64), w = staging.input(weight, compute),
       g = staging.input(grad_output, compute);
  Slot total = staging.input(total_weight, compute), dx = staging.output(grad_input, compute);
  auto kernel = kernels::loss().nll_backward[compute == DType::Float64];
  const int64_t plane = shape.classes * shape.spatial;
  return std::move(staging).launch("nll_loss_backward", static_cast<double>(self.numel()) / 3000, [=](TaskContext& c) {
    double scale = 1;
    if (reduction == kMean)
      scale = 1 / (compute == DType::Float64 ? *total.in<double>(c) : static_cast<double>(*total.in<float>(c)));
    // Each chunk clears its own samples just before it writes to them.
    c.team.for_ranges(
        shape.batch, std::max<int64_t>(1, 65536 / std::max<int64_t>(plane, 1)), [&](int64_t begin, int64_t end) {
          std::memset(dx.in<char>(c) + begin * plane * size_of(compute), 0, (end - begin) * plane * size_of(compute));
          kernel(t.in<int64_t>(c), w.in(c), shape, g.in(c), one_grad, scale, dx.in(c), begin * shape.spatial,
                 end * shape.spatial);
        });
  });
}

Result<Launch> multi_margin_loss(const TensorView& self, const TensorView& target, const Scalar& p,
                                 const Scalar& margin, const TensorView* weight, int64_t reduction,
                                 const TensorView& out) {
  RETURN_IF_ERROR(check_loss("multi_margin_loss", self, reduction, out));
  const auto [rows, classes] = rows_of(self);
  if (!is_integral(target.dtype) || target.numel() != rows || (weight && weight->numel() != classes))
    return refuse("multi_margin_loss", self, target, "one class for each row, one weight for each class");
  const DType compute = compute_type(out.dtype);
  Staging staging;
  Slot x = staging.input(self, compute), t = staging.input(target, DType::Int64), w = staging.input(weight, compute);
  Slot y = staging.output(out, compute);
  const kernels::MarginShape shape{classes, margin.to_double(), p.to_double() == 2};
  auto kernel = kernels::loss().multi_margin[compute == DType::Float64];
  return reduce_rows(std::move(staging), "multi_margin_loss", rows, classes, compute, reduction, y,
                     [=, rows = rows](TaskContext& c, void* losses) -> Status {
                       const int64_t* targets = t.in<int64_t>(c);
                       for (int64_t r = 0; r < rows; ++r)
                         if (targets[r] < 0 || targets[r] >= shape.classes)
                           return target_out_of_range("multi_margin_loss", targets[r], shape.classes);
                       kernel(x.in(c), targets, w.in(c), shape, losses, 0, rows);
                       return {};
                     });
}

Result<Launch> multi_margin_loss_backward(const TensorView& grad_output, const TensorView& self,
                                          const TensorView& target, const Scalar& p, const Scalar& margin,
                                          const TensorView* weight, int64_t reduction, const TensorView& grad_input) {
  RETURN_IF_ERROR(check_loss("multi_margin_loss_backward", self, reduction, grad_input));
  const auto [rows, classes] = rows_of(self);
  if (!is_integral(target.dtype) || target.numel() != rows || grad_output.numel() != (reduction == kNone ? rows : 1))
    return refuse("multi_margin_loss_backward", self, target, "one class and one gradient for each row");
  const DType compute = compute_type(grad_input.dtype);
  Staging staging;
  Slot x = staging.input(self, compute), t = staging.input(target, DType::Int64), w = staging.input(weight, compute);
  Slot g = staging.input(grad_output, compute), dx = staging.output(grad_input, compute);
  const kernels::MarginShape shape{classes, margin.to_double(), p.to_double() == 2};
  const double scale = reduction == kMean ? 1 / static_cast<double>(rows) : 1;
  auto kernel = kernels::loss().multi_margin_backward[compute == DType::Float64];
  return std::move(staging).launch(
      "multi_margin_loss_backward", static_cast<double>(rows * classes) / 500, [=, rows = rows](TaskContext& c) {
        kernel(x.in(c), t.in<int64_t>(c), w.in(c), shape, g.in(c), reduction != kNone, scale, dx.in(c), 0, rows);
      });
}

Result<Launch> multilabel_margin_loss(const TensorView& self, const TensorView& target, int64_t reduction,
                                      const TensorView& out, const TensorView& is_target) {
  RETURN_IF_ERROR(check_loss("multilabel_margin_loss", self, reduction, out));
  const auto [rows, classes] = rows_of(self);
  if (!is_integral(target.dtype) || target.numel() != self.numel() || is_target.numel() != self.numel())
    return refuse("multilabel_margin_loss", self, target, "target and is_target of self's size");
  const DType compute = compute_type(out.dtype);
  Staging staging;
  Slot x = staging.input(self, compute), t = staging.input(target, DType::Int64);
  Slot y = staging.output(out, compute), marks = staging.output(is_target, compute);
  auto kernel = kernels::loss().multilabel_margin[compute == DType::Float64];
  return reduce_rows(std::move(staging), "multilabel_margin_loss", rows, classes * classes, compute, reduction, y,
                     [=, rows = rows, classes = classes](TaskContext& c, void* losses) -> Status {
                       const int64_t* targets = t.in<int64_t>(c);
                       for (int64_t i = 0; i < rows * classes; ++i)
                         if (targets[i] < -1 || targets[i] >= classes)
                           return target_out_of_range("multilabel_margin_loss", targets[i], classes);
                       kernel(x.in(c), targets, classes, marks.in(c), losses, 0, rows);
                       return {};
                     });
}

Result<Launch> multilabel_margin_loss_backward(const TensorView& grad_output, const TensorView& self,
                                               const TensorView& target, int64_t reduction, const TensorView& is_target,
                                               const TensorView& grad_input) {
  RETURN_IF_ERROR(check_loss("multilabel_margin_loss_backward", self, reduction, grad_input));
  const auto [rows, classes] = rows_of(self);
  if (!is_integral(target.dtype) || target.numel() != self.numel() ||
      grad_output.numel() != (reduction == kNone ? rows : 1))
    return refuse("multilabel_margin_loss_backward", self, target, "target of self's size, one gradient for each row");
  const DType compute = compute_type(grad_input.dtype);
  Staging staging;
  Slot x = staging.input(self, compute), t = staging.input(target, DType::Int64),
       marks = staging.input(is_target, compute);
  Slot g = staging.input(grad_output, compute), dx = staging.output(grad_input, compute);
  const double scale = reduction == kMean ? 1 / static_cast<double>(rows) : 1;
  auto kernel = kernels::loss().multilabel_margin_backward[compute == DType::Float64];
  return std::move(staging).launch(
      "multilabel_margin_loss_backward", static_cast<double>(rows * classes * classes) / 500,
      [=, rows = rows, classes = classes](TaskContext& c) {
        kernel(x.in(c), t.in<int64_t>(c), marks.in(c), classes, g.in(c), reduction != kNone, scale, dx.in(c), 0, rows);
      });
}

}  // namespace cann::ops
