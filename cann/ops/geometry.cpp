// Dense operands through Staging; threads share the rows.
#include "cann/ops/geometry.h"

#include <algorithm>

#include "cann/kernels/geometry/geometry.h"
#include "cann/ops/family.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

Status misfit(const char* op, const TensorView& a, const TensorView& b, const TensorView& out) {
  return bad_parameter(std::string(op) + ": " + describe(a) + " and " + describe(b) + " beside " + describe(out) +
                       ": they do not fit, or are not of one floating type");
}

// t with the batch of `out`: its last two dimensions are its own.
bool expand_batch(const TensorView& t, const TensorView& out, TensorView& expanded) {
  TensorView wanted = out;
  for (int k = 1; k <= 2; ++k) wanted.sizes[out.ndim - k] = t.sizes[t.ndim - k];
  return expand(t, wanted, expanded);
}

// Two sets of points in a batch, and what lies between them.
struct Pairs {
  TensorView x1, x2;
  int64_t batch = 1, rows;
  kernels::DistanceShape shape;
};

// `between` is [batch..., n, m].
Result<Pairs> pairs_of(const char* op, const TensorView& x1, const TensorView& x2, double p,
                       const TensorView& between) {
  if (x1.ndim < 2 || x2.ndim < 2 || between.ndim < std::max(x1.ndim, x2.ndim) || floating_index(x1.dtype) < 0 ||
      x2.dtype != x1.dtype || between.dtype != x1.dtype || !(p >= 0))
    return misfit(op, x1, x2, between);
  Pairs pairs;
  const int64_t n = x1.sizes[x1.ndim - 2], m = x2.sizes[x2.ndim - 2], dim = x1.sizes[x1.ndim - 1];
  if (x2.sizes[x2.ndim - 1] != dim || between.sizes[between.ndim - 2] != n || between.sizes[between.ndim - 1] != m ||
      !expand_batch(x1, between, pairs.x1) || !expand_batch(x2, between, pairs.x2))
    return misfit(op, x1, x2, between);
  for (int d = 0; d < between.ndim - 2; ++d) pairs.batch *= between.sizes[d];
  pairs.rows = n;
  pairs.shape = {m, dim, p};
  return pairs;
}

// body(sample, first row, end row) over the rows of all samples.
template <class Body>
void for_rows(TaskContext& context, const Pairs& pairs, Body body) {
  const int64_t work = std::max<int64_t>(1, pairs.shape.others * pairs.shape.dim);
  context.team.for_ranges(pairs.batch * pairs.rows, std::max<int64_t>(1, 8192 / work), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end;) {
      const int64_t sample = row / pairs.rows, next = std::min(end, (sample + 1) * pairs.rows);
      body(sample, row - sample * pairs.rows, next - sample * pairs.rows);
      row = next;
    }
  });
}

double estimate(const Pairs& pairs) {
  return static_cast<double>(pairs.batch * pairs.rows * pairs.shape.others * pairs.shape.dim) / 1000;
}

}  // namespace

Result<Launch> cdist(const TensorView& x1, const TensorView& x2, double p, const TensorView& out) {
  ASSIGN_OR_RETURN(const Pairs pairs, pairs_of("cdist", x1, x2, p, out));
  const DType compute = compute_type(x1.dtype);
  Staging staging;
  Slot a = staging.input(pairs.x1, compute), b = staging.input(pairs.x2, compute), y = staging.output(out, compute);
  const auto kernel = kernels::geometry().distance[compute == DType::Float64];
  const int64_t item = size_of(compute);
  return std::move(staging).launch("cdist", estimate(pairs), [=](TaskContext& c) {
    for_rows(c, pairs, [&](int64_t sample, int64_t begin, int64_t end) {
      const auto& s = pairs.shape;
      kernel(a.in<char>(c) + sample * pairs.rows * s.dim * item, b.in<char>(c) + sample * s.others * s.dim * item, s,
             y.in<char>(c) + sample * pairs.rows * s.others * item, begin, end);
    });
  });
}

Result<Launch> cdist_backward(const TensorView& grad, const TensorView& x1, const TensorView& x2,
                              const TensorView& distances, double p, const TensorView& out) {
  ASSIGN_OR_RETURN(const Pairs pairs, pairs_of("cdist_backward", x1, x2, p, distances));
  TensorView grads;
  if (grad.dtype != x1.dtype || !expand(grad, distances, grads) || out.dtype != x1.dtype ||
      out.numel() != pairs.batch * pairs.rows * pairs.shape.dim)
    return misfit("cdist_backward", grad, distances, out);
  const DType compute = compute_type(x1.dtype);
  Staging staging;
  Slot g = staging.input(grads, compute), a = staging.input(pairs.x1, compute), b = staging.input(pairs.x2, compute);
  Slot between = staging.input(distances, compute), dx = staging.output(out, compute);
  const auto kernel = kernels::geometry().distance_backward[compute == DType::Float64];
  const int64_t item = size_of(compute);
  return std::move(staging).launch("cdist_backward", 2 * estimate(pairs), [=](TaskContext& c) {
    for_rows(c, pairs, [&](int64_t sample, int64_t begin, int64_t end) {
      const auto& s = pairs.shape;
      const int64_t points = sample * pairs.rows * s.dim * item, gaps = sample * pairs.rows * s.others * item;
      kernel(g.in<char>(c) + gaps, a.in<char>(c) + points, b.in<char>(c) + sample * s.others * s.dim * item,
             between.in<char>(c) + gaps, s, dx.in<char>(c) + points, begin, end);
    });
  });
}

Result<Launch> pdist(const TensorView& self, double p, const TensorView& out) {
  const int64_t n = self.ndim == 2 ? self.sizes[0] : 0;
  if (self.ndim != 2 || floating_index(self.dtype) < 0 || out.dtype != self.dtype || out.numel() != n * (n - 1) / 2 ||
      !(p >= 0))
    return misfit("pdist", self, self, out);
  const DType compute = compute_type(self.dtype);
  Staging staging;
  Slot x = staging.input(self, compute), y = staging.output(out, compute);
  const auto kernel = kernels::geometry().distance[compute == DType::Float64];
  const int64_t item = size_of(compute), dim = self.sizes[1];
  return std::move(staging).launch("pdist", static_cast<double>(out.numel() * dim) / 1000, [=](TaskContext& c) {
    c.team.for_ranges(n, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, n * dim)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const char* row = x.in<char>(c) + i * dim * item;
        const int64_t first = i * n - i * (i + 1) / 2;  // where the distances of row i begin
        kernel(row, row + dim * item, {n - 1 - i, dim, p}, y.in<char>(c) + first * item, 0, 1);
      }
    });
  });
}

Result<Launch> cross(const TensorView& self, const TensorView& other, int64_t dim_given, const TensorView& out) {
  ASSIGN_OR_RETURN(const int64_t dim, wrap_dim("cross", out, dim_given));
  TensorView a, b;
  // Half types and integers are PyTorch's own affair: they round, or wrap, at each of the three steps.
  if ((out.dtype != DType::Float32 && out.dtype != DType::Float64) || self.dtype != out.dtype ||
      other.dtype != out.dtype || out.ndim == 0 || out.sizes[dim] != 3 || !expand(self, out, a) ||
      !expand(other, out, b))
    return misfit("cross", self, other, out);
  int64_t inner = 1;
  for (int d = static_cast<int>(dim) + 1; d < out.ndim; ++d) inner *= out.sizes[d];
  const int64_t groups = inner == 0 ? 0 : out.numel() / 3 / inner;
  Staging staging;
  Slot x = staging.input(a), y = staging.input(b), z = staging.output(out);
  const auto kernel = kernels::geometry().cross[out.dtype == DType::Float64];
  return std::move(staging).launch("cross", static_cast<double>(out.numel()) / 1000, [=](TaskContext& c) {
    c.team.for_ranges(groups, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, inner)),
                      [&](int64_t begin, int64_t end) { kernel(x.in(c), y.in(c), inner, z.in(c), begin, end); });
  });
}

}  // namespace cann::ops
