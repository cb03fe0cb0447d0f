// Random operators: PyTorch's own templates check the arguments (so errors are its), the generator gives seed and
// offset, CANN draws.
#include <ATen/native/DistributionTemplates.h>
#include <ATen/ops/full.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/mul.h>

#include "functions_random.h"
#include "handwritten_random.h"
#include "torch_npu/csrc/device/generator.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::op {
namespace {

namespace templates = at::native::templates;
using OptionalGenerator = std::optional<at::Generator>;

struct State {
  int64_t seed, offset;
};

// Four numbers for each counter: all that one operator draws.
State reserve(const OptionalGenerator& generator, const at::Tensor& self) {
  auto [seed, offset] = random::reserve(generator, 4, self.device().index());
  return {static_cast<int64_t>(seed), static_cast<int64_t>(offset)};
}

// The templates' second parameter, a generator class, is not needed: reserve() knows ours.
struct AnyGenerator {};

template <class>
struct Uniform {
  void operator()(at::TensorIteratorBase& iter, double from, double to, const OptionalGenerator& generator) const {
    const at::Tensor& self = iter.tensor(0);
    const State s = reserve(generator, self);
    launch(aclnn::InplaceUniform, self, from, to, s.seed, s.offset);
  }
};
template <class>
struct Normal {
  void operator()(const at::Tensor& self, double mean, double std, const OptionalGenerator& generator) const {
    const State s = reserve(generator, self);
    launch(aclnn::InplaceNormal, self, mean, std, s.seed, s.offset);
  }
};
template <class>
struct LogNormal {
  void operator()(at::TensorIteratorBase& iter, double mean, double std, const OptionalGenerator& generator) const {
    const State s = reserve(generator, iter.tensor(0));
    launch(aclnn::InplaceLogNormal, iter.tensor(0), mean, std, s.seed, s.offset);
  }
};
template <class>
struct Cauchy {
  void operator()(at::TensorIteratorBase& iter, double median, double sigma, const OptionalGenerator& generator) const {
    const State s = reserve(generator, iter.tensor(0));
    launch(aclnn::InplaceCauchy, iter.tensor(0), median, sigma, s.seed, s.offset);
  }
};
template <class>
struct Geometric {
  void operator()(at::TensorIteratorBase& iter, double p, const OptionalGenerator& generator) const {
    const State s = reserve(generator, iter.tensor(0));
    launch(aclnn::InplaceGeometric, iter.tensor(0), p, s.seed, s.offset);
  }
};
template <class>
struct Exponential {
  void operator()(at::TensorIteratorBase& iter, double lambda, const OptionalGenerator& generator) const {
    const at::Tensor& self = iter.tensor(0);
    TORCH_CHECK(at::isFloatingType(self.scalar_type()),
                "Exponential distribution is a continuous probability distribution. dtype must be a floating point but "
                "you specified ",
                self.dtype());
    const State s = reserve(generator, self);
    launch(aclnn::SimThreadExponential, self, self.numel(), lambda, s.seed, s.offset);
  }
};
template <class>
struct Bernoulli {
  void operator()(const at::Tensor& self, double p, const OptionalGenerator& generator) const {
    const State s = reserve(generator, self);
    launch(aclnn::InplaceBernoulli, self, at::Scalar(p), s.seed, s.offset);
  }
  void operator()(const at::Tensor& self, const at::Tensor& p, const OptionalGenerator& generator) const {
    const State s = reserve(generator, self);
    const at::Tensor on_device = p.is_privateuseone() ? p : p.to(self.device());
    launch(aclnn::InplaceBernoulliTensor, self, on_device, s.seed, s.offset);
  }
};
template <class>
struct RandomFromTo {
  // `to` wraps where the range does: CANN's function takes the difference modulo 2^64.
  void operator()(at::TensorIteratorBase& iter, uint64_t range, int64_t base,
                  const OptionalGenerator& generator) const {
    const State s = reserve(generator, iter.tensor(0));
    const int64_t to = static_cast<int64_t>(static_cast<uint64_t>(base) + range);
    launch(aclnn::InplaceRandom, iter.tensor(0), base, to, s.seed, s.offset);
  }
  void operator()(at::TensorIteratorBase& iter, const OptionalGenerator& generator) const {
    (*this)(iter, 0, 0, generator);
  }
};
template <class>
struct RandomAny {
  void operator()(at::TensorIteratorBase& iter, const OptionalGenerator& generator) const {
    const State s = reserve(generator, iter.tensor(0));
    launch(aclnn::InplaceRandomWithoutFromTo, iter.tensor(0), s.seed, s.offset);
  }
};

void check_std(const at::Tensor& std) {
  TORCH_CHECK(!std.is_complex(), "normal expects standard deviation to be non-complex");
  TORCH_CHECK(std.numel() == 0 || std.min().ge(0).item<bool>(), "normal expects all elements of std >= 0.0");
}
void check_std(double std) { TORCH_CHECK(std >= 0.0, "normal expects std >= 0.0, but found std ", std); }

void check_multinomial(const at::Tensor& self, int64_t samples, bool replacement) {
  TORCH_CHECK(self.dim() > 0 && self.dim() <= 2, "prob_dist must be 1 or 2 dim");
  TORCH_CHECK(at::isFloatingType(self.scalar_type()),
              "multinomial only supports floating-point dtypes for input, got: ", self.scalar_type());
  TORCH_CHECK(samples > 0, "cannot sample n_sample <= 0 samples");
  TORCH_CHECK(replacement || samples <= self.size(-1),
              "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  TORCH_CHECK(self.size(-1) <= (int64_t{1} << 24), "number of categories cannot exceed 2^24");
}

void sample_multinomial(const at::Tensor& self, int64_t samples, bool replacement, const OptionalGenerator& generator,
                        const at::Tensor& out) {
  if (out.numel() == 0) return;
  // One wait for all guards, as PyTorch's CPU raises at once and not at some later call.
  at::Tensor verdict = empty({}, at::kLong, self.device());
  launch(aclnn::MultinomialCheck, self, verdict);
  const int64_t found = verdict.item<int64_t>();
  TORCH_CHECK(found != 1, "probability tensor contains either `inf`, `nan` or element < 0");
  TORCH_CHECK(found != 2, "invalid multinomial distribution (sum of probabilities <= 0)");
  const State s = reserve(generator, self);
  launch(aclnn::Multinomial, self, samples, replacement, s.seed, s.offset, out);
}

at::DimVector sizes_of_samples(const at::Tensor& self, int64_t samples) {
  return self.dim() == 1 ? at::DimVector{samples} : at::DimVector{self.size(0), samples};
}

}  // namespace

at::Tensor& uniform_(at::Tensor& self, double from, double to, OptionalGenerator generator) {
  return templates::uniform_impl_<Uniform, AnyGenerator>(self, from, to, std::move(generator));
}
at::Tensor& normal_(at::Tensor& self, double mean, double std, OptionalGenerator generator) {
  return templates::normal_impl_<Normal, AnyGenerator>(self, mean, std, std::move(generator));
}
at::Tensor& log_normal_(at::Tensor& self, double mean, double std, OptionalGenerator generator) {
  return templates::log_normal_impl_<LogNormal, AnyGenerator>(self, mean, std, std::move(generator));
}
at::Tensor& cauchy_(at::Tensor& self, double median, double sigma, OptionalGenerator generator) {
  return templates::cauchy_impl_<Cauchy, AnyGenerator>(self, median, sigma, std::move(generator));
}
at::Tensor& geometric_(at::Tensor& self, double p, OptionalGenerator generator) {
  return templates::geometric_impl_<Geometric, AnyGenerator>(self, p, std::move(generator));
}
at::Tensor& exponential_(at::Tensor& self, double lambd, OptionalGenerator generator) {
  return templates::exponential_impl_<Exponential, AnyGenerator>(self, lambd, std::move(generator));
}
at::Tensor& bernoulli__float(at::Tensor& self, double p, OptionalGenerator generator) {
  return templates::bernoulli_impl_<Bernoulli, AnyGenerator>(self, p, std::move(generator));
}
at::Tensor& bernoulli__Tensor(at::Tensor& self, const at::Tensor& p, OptionalGenerator generator) {
  return templates::bernoulli_impl_<Bernoulli, AnyGenerator>(self, p, std::move(generator));
}
at::Tensor& bernoulli_out(const at::Tensor& self, OptionalGenerator generator, at::Tensor& out) {
  shape::resize(shape::sized(self.sizes(), out.scalar_type(), out.device()), out);
  return bernoulli__Tensor(out, self, std::move(generator));
}
at::Tensor& random_(at::Tensor& self, OptionalGenerator generator) {
  return templates::random_impl<RandomAny, AnyGenerator>(self, std::move(generator));
}
at::Tensor& random__from(at::Tensor& self, int64_t from, std::optional<int64_t> to, OptionalGenerator generator) {
  return templates::random_from_to_impl<RandomFromTo, AnyGenerator>(self, from, to, std::move(generator));
}
at::Tensor& random__to(at::Tensor& self, int64_t to, OptionalGenerator generator) {
  return random__from(self, 0, to, std::move(generator));
}

at::Tensor& normal_Tensor_float_out(const at::Tensor& mean, double std, OptionalGenerator generator, at::Tensor& out) {
  check_std(std);
  shape::resize(shape::sized(mean.sizes(), out.scalar_type(), out.device()), out);
  if (out.is_complex()) return out.normal_(0, std, generator).add_(mean);
  const State s = reserve(generator, out);
  launch(aclnn::NormalTensorFloat, mean, std, s.seed, s.offset, out);
  return out;
}
at::Tensor normal_Tensor_float(const at::Tensor& mean, double std, OptionalGenerator generator) {
  at::Tensor out = empty(mean.sizes(), mean.scalar_type(), mean.device());
  return normal_Tensor_float_out(mean, std, std::move(generator), out);
}
at::Tensor& normal_float_Tensor_out(double mean, const at::Tensor& std, OptionalGenerator generator, at::Tensor& out) {
  check_std(std);
  shape::resize(shape::sized(std.sizes(), out.scalar_type(), out.device()), out);
  const State s = reserve(generator, out);
  launch(aclnn::NormalFloatTensor, mean, std, s.seed, s.offset, out);
  return out;
}
at::Tensor normal_float_Tensor(double mean, const at::Tensor& std, OptionalGenerator generator) {
  at::Tensor out = empty(std.sizes(), std.scalar_type(), std.device());
  return normal_float_Tensor_out(mean, std, std::move(generator), out);
}
at::Tensor& normal_Tensor_Tensor_out(const at::Tensor& mean, const at::Tensor& std, OptionalGenerator generator,
                                     at::Tensor& out) {
  check_std(std);
  shape::resize(shape::sized(at::infer_size(mean.sizes(), std.sizes()), out.scalar_type(), out.device()), out);
  if (out.is_complex()) return out.normal_(0, 1, generator).mul_(std).add_(mean);
  const State s = reserve(generator, out);
  launch(aclnn::NormalTensorTensor, mean, std, s.seed, s.offset, out);
  return out;
}
at::Tensor normal_Tensor_Tensor(const at::Tensor& mean, const at::Tensor& std, OptionalGenerator generator) {
  at::Tensor out = empty(at::infer_size(mean.sizes(), std.sizes()), mean.scalar_type(), mean.device());
  return normal_Tensor_Tensor_out(mean, std, std::move(generator), out);
}

at::Tensor& randperm_out(int64_t n, OptionalGenerator generator, at::Tensor& out) {
  TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
  TORCH_CHECK(!generator.has_value() || !generator->defined() || out.device().type() == generator->device().type(),
              "Expected a '", out.device(), "' generator device but found '", generator->device(), "'");
  shape::resize(shape::sized({n}, out.scalar_type(), out.device()), out);
  if (n == 0) return out;
  const State s = reserve(generator, out);
  launch(aclnn::Randperm, n, s.seed, s.offset, out);
  return out;
}
at::Tensor& randperm_generator_out(int64_t n, OptionalGenerator generator, at::Tensor& out) {
  return randperm_out(n, std::move(generator), out);
}

at::Tensor multinomial(const at::Tensor& self, int64_t num_samples, bool replacement, OptionalGenerator generator) {
  check_multinomial(self, num_samples, replacement);
  at::Tensor out = empty(sizes_of_samples(self, num_samples), at::kLong, self.device());
  sample_multinomial(self, num_samples, replacement, generator, out);
  return out;
}
at::Tensor& multinomial_out(const at::Tensor& self, int64_t num_samples, bool replacement, OptionalGenerator generator,
                            at::Tensor& out) {
  TORCH_CHECK(out.device() == self.device(), "multinomial arguments must have the same device");
  TORCH_CHECK(out.scalar_type() == at::kLong, "multinomial expects Long tensor out, got: ", out.scalar_type());
  check_multinomial(self, num_samples, replacement);
  shape::resize(shape::sized(sizes_of_samples(self, num_samples), at::kLong, self.device()), out);
  sample_multinomial(self, num_samples, replacement, generator, out);
  return out;
}

std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor& input, double p, std::optional<bool> train) {
  if (input.numel() == 0) return {input, at::full(input.sizes(), true, input.options().dtype(at::kBool))};
  if (!train.value_or(true)) return {input.clone(), at::full(input.sizes(), true, input.options().dtype(at::kBool))};
  at::Tensor out = torch_npu::empty_like(input), mask = torch_npu::empty_like(input, at::kBool);
  const State s = reserve(std::nullopt, input);
  launch(aclnn::NativeDropout, input, p, s.seed, s.offset, out, mask);
  return {out, mask};
}

// PyTorch's is the product of the three, whatever their types: an integral gradient gives a floating result.
at::Tensor native_dropout_backward(const at::Tensor& grad_output, const at::Tensor& mask, double scale) {
  if (!at::isFloatingType(grad_output.scalar_type()) || mask.scalar_type() != at::kBool ||
      grad_output.sizes() != mask.sizes())
    return at::mul(at::mul(grad_output, mask), scale);
  at::Tensor out = torch_npu::empty_like(grad_output);
  launch(aclnn::NativeDropoutBackward, grad_output, mask, scale, out);
  return out;
}

at::Tensor& rrelu_with_noise_out(const at::Tensor& self, at::Tensor& noise, const at::Scalar& lower,
                                 const at::Scalar& upper, bool training, OptionalGenerator generator, at::Tensor& out) {
  TORCH_CHECK(self.sym_sizes() == noise.sym_sizes(),
              "noise tensor shape must match self tensor shape. Got self.shape = ", self.sizes(),
              " noise.shape = ", noise.sizes());
  if (!training) {
    const double slope = (lower.to<double>() + upper.to<double>()) / 2;
    return at::leaky_relu_out(out, self, slope);
  }
  shape::resize(shape::sized(self.sizes(), self), out);
  const State s = reserve(generator, self);
  launch(aclnn::RReluWithNoise, self, noise, lower, upper, training, s.seed, s.offset, out);
  return out;
}
at::Tensor rrelu_with_noise(const at::Tensor& self, at::Tensor& noise, const at::Scalar& lower, const at::Scalar& upper,
                            bool training, OptionalGenerator generator) {
  at::Tensor out = torch_npu::empty_like(self);
  return rrelu_with_noise_out(self, noise, lower, upper, training, std::move(generator), out);
}
at::Tensor& rrelu_with_noise_(at::Tensor& self, at::Tensor& noise, const at::Scalar& lower, const at::Scalar& upper,
                              bool training, OptionalGenerator generator) {
  return rrelu_with_noise_out(self, noise, lower, upper, training, std::move(generator), self);
}

}  // namespace torch_npu::op
