// Numbers that rejection draws, in float64 whatever the tensors' type.
#include <atomic>
#include <limits>

#include "cann/kernels/random/samplers.h"
#include "cann/ops/family.h"
#include "cann/ops/random.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

using kernels::Draw;

constexpr int64_t kGrain = 2048;

Draw draw_of(int64_t seed, int64_t offset) { return {static_cast<uint64_t>(seed), static_cast<uint64_t>(offset)}; }

Status check(const char* op, const TensorView& parameter, const TensorView& out) {
  if (!is_floating(parameter.dtype) || !is_floating(out.dtype))
    return bad_parameter(std::string(op) + ": " + describe(parameter) + ", out " + describe(out) +
                         ": floating types needed");
  return check_same_shape(op, "parameter", parameter, "out", out);
}

double smallest(DType type) {
  switch (type) {
    case DType::Float64: return std::numeric_limits<double>::min();
    case DType::Float16: return 0x1p-14;
    default: return static_cast<double>(std::numeric_limits<float>::min());
  }
}

}  // namespace

Result<Launch> poisson(const TensorView& self, int64_t seed, int64_t offset, const TensorView& out) {
  RETURN_IF_ERROR(check("poisson", self, out));
  Staging staging;
  const Slot rates = staging.input(self, DType::Float64), to = staging.output(out, DType::Float64);
  const int64_t n = self.numel();
  const Draw draw = draw_of(seed, offset);
  return std::move(staging).launch("poisson", static_cast<double>(n) / 15, [=](TaskContext& c) -> Status {
    std::atomic<bool> negative{false};
    c.team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      const double* const values = rates.in<double>(c);
      for (int64_t i = begin; i < end; ++i)
        if (values[i] < 0) return negative.store(true, std::memory_order_relaxed);
      kernels::sampler().poisson(draw, values, to.in<double>(c), begin, end);
    });
    if (negative) return bad_parameter("invalid Poisson rate, expected rate to be non-negative");
    return {};
  });
}

Result<Launch> binomial(const TensorView& count, const TensorView& prob, int64_t seed, int64_t offset,
                        const TensorView& out) {
  RETURN_IF_ERROR(check("binomial", out, out));
  TensorView counts_view, probs_view;
  if (!is_floating(count.dtype) || !is_floating(prob.dtype) || !expand(count, out, counts_view) ||
      !expand(prob, out, probs_view))
    return bad_parameter("binomial: count " + describe(count) + ", prob " + describe(prob) + ", out " + describe(out) +
                         ": floating types that broadcast needed");
  Staging staging;
  const Slot counts = staging.input(counts_view, DType::Float64), probs = staging.input(probs_view, DType::Float64),
             to = staging.output(out, DType::Float64);
  const int64_t n = out.numel();
  const Draw draw = draw_of(seed, offset);
  return std::move(staging).launch("binomial", static_cast<double>(n) / 10, [=](TaskContext& c) {
    c.team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      kernels::sampler().binomial(draw, counts.in<double>(c), probs.in<double>(c), to.in<double>(c), begin, end);
    });
  });
}

Result<Launch> standard_gamma(const TensorView& self, int64_t seed, int64_t offset, const TensorView& out) {
  RETURN_IF_ERROR(check("standard_gamma", self, out));
  Staging staging;
  const Slot alphas = staging.input(self, DType::Float64), to = staging.output(out, DType::Float64);
  const int64_t n = self.numel();
  const Draw draw = draw_of(seed, offset);
  const double least = smallest(out.dtype);  // never 0: a logarithm is taken of it
  return std::move(staging).launch("standard_gamma", static_cast<double>(n) / 15, [=](TaskContext& c) {
    c.team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      double* const values = to.in<double>(c);
      kernels::sampler().gamma(draw, alphas.in<double>(c), values, begin, end);
      for (int64_t i = begin; i < end; ++i) values[i] = values[i] < least ? least : values[i];
    });
  });
}

}  // namespace cann::ops
