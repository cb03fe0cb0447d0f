// Random fills, dropout, permutations and sampling. seed and offset are the caller's Philox state; the same state and
// shape give the same numbers, whatever the number of threads. Every fill takes any strides.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

Result<Launch> uniform(const TensorView& self, double from, double to, uint64_t seed, uint64_t offset);
Result<Launch> normal(const TensorView& self, double mean, double std, int64_t seed, int64_t offset);
// mean and std broadcast to out; null stands for the number beside it.
Result<Launch> normal_of(const TensorView* means, double mean, const TensorView* stds, double std, int64_t seed,
                         int64_t offset, const TensorView& out);
Result<Launch> log_normal(const TensorView& self, double mean, double std, int64_t seed, int64_t offset);
Result<Launch> exponential(const TensorView& self, double lambda, int64_t seed, int64_t offset);
Result<Launch> cauchy(const TensorView& self, double median, double sigma, int64_t seed, int64_t offset);
Result<Launch> geometric(const TensorView& self, double p, int64_t seed, int64_t offset);
Result<Launch> bernoulli(const TensorView& self, double p, int64_t seed, int64_t offset);
Result<Launch> bernoulli_of(const TensorView& self, const TensorView& p, int64_t seed, int64_t offset);

// from + a number below range; range 0 means 2^64.
Result<Launch> random_integers(const TensorView& self, int64_t from, uint64_t range, int64_t seed, int64_t offset);
// [0, the type's largest], or for floating types [0, 2^digits].
Result<Launch> random_any(const TensorView& self, int64_t seed, int64_t offset);
Result<Launch> randperm(int64_t n, int64_t seed, int64_t offset, const TensorView& out);

// mask: bool, true where kept; out = input / (1 - p) there, else 0.
Result<Launch> dropout(const TensorView& input, double p, int64_t seed, int64_t offset, const TensorView& out,
                       const TensorView& mask);
Result<Launch> dropout_backward(const TensorView& grad_output, const TensorView& mask, double scale,
                                const TensorView& out);
// out: uint8, at least a bit for each element of `shape`, 1 with probability 1 - prob.
Result<Launch> dropout_gen_mask(IntArray shape, double prob, int64_t seed, int64_t offset, const TensorView& out);
// out = self / (1 - prob) where mask is set, else 0. mask: bits as above, or a bool for each element.
Result<Launch> dropout_do_mask(const TensorView& self, const TensorView& mask, double prob, const TensorView& out);
// Not training: leaky_relu with the mean slope.
Result<Launch> rrelu_with_noise(const TensorView& self, const TensorView& noise, const Scalar& lower,
                                const Scalar& upper, bool training, int64_t seed, int64_t offset,
                                const TensorView& out);

// self: weights [n] or [rows, n]; out: int64 [samples] or [rows, samples].
Result<Launch> multinomial(const TensorView& self, int64_t num_samples, bool replacement, int64_t seed, int64_t offset,
                           const TensorView& out);
// out: one int64, 0 if multinomial can sample from self, 1 if a weight is negative, infinite or NaN, 2 if a row's sum
// is 0.
Result<Launch> multinomial_check(const TensorView& self, const TensorView& out);

// Poisson numbers at the rates self; a negative rate is an error of the running task.
Result<Launch> poisson(const TensorView& self, int64_t seed, int64_t offset, const TensorView& out);
// Binomial numbers: count trials of probability prob, which broadcast to out.
Result<Launch> binomial(const TensorView& count, const TensorView& prob, int64_t seed, int64_t offset,
                        const TensorView& out);
// Gamma numbers of shape self and scale 1, at least the type's smallest normal number.
Result<Launch> standard_gamma(const TensorView& self, int64_t seed, int64_t offset, const TensorView& out);

}  // namespace cann::ops
