// Special functions. Those that models call (erfinv, lgamma) are branch-free in float32; the others are computed in
// float64 for both types and by libm where it has them.
#include "cann/kernels/math_more.h"
#include "cann/kernels/pointwise/elements.h"
#include "cann/kernels/pointwise/special_float.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr double kPi = 3.14159265358979324;
const double kInf = __builtin_inf(), kNan = __builtin_nan("");

template <class T>
struct Lgamma {
  T operator()(T x) const {
    int sign;  // libm's plain lgamma writes a global
    if constexpr (std::is_same_v<T, float>)
      return lgamma(x);
    else
      return ::lgamma_r(x, &sign);
  }
};

// psi(x): recurrence up to 10, then the asymptotic series; reflection below 0. 0 gives -+inf, other poles NaN.
inline double digamma(double x) {
  if (x == 0) return std::copysign(kInf, -x);
  double result = 0;
  if (x < 0) {
    if (x == std::floor(x)) return kNan;
    const double fraction = x - std::trunc(x);
    result = -kPi / std::tan(kPi * fraction);
    x = 1 - x;
  }
  while (x < 10) result -= 1 / x++;
  if (x == kInf) return kInf;
  // Bernoulli numbers: B2k / 2k
  const double z = 1 / (x * x);
  const double series =
      z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
  return result + std::log(x) - 0.5 / x - series;
}
template <class T>
struct Digamma {
  T operator()(T x) const { return static_cast<T>(digamma(x)); }
};

// Hurwitz zeta sum (k + q)^-s: ten terms, then Euler and Maclaurin's tail. s == 1 gives inf, s < 1 NaN.
inline double zeta(double s, double q) {
  if (s == 1) return kInf;
  if (!(s > 1)) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return kInf;
    if (s != std::floor(s)) return kNan;
  }
  double sum = 0, a = q;
  int k = 0;
  do {
    const double term = std::pow(a, -s);
    sum += term;
    a += 1;
    if (std::fabs(term) < 1e-17 * std::fabs(sum) && a > 0) return sum;
  } while (++k < 10 || a <= 9);
  const double start = a, power = std::pow(start, -s);
  sum += power * start / (s - 1) + 0.5 * power;
  // B2j / (2j)! s (s+1) ... (s+2j-2) a^-(s+2j-1)
  static constexpr double kB[] = {1.0 / 12,
                                  -1.0 / 720,
                                  1.0 / 30240,
                                  -1.0 / 1209600,
                                  1.0 / 47900160,
                                  -691.0 / 1307674368000.0,
                                  1.0 / 74724249600.0,
                                  -3617.0 / 10670622842880000.0};
  double factor = s, scale = power / start;
  for (int j = 0; j < 8; ++j) {
    const double term = kB[j] * factor * scale;
    sum += term;
    if (std::fabs(term) < 1e-17 * std::fabs(sum)) break;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2);
    scale /= start * start;
  }
  return sum;
}
template <class T>
struct Zeta {
  T operator()(T s, T q) const { return static_cast<T>(zeta(s, q)); }
};
// psi'(x): recurrence up to 10, then the asymptotic series; reflection below 1/2. Poles give inf.
inline double trigamma(double x) {
  if (x <= 0 && x == std::floor(x)) return kInf;
  if (x < 0.5) {
    const double sine = std::sin(kPi * (x - std::rint(x)));
    return kPi * kPi / (sine * sine) - trigamma(1 - x);
  }
  double result = 0;
  for (; x < 10; x += 1) result += 1 / (x * x);
  const double y = 1 / x, z = y * y;
  const double series = z * (1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42 - z * (1.0 / 30 - z * (5.0 / 66)))));
  return result + y + z / 2 + y * series;
}
// psi^(n)(x) = (-1)^(n+1) n! zeta(n + 1, x)
template <class T>
struct Polygamma {
  double n;
  explicit Polygamma(const Params& p) : n(p.get<double>(0)) {}
  T operator()(T x) const {
    if (n == 1) return static_cast<T>(trigamma(x));
    const double value = std::exp(std::lgamma(n + 1)) * zeta(n + 1, x);
    return static_cast<T>(std::fmod(n, 2) == 0 ? -value : value);
  }
};

// Winitzki's estimate, then two steps of Halley on erf (on erfc in the tails, where erf has no bits left).
inline double erfinv(double x) {
  const double a = std::fabs(x);
  if (!(a <= 1)) return kNan;
  if (a == 1) return std::copysign(kInf, x);
  const double tail = 1 - a;
  const double l = std::log(tail * (1 + a)), t = 4.330746750799873 + l / 2;
  double y = std::sqrt(std::sqrt(t * t - l / 0.147) - t);
  for (int k = 0; k < 3; ++k) {
    const double error = a < 0.5 ? std::erf(y) - a : tail - std::erfc(y);
    const double step = error / (1.1283791670955126 * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}
template <class T>
struct Erfinv {
  T operator()(T x) const {
    if constexpr (std::is_same_v<T, float>)
      return erfinv_near(x);
    else
      return erfinv(x);
  }
};
// Quantile of the normal distribution. Lower half through erfc's own tail, so that small p keep their digits.
inline double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0) return -kInf;
  if (p == 1) return kInf;
  if (p > 0.25 && p < 0.75) return 1.4142135623730951 * erfinv(2 * p - 1);
  const double tail = p < 0.5 ? p : 1 - p;
  const double u = std::sqrt(-2 * std::log(tail));
  double y = u - (2.515517 + u * (0.802853 + u * 0.010328)) / (1 + u * (1.432788 + u * (0.189269 + u * 0.001308)));
  for (int k = 0; k < 3; ++k) {
    const double error = 0.5 * std::erfc(y * 0.70710678118654752) - tail;
    const double step = error / (0.39894228040143268 * std::exp(-0.5 * y * y));
    y += step / (1 + 0.5 * y * step);
  }
  return p < 0.5 ? -y : y;
}
template <class T>
struct Ndtri {
  T operator()(T p) const {
    if constexpr (std::is_same_v<T, float>)
      return ndtri_near(p);
    else
      return ndtri(p);
  }
};

// e^(x^2) erfc(x): direct up to 5, Laplace's continued fraction beyond.
inline double erfcx(double x) {
  if (x < 5) return std::exp(x * x) * std::erfc(x);
  double f = x;
  for (int k = 60; k >= 1; --k) f = x + 0.5 * k / f;
  return 0.56418958354775629 / f;
}
template <class T>
struct Erfcx {
  T operator()(T x) const { return static_cast<T>(erfcx(x)); }
};
template <class T>
struct LogNdtr {
  T operator()(T x) const {
    const double t = static_cast<double>(x) * 0.70710678118654752;
    return static_cast<T>(x < -1 ? std::log(erfcx(-t) / 2) - t * t : std::log1p(-std::erfc(t) / 2));
  }
};

template <class T>
struct Sinc {
  T operator()(T x) const {
    const T y = static_cast<T>(kPi) * x;
    return x == 0 ? T(1) : std::sin(y) / y;
  }
};

template <class T>
struct Logit {
  T eps;
  explicit Logit(const Params& p) : eps(p.get<T>(0)) {}
  T operator()(T x) const {
    const T high = T(1) - eps;
    const T z = eps < 0 ? x : x < eps ? eps : x > high ? high : x;
    return math::log(z / (T(1) - z));
  }
};
template <class T>
struct LogitBackward {
  T eps;
  explicit LogitBackward(const Params& p) : eps(p.get<T>(0)) {}
  T operator()(T g, T x) const {
    const T low = eps < 0 ? T(0) : eps, high = T(1) - low;
    const T outside = eps < 0 ? static_cast<T>(__builtin_nan("")) : T(0);
    return (x >= low) & (x <= high) ? g / (x * (T(1) - x)) : outside;
  }
};
template <class T>
struct Entr {
  T operator()(T x) const {
    return x != x ? x : x > 0 ? -x * math::log(x) : x == 0 ? T(0) : -static_cast<T>(__builtin_inf());
  }
};

// e^-|x| I_order(x) for order 0 and 1: the power series up to 30, Hankel's asymptotic series beyond.
inline double scaled_bessel_i(int order, double x) {
  const double a = std::fabs(x);
  double sum, term;
  if (a < 30) {
    term = order == 0 ? 1 : a / 2;
    sum = term;
    for (int k = 1; term > 1e-17 * sum; ++k) sum += term *= a * a / 4 / (static_cast<double>(k) * (k + order));
    sum *= std::exp(-a);
  } else {
    term = sum = 1;
    for (int k = 1; k < 30; ++k) {
      const double odd = 2 * k - 1;
      const double next = term * -(4.0 * order * order - odd * odd) / (8 * a * k);
      if (std::fabs(next) > std::fabs(term) || std::fabs(next) < 1e-17) break;
      sum += term = next;
    }
    sum /= std::sqrt(2 * kPi * a);
  }
  return order == 1 && x < 0 ? -sum : sum;
}
// In its type: special_float.h's for float32.
inline double scaled_bessel(int order, double x) { return scaled_bessel_i(order, x); }
inline double bessel(int order, double x) { return std::exp(std::fabs(x)) * scaled_bessel_i(order, x); }
inline float scaled_bessel(int order, float x) { return CANN_ISA::scaled_bessel(order, x); }
inline float bessel(int order, float x) { return CANN_ISA::bessel(order, x); }

template <class T>
struct I0e {
  T operator()(T x) const { return x != x ? x : scaled_bessel(0, x); }
};
template <class T>
struct I1e {
  T operator()(T x) const { return x != x ? x : scaled_bessel(1, x); }
};
template <class T>
struct I0 {
  T operator()(T x) const { return x != x ? x : bessel(0, x); }
};
template <class T>
struct I1 {
  T operator()(T x) const { return x != x ? x : bessel(1, x); }
};

// The regularised incomplete gamma functions P and Q: P's series for x < a + 1, Lentz's continued fraction for Q
// beyond.
struct Gammas {
  double lower, upper;
};
inline Gammas incomplete_gamma(double a, double x) {
  if (!(x >= 0) || !(a >= 0)) return {kNan, kNan};
  if (a == 0) return x > 0 ? Gammas{1, 0} : Gammas{kNan, kNan};
  if (x == 0) return {0, 1};
  if (a == kInf) return x == kInf ? Gammas{kNan, kNan} : Gammas{0, 1};
  if (x == kInf) return {1, 0};
  int sign;
  const double front = std::exp(a * std::log(x) - x - ::lgamma_r(a, &sign));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < 10000 && term > 1e-17 * sum; ++k) sum += term *= x / (a + k);
    const double p = front * sum;
    return {p, 1 - p};
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 10000; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    const double step = d * c;
    h *= step;
    if (std::fabs(step - 1) < 1e-16) break;
  }
  const double q = front * h;
  return {1 - q, q};
}
template <class T>
struct Igamma {
  T operator()(T a, T x) const { return static_cast<T>(incomplete_gamma(a, x).lower); }
};
template <class T>
struct Igammac {
  T operator()(T a, T x) const { return static_cast<T>(incomplete_gamma(a, x).upper); }
};

}  // namespace

void add_special(TileTable& t) {
  put<Erfinv>(t, Op::Erfinv, Floats{});
  put<Lgamma>(t, Op::Lgamma, Floats{});
  put<Digamma>(t, Op::Digamma, Floats{});
  put<Zeta>(t, Op::Zeta, Floats{});
  put<Polygamma>(t, Op::Polygamma, Floats{});
  put<Sinc>(t, Op::Sinc, Floats{});
  put<Logit>(t, Op::Logit, Floats{});
  put<LogitBackward>(t, Op::LogitBackward, Floats{});
  put<Entr>(t, Op::Entr, Floats{});
  put<Ndtri>(t, Op::Ndtri, Floats{});
  put<LogNdtr>(t, Op::LogNdtr, Floats{});
  put<Erfcx>(t, Op::Erfcx, Floats{});
  put<I0>(t, Op::I0, Floats{});
  put<I0e>(t, Op::I0e, Floats{});
  put<I1>(t, Op::I1, Floats{});
  put<I1e>(t, Op::I1e, Floats{});
  put<Igamma>(t, Op::Igamma, Floats{});
  put<Igammac>(t, Op::Igammac, Floats{});
}

}  // namespace cann::kernels::CANN_ISA
