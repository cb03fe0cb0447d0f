// repeat_interleave where a tensor on the device tells how often.
#include <cstring>

#include "cann/ops/family.h"
#include "cann/ops/shape.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

Status misfit(const TensorView& self, const TensorView& repeats, const TensorView& out) {
  return bad_parameter("repeat_interleave: self " + describe(self) + ", repeats " + describe(repeats) + ", out " +
                       describe(out) + ": they do not fit");
}

// self as [outer, n, inner], out as [outer, total, inner]; inner in bytes.
struct Repetition {
  int64_t outer, n, total, inner;

  // to = from's slices, the i-th times[i * step] times.
  Status run(const char* from, const int64_t* times, int64_t step, char* to) const {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (times[i * step] < 0) return bad_parameter("repeat_interleave: repeats can not be negative");
      sum += times[i * step];
    }
    if (sum != total)
      return bad_parameter("repeat_interleave: repeats sum up to " + std::to_string(sum) + ", out has place for " +
                           std::to_string(total));
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < n; ++i, from += inner)
        for (int64_t k = 0; k < times[i * step]; ++k, to += inner) std::memcpy(to, from, static_cast<size_t>(inner));
    return {};
  }
};

Result<Launch> repeated(const TensorView& self, const TensorView& repeats, const TensorView& out,
                        const Repetition& repetition) {
  if (self.dtype != out.dtype || !is_integral(repeats.dtype) || repeats.ndim > 1 ||
      (repeats.numel() != 1 && repeats.numel() != repetition.n))
    return misfit(self, repeats, out);
  Staging staging;
  Slot from = staging.input(self), times = staging.input(repeats, DType::Int64), to = staging.output(out);
  const int64_t step = repeats.numel() == 1 ? 0 : 1;
  return std::move(staging).launch(
      "repeat_interleave", static_cast<double>(out.numel() * size_of(out.dtype)) / 4000,
      [=](TaskContext& c) { return repetition.run(from.in<char>(c), times.in<int64_t>(c), step, to.in<char>(c)); });
}

}  // namespace

Result<Launch> repeat_interleave(const TensorView& self, const TensorView& repeats, int64_t dim,
                                 const TensorView& out) {
  ASSIGN_OR_RETURN(const int64_t axis, wrap_dim("repeat_interleave", self, dim));
  if (self.ndim == 0 || self.ndim != out.ndim) return misfit(self, repeats, out);
  Repetition r{1, self.sizes[axis], out.sizes[axis], size_of(self.dtype)};
  for (int d = 0; d < self.ndim; ++d) {
    if (d == axis) continue;
    if (self.sizes[d] != out.sizes[d]) return misfit(self, repeats, out);
    (d < axis ? r.outer : r.inner) *= self.sizes[d];
  }
  return repeated(self, repeats, out, r);
}

Result<Launch> repeat_interleave_flat(const TensorView& self, const TensorView& repeats, const TensorView& out) {
  return repeated(self, repeats, out, {1, self.numel(), out.numel(), size_of(self.dtype)});
}

}  // namespace cann::ops
