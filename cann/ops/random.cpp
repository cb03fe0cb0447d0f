#include "cann/ops/random.h"

#include <limits>

#include "cann/kernels/random/random.h"
#include "cann/ops/family.h"
#include "cann/ops/pointwise.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

using kernels::Distribution;
using kernels::Draw;

constexpr int64_t kGrain = 64 * kernels::kRandomBlock;

Draw draw_of(int64_t seed, int64_t offset) { return {static_cast<uint64_t>(seed), static_cast<uint64_t>(offset)}; }

Status refuse(const char* op, const char* name, const TensorView& t, const char* needed) {
  return bad_parameter(std::string(op) + ": " + name + " " + describe(t) + ": " + needed);
}

// Fills a floating tensor itself, another real one through float32.
Result<Launch> fill(const char* op, Distribution distribution, const TensorView& self, double a, double b,
                    const TensorView* a_values, const TensorView* b_values, Draw draw) {
  if (is_complex(self.dtype)) return refuse(op, "self", self, "a real type needed");
  DType type = is_floating(self.dtype) ? self.dtype : DType::Float32;
  Staging staging;
  Slot out = staging.output(self, type), first, second;
  TensorView expanded;
  if (a_values) {
    if (!expand(*a_values, self, expanded))
      return refuse(op, "parameter", *a_values, ("must broadcast to " + describe(self)).c_str());
    first = staging.input(expanded, compute_type(type));
  }
  if (b_values) {
    if (!expand(*b_values, self, expanded))
      return refuse(op, "parameter", *b_values, ("must broadcast to " + describe(self)).c_str());
    second = staging.input(expanded, compute_type(type));
  }
  auto kernel = kernels::random().fill[floating_index(type)];
  const int64_t n = self.numel();
  return std::move(staging).launch(op, static_cast<double>(n) / 700, [=](TaskContext& c) {
    c.team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      kernel(distribution, draw, a, b, first.in(c), second.in(c), out.in(c), begin, end);
    });
  });
}

}  // namespace

Result<Launch> uniform(const TensorView& self, double from, double to, uint64_t seed, uint64_t offset) {
  return fill("uniform", Distribution::Uniform, self, from, to, nullptr, nullptr, {seed, offset});
}
Result<Launch> normal(const TensorView& self, double mean, double std, int64_t seed, int64_t offset) {
  return fill("normal", Distribution::Normal, self, mean, std, nullptr, nullptr, draw_of(seed, offset));
}
Result<Launch> normal_of(const TensorView* means, double mean, const TensorView* stds, double std, int64_t seed,
                         int64_t offset, const TensorView& out) {
  return fill("normal", Distribution::Normal, out, mean, std, means, stds, draw_of(seed, offset));
}
Result<Launch> log_normal(const TensorView& self, double mean, double std, int64_t seed, int64_t offset) {
  return fill("log_normal", Distribution::LogNormal, self, mean, std, nullptr, nullptr, draw_of(seed, offset));
}
Result<Launch> exponential(const TensorView& self, double lambda, int64_t seed, int64_t offset) {
  return fill("exponential", Distribution::Exponential, self, lambda, 0, nullptr, nullptr, draw_of(seed, offset));
}
Result<Launch> cauchy(const TensorView& self, double median, double sigma, int64_t seed, int64_t offset) {
  return fill("cauchy", Distribution::Cauchy, self, median, sigma, nullptr, nullptr, draw_of(seed, offset));
}
Result<Launch> geometric(const TensorView& self, double p, int64_t seed, int64_t offset) {
  return fill("geometric", Distribution::Geometric, self, p, 0, nullptr, nullptr, draw_of(seed, offset));
}
Result<Launch> bernoulli(const TensorView& self, double p, int64_t seed, int64_t offset) {
  return fill("bernoulli", Distribution::Bernoulli, self, p, 0, nullptr, nullptr, draw_of(seed, offset));
}
Result<Launch> bernoulli_of(const TensorView& self, const TensorView& p, int64_t seed, int64_t offset) {
  if (!is_floating(p.dtype)) return refuse("bernoulli", "p", p, "a floating type needed");
  return fill("bernoulli", Distribution::Bernoulli, self, 0, 0, &p, nullptr, draw_of(seed, offset));
}

Result<Launch> random_integers(const TensorView& self, int64_t from, uint64_t range, int64_t seed, int64_t offset) {
  if (is_complex(self.dtype)) return refuse("random", "self", self, "a real type needed");
  Staging staging;
  Slot out = staging.output(self, DType::Int64);
  const int64_t n = self.numel();
  const Draw draw = draw_of(seed, offset);
  auto kernel = kernels::random().integers;
  return std::move(staging).launch("random", static_cast<double>(n) / 250, [=](TaskContext& c) {
    c.team.for_ranges(n, kGrain,
                      [&](int64_t begin, int64_t end) { kernel(draw, range, from, out.in<int64_t>(c), begin, end); });
  });
}

Result<Launch> random_any(const TensorView& self, int64_t seed, int64_t offset) {
  uint64_t range = 0;
  switch (self.dtype) {
    case DType::Bool: range = 2; break;
    case DType::Int8: range = 1ull << 7; break;
    case DType::UInt8: range = 1ull << 8; break;
    case DType::Int16: range = 1ull << 15; break;
    case DType::UInt16: range = 1ull << 16; break;
    case DType::Int32: range = 1ull << 31; break;
    case DType::UInt32: range = 1ull << 32; break;
    case DType::Int64: range = 1ull << 63; break;
    case DType::Float32: range = (1ull << 24) + 1; break;
    case DType::Float64: range = (1ull << 53) + 1; break;
    case DType::Float16: range = (1ull << 11) + 1; break;
    case DType::BFloat16: range = (1ull << 8) + 1; break;
    default: break;  // uint64: every number
  }
  return random_integers(self, 0, range, seed, offset);
}

Result<Launch> randperm(int64_t n, int64_t seed, int64_t offset, const TensorView& out) {
  if (n < 0 || out.numel() != n || is_complex(out.dtype))
    return bad_parameter("randperm: n " + std::to_string(n) + ", out " + describe(out) +
                         ": n places of a real type needed");
  Staging staging;
  Slot to = staging.output(out, DType::Int64);
  const Draw draw = draw_of(seed, offset);
  return std::move(staging).launch("randperm", static_cast<double>(n) / 50, [=](TaskContext& c) {
    if (n > 0) kernels::random().permutation(draw, n, to.in<int64_t>(c));
  });
}

Result<Launch> dropout(const TensorView& input, double p, int64_t seed, int64_t offset, const TensorView& out,
                       const TensorView& mask) {
  int type = floating_index(input.dtype);
  if (type < 0 || out.dtype != input.dtype || mask.dtype != DType::Bool)
    return bad_parameter("dropout: input " + describe(input) + ", out " + describe(out) + ", mask " + describe(mask) +
                         ": one floating type and a bool mask needed");
  RETURN_IF_ERROR(check_same_shape("dropout", "input", input, "out", out));
  RETURN_IF_ERROR(check_same_shape("dropout", "input", input, "mask", mask));
  Staging staging;
  Slot x = staging.input(input), y = staging.output(out), kept = staging.output(mask);
  const Draw draw = draw_of(seed, offset);
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  const int64_t n = input.numel();
  auto kernel = kernels::random().dropout[type];
  return std::move(staging).launch("dropout", static_cast<double>(n) / 700, [=](TaskContext& c) {
    c.team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      kernel(draw, p, scale, x.in(c), y.in(c), kept.in<bool>(c), begin, end);
    });
  });
}

Result<Launch> dropout_backward(const TensorView& grad_output, const TensorView& mask, double scale,
                                const TensorView& out) {
  int type = floating_index(grad_output.dtype);
  if (type < 0 || out.dtype != grad_output.dtype || mask.dtype != DType::Bool)
    return bad_parameter("dropout_backward: grad_output " + describe(grad_output) + ", mask " + describe(mask) +
                         ", out " + describe(out) + ": one floating type and a bool mask needed");
  RETURN_IF_ERROR(check_same_shape("dropout_backward", "grad_output", grad_output, "mask", mask));
  RETURN_IF_ERROR(check_same_shape("dropout_backward", "grad_output", grad_output, "out", out));
  Staging staging;
  Slot dy = staging.input(grad_output), kept = staging.input(mask), dx = staging.output(out);
  const int64_t n = grad_output.numel();
  auto kernel = kernels::random().dropout_backward[type];
  return std::move(staging).launch("dropout_backward", static_cast<double>(n) / 2000, [=](TaskContext& c) {
    c.team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      kernel(dy.in(c), kept.in<bool>(c), scale, dx.in(c), begin, end);
    });
  });
}

Result<Launch> rrelu_with_noise(const TensorView& self, const TensorView& noise, const Scalar& lower,
                                const Scalar& upper, bool training, int64_t seed, int64_t offset,
                                const TensorView& out) {
  if (!training) return same_type(Op::LeakyRelu, {self}, out, {Scalar((lower.to_double() + upper.to_double()) / 2)});
  if (floating_index(self.dtype) < 0) return refuse("rrelu_with_noise", "self", self, "a floating type needed");
  RETURN_IF_ERROR(check_same_shape("rrelu_with_noise", "self", self, "noise", noise));
  RETURN_IF_ERROR(check_same_shape("rrelu_with_noise", "self", self, "out", out));
  DType compute = compute_type(self.dtype);
  Staging staging;
  Slot x = staging.input(self, compute), slopes = staging.output(noise, compute), y = staging.output(out, compute);
  const Draw draw = draw_of(seed, offset);
  const double low = lower.to_double(), high = upper.to_double();
  const int64_t n = self.numel();
  auto kernel = kernels::random().rrelu[compute == DType::Float64];
  return std::move(staging).launch("rrelu_with_noise", static_cast<double>(n) / 700, [=](TaskContext& c) {
    c.team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      kernel(draw, low, high, x.in(c), slopes.in(c), y.in(c), begin, end);
    });
  });
}

Result<Launch> multinomial(const TensorView& self, int64_t num_samples, bool replacement, int64_t seed, int64_t offset,
                           const TensorView& out) {
  if (!is_floating(self.dtype) || self.ndim < 1 || self.ndim > 2)
    return refuse("multinomial", "self", self, "floating, of 1 or 2 dimensions");
  const int64_t n = self.sizes[self.ndim - 1], rows = self.ndim == 2 ? self.sizes[0] : 1;
  if (num_samples <= 0 || n == 0 || (!replacement && num_samples > n) || out.numel() != rows * num_samples)
    return bad_parameter("multinomial: self " + describe(self) + ", num_samples " + std::to_string(num_samples) +
                         ", out " + describe(out) + ": between 1 and " + std::to_string(n) +
                         " samples a row without replacement");
  DType compute = compute_type(self.dtype);
  Staging staging;
  Slot weights = staging.input(self, compute), to = staging.output(out, DType::Int64);
  const int64_t row_bytes = n * size_of(compute);
  Slot buffers = staging.scratch(rows * row_bytes);
  const Draw draw = draw_of(seed, offset);
  auto kernel = kernels::random().multinomial[compute == DType::Float64];
  return std::move(staging).launch("multinomial", static_cast<double>(rows * n) / 200, [=](TaskContext& c) {
    c.team.for_ranges(rows, std::max<int64_t>(1, 4096 / n), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        kernel(draw, weights.in(c), n, num_samples, replacement, r, buffers.in<char>(c) + r * row_bytes,
               to.in<int64_t>(c));
    });
  });
}

Result<Launch> multinomial_check(const TensorView& self, const TensorView& out) {
  if (!is_floating(self.dtype) || self.ndim < 1 || self.ndim > 2 || out.numel() != 1)
    return refuse("multinomial_check", "self", self, "floating, of 1 or 2 dimensions, and one place for the answer");
  const int64_t n = self.sizes[self.ndim - 1], rows = self.ndim == 2 ? self.sizes[0] : 1;
  DType compute = compute_type(self.dtype);
  Staging staging;
  Slot weights = staging.input(self, compute), to = staging.output(out, DType::Int64);
  auto kernel = kernels::random().check_weights[compute == DType::Float64];
  return std::move(staging).launch("multinomial_check", static_cast<double>(rows * n) / 2000,
                                   [=](TaskContext& c) { *to.in<int64_t>(c) = kernel(weights.in(c), n, rows); });
}

}  // namespace cann::ops
