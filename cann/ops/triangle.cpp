// tril, triu and the backward of unfold.
#include "cann/kernels/shape/triangle.h"

#include <vector>

#include "cann/ops/box_copy.h"
#include "cann/ops/index_walk.h"
#include "cann/ops/shape.h"
#include "cann/ops/staging.h"

namespace cann::ops {

Result<Launch> triangle(const char* op, const TensorView& self, int64_t diagonal, bool upper, const TensorView& out) {
  if (self.dtype != out.dtype || !same_shape(self, out) || self.ndim < 2)
    return bad_parameter(std::string(op) + ": self " + describe(self) + ", out " + describe(out) +
                         ": needs equal matrices");
  const int64_t n = self.numel(), bytes = size_of(self.dtype);
  if (n == 0) return Launch{Task(op, 0, [](TaskContext&) {})};
  return Launch{Task(op, copy_us(2 * n * bytes), [=](TaskContext& context) {
    const int64_t rows = self.sizes[self.ndim - 2], columns = self.sizes[self.ndim - 1];
    const int64_t grain = std::max<int64_t>(1, 64 * 1024 / (columns * bytes));
    const int64_t blocks = (rows + grain - 1) / grain;
    context.team.run(n / (rows * columns) * blocks, [&](int64_t chunk) {
      int64_t from = 0, to = 0, batch = chunk / blocks;
      for (int d = self.ndim - 3; d >= 0; --d) {
        from += batch % self.sizes[d] * self.strides[d];
        to += batch % self.sizes[d] * out.strides[d];
        batch /= self.sizes[d];
      }
      const int r = self.ndim - 2, c = self.ndim - 1;
      const kernels::Triangle t{self.as<char>() + from * bytes,
                                out.as<char>() + to * bytes,
                                bytes,
                                columns,
                                self.strides[r] * bytes,
                                self.strides[c] * bytes,
                                out.strides[r] * bytes,
                                out.strides[c] * bytes,
                                diagonal,
                                upper};
      const int64_t begin = chunk % blocks * grain;
      kernels::triangle().rows(t, begin, std::min(rows, begin + grain));
    });
  })};
}

Result<Launch> unfold_backward(const TensorView& grad_in, IntArray input_sizes, int64_t dim, int64_t size, int64_t step,
                               const TensorView& out) {
  ASSIGN_OR_RETURN(const int axis, wrap_dim("unfold_backward", dim, out.ndim));
  if (grad_in.dtype != out.dtype || step <= 0 || (out.ndim > 0 && grad_in.ndim != out.ndim + 1) ||
      static_cast<int>(input_sizes.size()) != out.ndim)
    return bad_parameter("unfold_backward: grad " + describe(grad_in) + ", out " + describe(out) +
                         ": needs tensors of one type and a dimension more in grad");
  kernels::Unfolded u{nullptr, nullptr, out.dtype, 1, 1, 1, 1, size, step};
  for (int d = 0; d < out.ndim; ++d) (d < axis ? u.outer : d == axis ? u.length : u.inner) *= out.sizes[d];
  if (out.ndim > 0) u.windows = grad_in.sizes[axis];
  if (out.ndim > 0 && grad_in.numel() != u.outer * u.windows * u.inner * size)
    return bad_parameter("unfold_backward: grad " + to_string(grad_in.shape()) + ", out " + to_string(out.shape()) +
                         ": shapes do not fit");
  const int64_t n = out.numel();
  if (n == 0) return Launch{Task("unfold_backward", 0, [](TaskContext&) {})};
  Staging staging;
  Slot grad = staging.input(grad_in), to = staging.output(out);
  return std::move(staging).launch(
      "unfold_backward", copy_us(4 * (n + grad_in.numel()) * size_of(out.dtype)), [=](TaskContext& context) {
        kernels::Unfolded placed = u;
        placed.grad_out = grad.in(context);
        placed.grad_in = to.in(context);
        context.team.for_ranges(
            u.outer * u.length, std::max<int64_t>(1, 8192 / u.inner),
            [&](int64_t begin, int64_t end) { kernels::triangle().unfold_backward(placed, begin, end); });
      });
}

}  // namespace cann::ops
