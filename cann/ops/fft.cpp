// One pass a dimension: the first reads self, the others work in place on the output (on a copy in the workspace where
// the output is real). A pass transforms several lines at once, so that neighbouring lanes fill the vector registers.
#include "cann/ops/fft.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "cann/ops/box_copy.h"
#include "cann/ops/fft_plan.h"
#include "cann/ops/index_walk.h"
#include "cann/ops/shape.h"

namespace cann::ops {

namespace {

using kernels::FftLines;

struct Pass {
  TensorView from, to;
  int dim;
  bool inverse = false, hermitian = false;
  double scale = 1;
  std::shared_ptr<const kernels::FftPlan> plan;
};

struct Passes {
  std::vector<Pass> passes;
  bool through_workspace = false;  // all but the last write to the workspace
};

bool is_double(DType t) { return t == DType::Float64 || t == DType::Complex128; }

// The lines of a pass, `lanes` at a time.
void run_pass(Team& team, const Pass& pass) {
  const int64_t n = pass.plan->n, bytes = is_double(pass.to.dtype) ? 8 : 4;
  int64_t lines = 1;
  for (int d = 0; d < pass.to.ndim; ++d)
    if (d != pass.dim) lines *= pass.to.sizes[d];
  if (lines == 0) return;
  const int64_t longest = pass.plan->inner ? pass.plan->inner->n : n;
  const int64_t lanes = std::clamp<int64_t>(8192 / longest, 1, 16);
  FftLines f{};
  f.plan = pass.plan.get();
  f.is_double = bytes == 8;
  f.inverse = pass.inverse;
  f.hermitian = pass.hermitian;
  f.scale = pass.scale;
  f.from = pass.from.data;
  f.to = pass.to.data;
  f.from_real = !is_complex(pass.from.dtype);
  f.to_real = !is_complex(pass.to.dtype);
  f.from_stride = pass.from.strides[pass.dim];
  f.to_stride = pass.to.strides[pass.dim];
  f.kept = pass.to.sizes[pass.dim];
  const int64_t grain = (std::max<int64_t>(1, 16 * 1024 / longest) + lanes - 1) / lanes * lanes;
  team.for_ranges(lines, grain, [&](int64_t begin, int64_t end) {
    const auto scratch =
        std::make_unique_for_overwrite<char[]>(static_cast<size_t>(kernels::fft_scratch(*f.plan, lanes) * bytes));
    std::vector<int64_t> from(static_cast<size_t>(lanes)), to(static_cast<size_t>(lanes));
    for (int64_t first = begin; first < end; first += lanes) {
      const int64_t count = std::min(lanes, end - first);
      for (int64_t t = 0; t < count; ++t) {
        int64_t line = first + t, at_from = 0, at_to = 0;
        for (int d = pass.to.ndim - 1; d >= 0; --d) {
          if (d == pass.dim) continue;
          const int64_t i = line % pass.to.sizes[d];
          line /= pass.to.sizes[d];
          at_from += i * pass.from.strides[d];
          at_to += i * pass.to.strides[d];
        }
        from[static_cast<size_t>(t)] = at_from;
        to[static_cast<size_t>(t)] = at_to;
      }
      kernels::fft().lines(f, count, from.data(), to.data(), scratch.get());
    }
  });
}

Launch passes_launch(const char* op, Passes planned, int64_t workspace_bytes) {
  double operations = 0;
  for (const Pass& pass : planned.passes)
    operations += 5 * static_cast<double>(pass.to.numel()) * (1 + std::log2(static_cast<double>(pass.plan->n)));
  auto owned = std::make_shared<const Passes>(std::move(planned));
  const float us = 1 + static_cast<float>(operations / 4e3);
  return {Task(op, us,
               [owned](TaskContext& context) {
                 for (size_t i = 0; i < owned->passes.size(); ++i) {
                   Pass pass = owned->passes[i];
                   if (owned->through_workspace && i > 0) pass.from.data = context.workspace;
                   if (owned->through_workspace && i + 1 < owned->passes.size()) pass.to.data = context.workspace;
                   run_pass(context.team, pass);
                 }
               }),
          static_cast<size_t>(workspace_bytes)};
}

Status check(const char* op, const TensorView& self, const TensorView& out, DType complex_type, int64_t normalization) {
  if (complex_type != DType::Complex64 && complex_type != DType::Complex128)
    return bad_parameter(std::string(op) + ": self " + describe(self) +
                         ": needs float32, float64, complex64 or complex128");
  if (self.ndim != out.ndim)
    return bad_parameter(std::string(op) + ": self " + describe(self) + ", out " + describe(out));
  if (normalization < 0 || normalization > 2)
    return bad_parameter(std::string(op) + ": normalization " + std::to_string(normalization) + " is unknown");
  return {};
}

double scale_of(int64_t normalization, const TensorView& signal, std::span<const int> dims) {
  double points = 1;
  for (int d : dims) points *= static_cast<double>(signal.sizes[d]);
  return normalization == 0 ? 1 : normalization == 1 ? 1 / std::sqrt(points) : 1 / points;
}

Result<std::vector<int>> wrap_dims(const char* op, IntArray dims, int ndim) {
  std::vector<int> wrapped;
  for (int64_t dim : dims) {
    ASSIGN_OR_RETURN(const int d, wrap_dim(op, dim, ndim));
    wrapped.push_back(d);
  }
  return wrapped;
}

}  // namespace

Result<Launch> fft_c2c(const TensorView& self, IntArray dim, int64_t normalization, bool forward,
                       const TensorView& out) {
  RETURN_IF_ERROR(check("fft_c2c", self, out, self.dtype, normalization));
  if (self.dtype != out.dtype || !same_shape(self, out))
    return bad_parameter("fft_c2c: self " + describe(self) + ", out " + describe(out) + ": must be alike");
  if (dim.empty()) return move("fft_c2c", self, out);
  ASSIGN_OR_RETURN(const std::vector<int> dims, wrap_dims("fft_c2c", dim, self.ndim));
  Passes p;
  if (out.numel() > 0)
    for (int d : dims)
      p.passes.push_back(
          {p.passes.empty() ? self : out, out, d, !forward, false, 1, fft_plan(self.sizes[d], is_double(self.dtype))});
  if (!p.passes.empty()) p.passes.back().scale = scale_of(normalization, self, dims);
  return passes_launch("fft_c2c", std::move(p), 0);
}

Result<Launch> fft_r2c(const TensorView& self, IntArray dim, int64_t normalization, const TensorView& out) {
  RETURN_IF_ERROR(check("fft_r2c", self, out, out.dtype, normalization));
  if (self.dtype != real_of(out.dtype) || dim.empty())
    return bad_parameter("fft_r2c: self " + describe(self) + ", out " + describe(out) + ": types do not fit");
  ASSIGN_OR_RETURN(const std::vector<int> dims, wrap_dims("fft_r2c", dim, self.ndim));
  const int last = dims.back();
  for (int d = 0; d < self.ndim; ++d)
    if (out.sizes[d] != self.sizes[d] && !(d == last && out.sizes[d] == self.sizes[d] / 2 + 1))
      return bad_parameter("fft_r2c: self " + describe(self) + ", out " + describe(out) + ": shapes do not fit");
  Passes p;
  if (out.numel() > 0 && self.numel() > 0) {
    p.passes.push_back({self, out, last, false, false, 1, fft_plan(self.sizes[last], is_double(self.dtype))});
    for (size_t i = 0; i + 1 < dims.size(); ++i)
      p.passes.push_back({out, out, dims[i], false, false, 1, fft_plan(self.sizes[dims[i]], is_double(self.dtype))});
    p.passes.back().scale = scale_of(normalization, self, dims);
  }
  return passes_launch("fft_r2c", std::move(p), 0);
}

Result<Launch> fft_c2r(const TensorView& self, IntArray dim, int64_t normalization, const TensorView& out) {
  RETURN_IF_ERROR(check("fft_c2r", self, out, self.dtype, normalization));
  if (out.dtype != real_of(self.dtype) || dim.empty())
    return bad_parameter("fft_c2r: self " + describe(self) + ", out " + describe(out) + ": types do not fit");
  ASSIGN_OR_RETURN(const std::vector<int> dims, wrap_dims("fft_c2r", dim, self.ndim));
  const int last = dims.back();
  for (int d = 0; d < self.ndim; ++d)
    if (d == last ? self.sizes[d] < out.sizes[d] / 2 + 1 : out.sizes[d] != self.sizes[d])
      return bad_parameter("fft_c2r: self " + describe(self) + ", out " + describe(out) + ": shapes do not fit");
  Passes p;
  p.through_workspace = true;
  TensorView room = self;
  int64_t stride = 1;
  for (int d = self.ndim - 1; d >= 0; stride *= self.sizes[d], --d) room.strides[d] = stride;
  if (out.numel() > 0) {
    for (size_t i = 0; i + 1 < dims.size(); ++i)
      p.passes.push_back(
          {i == 0 ? self : room, room, dims[i], true, false, 1, fft_plan(self.sizes[dims[i]], is_double(self.dtype))});
    p.passes.push_back({dims.size() == 1 ? self : room, out, last, true, true, scale_of(normalization, out, dims),
                        fft_plan(out.sizes[last], is_double(self.dtype))});
  }
  return passes_launch("fft_c2r", std::move(p), dims.size() > 1 ? self.numel() * size_of(self.dtype) : 0);
}

}  // namespace cann::ops
