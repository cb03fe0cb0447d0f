// Random operators of which each element takes as many numbers as its rejection asks for: each reserves for the most.
#include <limits>

#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>

#include "functions_random.h"
#include "handwritten_random.h"
#include "torch_npu/csrc/device/generator.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::op {
namespace {

using OptionalGenerator = std::optional<at::Generator>;

// Four numbers for each of the counters that CANN's sampler may use up.
constexpr uint64_t kReserved = 4 * 1024;

template <class Launch>
at::Tensor sample(const at::Tensor& like, const OptionalGenerator& generator, Launch&& draw) {
  at::Tensor out = empty(like.sizes(), like.scalar_type(), like.device());
  if (out.numel() == 0) return out;
  const auto [seed, offset] = random::reserve(generator, kReserved, like.device().index());
  draw(static_cast<int64_t>(seed), static_cast<int64_t>(offset), out);
  return out;
}

}  // namespace

at::Tensor poisson(const at::Tensor& self, OptionalGenerator generator) {
  return sample(self, generator, [&](int64_t seed, int64_t offset, const at::Tensor& out) {
    launch(aclnn::Poisson, self, seed, offset, out);
  });
}

at::Tensor binomial(const at::Tensor& count, const at::Tensor& prob, OptionalGenerator generator) {
  return sample(count, generator, [&](int64_t seed, int64_t offset, const at::Tensor& out) {
    launch(aclnn::Binomial, count, prob, seed, offset, out);
  });
}

at::Tensor _standard_gamma(const at::Tensor& self, OptionalGenerator generator) {
  return sample(self, generator, [&](int64_t seed, int64_t offset, const at::Tensor& out) {
    launch(aclnn::StandardGamma, self, seed, offset, out);
  });
}

// Gamma numbers over their sum; inside (0, 1), whose logarithms are taken.
at::Tensor _sample_dirichlet(const at::Tensor& self, OptionalGenerator generator) {
  const at::Tensor numbers = op::_standard_gamma(self, std::move(generator));
  at::Tensor out = numbers / numbers.sum(-1, /*keepdim=*/true);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, self.scalar_type(), "dirichlet", [&] {
    using Limits = std::numeric_limits<scalar_t>;
    const double below_one = 1 - static_cast<double>(Limits::epsilon());
    out.clamp_(static_cast<double>(Limits::min()), below_one);
  });
  return out;
}

}  // namespace torch_npu::op
