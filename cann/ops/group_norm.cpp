// Group norm: statistics of each (sample, group), weight and bias of each channel.
#include "cann/kernels/norm/norm.h"
#include "cann/ops/family.h"
#include "cann/ops/norm.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

int64_t units_in_chunk(int64_t elements) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(elements, 1)); }

Status check_sizes(const char* op, const TensorView& x, int64_t n, int64_t c, int64_t hxw, int64_t group) {
  if (group > 0 && c % group == 0 && x.numel() == n * c * hxw) return {};
  return bad_parameter(std::string(op) + ": input " + describe(x) + ", N " + std::to_string(n) + ", C " +
                       std::to_string(c) + ", HxW " + std::to_string(hxw) + ", group " + std::to_string(group) +
                       ": the sizes must fit and group divide C");
}

Status check_size(const char* op, const char* name, const TensorView* t, int64_t size) {
  if (!t || t->numel() == size) return {};
  return bad_parameter(std::string(op) + ": " + name + " " + describe(*t) + ": " + std::to_string(size) +
                       " elements needed");
}

}  // namespace

Result<Launch> group_norm(const TensorView& self, const TensorView* gamma, const TensorView* beta, int64_t n, int64_t c,
                          int64_t hxw, int64_t group, double eps, const TensorView& out, const TensorView& mean,
                          const TensorView& rstd) {
  int type = floating_index(self.dtype);
  if (type < 0 || out.dtype != self.dtype)
    return bad_parameter("group_norm: self " + describe(self) + ", out " + describe(out) +
                         ": one floating type needed");
  RETURN_IF_ERROR(check_sizes("group_norm", self, n, c, hxw, group));
  RETURN_IF_ERROR(check_size("group_norm", "out", &out, self.numel()));
  RETURN_IF_ERROR(check_size("group_norm", "gamma", gamma, c));
  RETURN_IF_ERROR(check_size("group_norm", "beta", beta, c));
  RETURN_IF_ERROR(check_size("group_norm", "mean", &mean, n * group));
  RETURN_IF_ERROR(check_size("group_norm", "rstd", &rstd, n * group));
  DType compute = compute_type(self.dtype);
  Staging staging;
  Slot x = staging.input(self), w = staging.input(gamma, compute), b = staging.input(beta, compute),
       y = staging.output(out);
  Slot m = staging.output(mean, compute), s = staging.output(rstd, compute);
  auto kernel = kernels::group_norm().forward[type];
  const int64_t channels = c / group;
  return std::move(staging).launch("group_norm", static_cast<double>(self.numel()) / 1500, [=](TaskContext& context) {
    kernels::GroupNormForward p{x.in(context), w.in(context), b.in(context), y.in(context), m.in(context),
                                s.in(context), group,         channels,      hxw,           eps};
    context.team.for_ranges(n * group, units_in_chunk(channels * hxw),
                            [&](int64_t begin, int64_t end) { kernel(p, begin, end); });
  });
}

Result<Launch> group_norm_backward(const TensorView& grad_out, const TensorView& input, const TensorView& mean,
                                   const TensorView& rstd, const TensorView* gamma, int64_t n, int64_t c, int64_t hxw,
                                   int64_t group, std::span<const bool> output_mask, const TensorView* grad_input,
                                   const TensorView* grad_gamma, const TensorView* grad_beta) {
  int type = floating_index(input.dtype);
  if (type < 0 || grad_out.dtype != input.dtype)
    return bad_parameter("group_norm_backward: grad_out " + describe(grad_out) + ", input " + describe(input) +
                         ": one floating type needed");
  if (output_mask.size() != 3) return bad_parameter("group_norm_backward: output_mask: three flags needed");
  RETURN_IF_ERROR(check_sizes("group_norm_backward", input, n, c, hxw, group));
  RETURN_IF_ERROR(check_size("group_norm_backward", "grad_out", &grad_out, input.numel()));
  RETURN_IF_ERROR(check_size("group_norm_backward", "gamma", gamma, c));
  RETURN_IF_ERROR(check_size("group_norm_backward", "mean", &mean, n * group));
  RETURN_IF_ERROR(check_size("group_norm_backward", "rstd", &rstd, n * group));
  DType compute = compute_type(input.dtype);
  Staging staging;
  Slot dy = staging.input(grad_out), x = staging.input(input), w = staging.input(gamma, compute);
  Slot m = staging.input(mean, compute), s = staging.input(rstd, compute);
  Slot dx = staging.output(output_mask[0] ? grad_input : nullptr);
  Slot dw = staging.output(output_mask[1] ? grad_gamma : nullptr, compute);
  Slot db = staging.output(output_mask[2] ? grad_beta : nullptr, compute);
  Slot sums = staging.scratch(n * c * size_of(compute)), dots = staging.scratch(n * c * size_of(compute));
  auto kernel = kernels::group_norm().backward[type];
  auto add = kernels::norm().add_partials[compute == DType::Float64];
  const int64_t channels = c / group;
  return std::move(staging).launch(
      "group_norm_backward", static_cast<double>(input.numel()) / 800, [=](TaskContext& context) {
        kernels::GroupNormBackward p{dy.in(context),
                                     x.in(context),
                                     m.in(context),
                                     s.in(context),
                                     w.in(context),
                                     dx.in(context),
                                     sums.in(context),
                                     dots.in(context),
                                     group,
                                     channels,
                                     hxw};
        context.team.for_ranges(n * group, units_in_chunk(channels * hxw),
                                [&](int64_t begin, int64_t end) { kernel(p, begin, end); });
        if (void* to = dw.in(context)) add(dots.in(context), n, c, to, 0, c);
        if (void* to = db.in(context)) add(sums.in(context), n, c, to, 0, c);
      });
}

}  // namespace cann::ops
