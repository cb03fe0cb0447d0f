#include "cann/ops/softmax.h"

#include "cann/kernels/softmax/softmax.h"
#include "cann/ops/family.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

// The table's index for an input type and a result type, or -1.
int type_index(DType in, DType out) {
  if (in == out) return floating_index(in);
  if (in == DType::Float16 && out == DType::Float32) return 4;
  if (in == DType::BFloat16 && out == DType::Float32) return 5;
  return -1;
}

kernels::SoftmaxShape shape_about(const TensorView& t, int64_t dim) {
  kernels::SoftmaxShape shape{1, 1, 1};
  for (int d = 0; d < t.ndim; ++d) (d < dim ? shape.outer : d == dim ? shape.n : shape.inner) *= t.sizes[d];
  return shape;
}

// Units a chunk: about 16k elements, so that a chunk outweighs the cost of handing it over.
int64_t grain_of(const kernels::SoftmaxShape& s) {
  int64_t unit = s.n * std::min<int64_t>(s.inner, kernels::kSoftmaxColumns);
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(unit, 1));
}

Result<Launch> forward(const char* name, bool logarithm, const TensorView& self, int64_t dim, const TensorView& out) {
  ASSIGN_OR_RETURN(dim, wrap_dim(name, self, dim));
  int type = type_index(self.dtype, out.dtype);
  if (type < 0)
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", out " + describe(out) +
                         ": floating types needed");
  RETURN_IF_ERROR(check_same_shape(name, "self", self, "out", out));
  auto shape = shape_about(self, dim);
  Staging staging;
  Slot x = staging.input(self), y = staging.output(out);
  auto kernel = kernels::softmax().forward[logarithm][type];
  return std::move(staging).launch(name, self.numel() / 1400.0, [=](TaskContext& context) {
    auto from = x.in(context), to = y.in(context);
    context.team.for_ranges(shape.units(), grain_of(shape),
                            [&](int64_t begin, int64_t end) { kernel(from, to, shape, begin, end); });
  });
}

Result<Launch> backward(const char* name, bool logarithm, const TensorView& grad_output, const TensorView& output,
                        int64_t dim, const TensorView& out) {
  ASSIGN_OR_RETURN(dim, wrap_dim(name, output, dim));
  int type = type_index(out.dtype, output.dtype);
  if (type < 0 || grad_output.dtype != output.dtype)
    return bad_parameter(std::string(name) + ": grad_output " + describe(grad_output) + ", output " + describe(output) +
                         ", out " + describe(out) + ": floating types needed, grad_output and output of one");
  RETURN_IF_ERROR(check_same_shape(name, "grad_output", grad_output, "output", output));
  RETURN_IF_ERROR(check_same_shape(name, "output", output, "out", out));
  auto shape = shape_about(output, dim);
  Staging staging;
  Slot dy = staging.input(grad_output), y = staging.input(output), dx = staging.output(out);
  auto kernel = kernels::softmax().backward[logarithm][type];
  return std::move(staging).launch(name, output.numel() / (logarithm ? 1400.0 : 2500.0), [=](TaskContext& context) {
    auto grad = dy.in(context), result = y.in(context), to = dx.in(context);
    context.team.for_ranges(shape.units(), grain_of(shape),
                            [&](int64_t begin, int64_t end) { kernel(grad, result, to, shape, begin, end); });
  });
}

}  // namespace

Result<Launch> softmax(const TensorView& self, int64_t dim, const TensorView& out) {
  return forward("softmax", false, self, dim, out);
}
Result<Launch> log_softmax(const TensorView& self, int64_t dim, const TensorView& out) {
  return forward("log_softmax", true, self, dim, out);
}
Result<Launch> softmax_backward(const TensorView& grad_output, const TensorView& output, int64_t dim,
                                const TensorView& out) {
  return backward("softmax_backward", false, grad_output, output, dim, out);
}
Result<Launch> log_softmax_backward(const TensorView& grad_output, const TensorView& output, int64_t dim,
                                    const TensorView& out) {
  return backward("log_softmax_backward", true, grad_output, output, dim, out);
}

}  // namespace cann::ops
