#include "cann/kernels/random/samplers.h"

#include <cmath>

namespace cann::kernels::CANN_ISA {
namespace {

// Philox4x32-10, one counter at a time: (offset / 4 + trial, element). Two uniform numbers in (0, 1) of 52 bits each.
class Trials {
 public:
  Trials(const Draw& draw, int64_t element)
      : seed_(draw.seed), count_(draw.offset / 4), element_(static_cast<uint64_t>(element)) {}

  void next(double& u, double& v) {
    uint32_t c[4] = {static_cast<uint32_t>(count_), static_cast<uint32_t>(count_ >> 32),
                     static_cast<uint32_t>(element_), static_cast<uint32_t>(element_ >> 32)};
    uint32_t k0 = static_cast<uint32_t>(seed_), k1 = static_cast<uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
      const uint64_t p0 = static_cast<uint64_t>(c[0]) * 0xD2511F53u, p1 = static_cast<uint64_t>(c[2]) * 0xCD9E8D57u;
      c[0] = static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0;
      c[2] = static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1;
      c[1] = static_cast<uint32_t>(p1);
      c[3] = static_cast<uint32_t>(p0);
    }
    ++count_;
    u = inside(c[0], c[1]);
    v = inside(c[2], c[3]);
  }

 private:
  static double inside(uint32_t high, uint32_t low) {
    const uint64_t bits = static_cast<uint64_t>(high) << 32 | low;
    return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  }
  uint64_t seed_, count_, element_;
};

// log k! less Stirling's (k + 1/2) log(k + 1) - (k + 1) + log sqrt(2 pi). At most 1e-11 off.
double stirling_rest(double k) {
  static const double exact[10] = {
      0.081061466795327258, 0.041340695955409294, 0.027677925684998339, 0.020790672103765093, 0.016644691189821193,
      0.013876128823070748, 0.011896709945891770, 0.010411265261972096, 0.009255462182712733, 0.008330563433362871};
  if (k < 10) return exact[static_cast<int>(k)];
  const double n = k + 1, square = n * n;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / n;
}

double log_factorial(double k) {
  constexpr double kLogRootTwoPi = 0.91893853320467274;
  return (k + 0.5) * std::log(k + 1) - (k + 1) + kLogRootTwoPi + stirling_rest(k);
}

// Up to where a sum of probabilities is searched; above, a hat function is drawn from and thinned.
constexpr double kFewExpected = 10;

// Hoermann, The transformed rejection method for generating Poisson random variables (1993): PTRS.
double poisson_many(Trials& trials, double rate) {
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    double u, v;
    trials.next(u, v);
    u -= 0.5;
    const double side = 0.5 - std::fabs(u), k = std::floor((2 * a / side + b) * u + rate + 0.43);
    if (side >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (side < 0.013 && v > side)) continue;
    if (std::log(v * inverse_alpha / (a / (side * side) + b)) <= k * std::log(rate) - rate - log_factorial(k)) return k;
  }
}

double poisson_one(const Draw& draw, int64_t element, double rate) {
  if (!(rate > 0)) return rate == 0 ? 0 : rate;
  if (std::isinf(rate)) return rate;
  Trials trials(draw, element);
  if (rate >= kFewExpected) return poisson_many(trials, rate);
  double u, unused, k = 0, p = std::exp(-rate), sum = p;
  trials.next(u, unused);
  while (u > sum && p > 0) {
    p *= rate / ++k;
    sum += p;
  }
  return k;
}

// Hoermann, The generation of binomial random variates (1993): BTRS. pre: p <= 1/2
double binomial_many(Trials& trials, double n, double p) {
  const double q = 1 - p, odds = p / q, spread = std::sqrt(n * p * q), mode = std::floor((n + 1) * p);
  const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p, center = n * p + 0.5;
  const double squeeze = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread;
  for (;;) {
    double u, v;
    trials.next(u, v);
    u -= 0.5;
    const double side = 0.5 - std::fabs(u), k = std::floor((2 * a / side + b) * u + center);
    if (side >= 0.07 && v <= squeeze) return k;
    if (k < 0 || k > n) continue;
    const double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                         (n + 1) * std::log((n - mode + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(odds * (n - k + 1) / (k + 1)) + stirling_rest(mode) +
                         stirling_rest(n - mode) - stirling_rest(k) - stirling_rest(n - k);
    if (std::log(v * alpha / (a / (side * side) + b)) <= bound) return k;
  }
}

double binomial_one(const Draw& draw, int64_t element, double n, double p) {
  if (std::isnan(n) || std::isnan(p)) return n + p;
  n = std::floor(n);
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  const double rarer = p > 0.5 ? 1 - p : p;
  Trials trials(draw, element);
  double k = 0;
  if (n * rarer >= kFewExpected) {
    k = binomial_many(trials, n, rarer);
  } else {
    double u, unused, each = std::exp(n * std::log1p(-rarer)), sum = each;
    trials.next(u, unused);
    while (u > sum && k < n && each > 0) {
      each *= (n - k) / (k + 1) * (rarer / (1 - rarer));
      sum += each;
      ++k;
    }
  }
  return p > 0.5 ? n - k : k;
}

// Marsaglia and Tsang, A simple method for generating gamma variables (2000); a shape below 1 by way of that plus 1.
double gamma_one(const Draw& draw, int64_t element, double alpha) {
  if (!(alpha > 0)) return alpha == 0 ? 0 : static_cast<double>(__builtin_nan(""));
  if (std::isinf(alpha)) return alpha;
  Trials trials(draw, element);
  double u, v, scale = 1;
  if (alpha < 1) {
    trials.next(u, v);
    scale = std::pow(u, 1 / alpha);
    alpha += 1;
  }
  const double d = alpha - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    trials.next(u, v);
    const double x = std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
    const double root = 1 + c * x, cube = root * root * root;
    trials.next(u, v);
    if (root > 0 && std::log(u) < 0.5 * x * x + d - d * cube + d * std::log(cube)) return d * cube * scale;
  }
}

void poisson(const Draw& draw, const double* rates, double* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) out[i] = poisson_one(draw, i, rates[i]);
}
void binomial(const Draw& draw, const double* counts, const double* probs, double* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) out[i] = binomial_one(draw, i, counts[i], probs[i]);
}
void gamma(const Draw& draw, const double* alphas, double* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) out[i] = gamma_one(draw, i, alphas[i]);
}

}  // namespace

extern const SamplerKernels sampler_table{.poisson = poisson, .binomial = binomial, .gamma = gamma};

}  // namespace cann::kernels::CANN_ISA
