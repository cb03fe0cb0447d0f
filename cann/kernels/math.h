// Elementary functions as branch-free polynomials that the compiler vectorises; the float64 forms are libm's.
// Each says its largest error and what it does with NaN and infinity. For kernel files only: it needs CANN_ISA.
#pragma once

#include <cmath>
#include <cstdint>

#include "cann/kernels/half.h"

namespace cann::kernels::CANN_ISA::math {

// a * b + c: rounded once where the level has the instruction, else twice (a call of libm's fma would end
// vectorisation).
static inline float mad(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
static inline double mad(double a, double b, double c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// always_inline, here and below: these are parts of a function, and GCC weighs whether to inline that one, or to unroll
// around it, as if they stood in it (without, attention's few_queries loses a seventh of its vector code).

// The polynomial c0 x^n + ... + cn, from its highest coefficient down, by Horner's rule.
template <class T, class... C>
[[gnu::always_inline]] static inline T horner(T x, T c0, C... rest) {
  T y = c0;
  ((y = mad(y, x, rest)), ...);
  return y;
}

// a - b, wrapping: what NaN and arguments out of range make of these bits is replaced at the end.
static inline int32_t minus(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
static inline int64_t minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

// e^r for |r| of at most ln 2 / 2.
[[gnu::always_inline]] static inline float exp_near(float r) {
  const float q = horner(r, 0x1.6db48p-10f, 0x1.123b92p-7f, 0x1.55545ep-5f, 0x1.55548ep-3f, 0.5f);
  return mad(q, r * r, r) + 1.0f;
}

// 2^n p for the n in the low bits of `shifted`, which is n + 1.5 * 2^23. In two factors: n reaches 128 and -150, beyond
// one float's exponents.
[[gnu::always_inline]] static inline float times_power(float p, float shifted) {
  int32_t whole = minus(bits_as<int32_t>(shifted), 0x4b400000);
  int32_t half = whole >> 1;
  return p * bits_as<float>(minus(half, -127) << 23) * bits_as<float>(minus(minus(whole, half), -127) << 23);
}

// e^x. At most 1.1 ulp (2 where the result is subnormal). NaN stays NaN, -inf gives 0, inf and x > 88.73 give inf.
static inline float exp(float x) {
  // Written so that NaN passes. What small arguments make is replaced at the end: two limits in a row would cost GCC 12
  // nine instructions in place of three.
  float t = x > 89.0f ? 89.0f : x;
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  float shifted = mad(t, 0x1.715476p+0f, 0x1.8p23f);
  float n = shifted - 0x1.8p23f;
  float r = mad(n, -0x1.62e4p-1f, t);
  r = mad(n, -0x1.7f7d1cp-20f, r);
  float y = times_power(exp_near(r), shifted);
  return x < -104.0f ? 0.0f : y;
}
static inline double exp(double x) { return std::exp(x); }

// e^x for x <= 0, of which a softmax is made: exp without what only large and tiny results need. At most 1.1 ulp; below
// e^-87 nothing, since subnormal results stall the CPU (100 cycles each). NaN stays NaN.
static inline float exp_below(float x) {
  float shifted = mad(x, 0x1.715476p+0f, 0x1.8p23f);
  float n = shifted - 0x1.8p23f;
  float r = mad(n, -0x1.7f7d1cp-20f, mad(n, -0x1.62e4p-1f, x));
  float y = exp_near(r) * bits_as<float>((bits_as<uint32_t>(shifted) << 23) + 0x3f800000u);
  return x < -87.0f ? 0.0f : y;
}
static inline double exp_below(double x) { return std::exp(x); }

// What a logarithm y of x > 0 becomes for every x: -inf of 0, NaN of a negative number; inf and NaN as they came.
[[gnu::always_inline]] static inline float log_ends(float x, float y) {
  y = x == 0.0f ? -__builtin_inff() : y;
  y = x < 0.0f ? __builtin_nanf("") : y;
  return x < __builtin_inff() ? y : x;
}

// Natural logarithm. At most 1.2 ulp. log(0) is -inf, of a negative number NaN; inf and NaN stay.
static inline float log(float x) {
  // A choice of factors, not of products: GCC 12 would take all that follows into both branches.
  float factor = x < 0x1p-126f ? 0x1p23f : 1.0f, lost = x < 0x1p-126f ? 23.0f : 0.0f;
  int32_t bits = bits_as<int32_t>(x * factor);
  int32_t exponent = minus(bits, 0x3f2aaaab) >> 23;  // the mantissa lies in [2/3, 4/3)
  float f = bits_as<float>(minus(bits, exponent << 23)) - 1.0f;
  float e = static_cast<float>(exponent) - lost;
  const float q = horner(f, 0.1437576782f, -0.153740445f, 0.1392057325f, -0.164191372f, 0.2001608172f, -0.2500760834f,
                         0.3333310593f, -0.4999994007f);
  float y = mad(q, f * f, e * 0x1.7f7d1cp-20f) + f;
  return log_ends(x, mad(e, 0x1.62e4p-1f, y));
}
static inline double log(double x) { return std::log(x); }

// e^x - 1, relative to itself: at most 2 ulp. pre: x in [-26, 89], or NaN, which stays; -0 gives 0.
static inline float expm1_inside(float x) {
  float shifted = mad(x, 0x1.715476p+0f, 0x1.8p23f);
  float n = shifted - 0x1.8p23f;
  float r = mad(n, -0x1.62e4p-1f, x);
  r = mad(n, -0x1.7f7d1cp-20f, r);
  const float q = horner(r, 1.984595722e-04f, 1.394165293e-03f, 8.333391640e-03f, 4.166634870e-02f, 1.666666635e-01f,
                         5.000000047e-01f);
  float p = mad(q, r * r, r);
  // 2^(n-1), so that n = 128 stays a float; doubled at the end.
  float scale = bits_as<float>(minus(bits_as<int32_t>(shifted), 0x4b400000 - 126) << 23);
  return 2.0f * mad(scale, p, scale - 0.5f);
}
// The same for all x: -0 stays, -inf gives -1, x > 88.73 gives inf.
static inline float expm1(float x) {
  float y = expm1_inside(x > 89.0f ? 89.0f : x);
  y = x < -26.0f ? -1.0f : y;
  return x == 0.0f ? x : y;
}
static inline double expm1(double x) { return std::expm1(x); }

// log(1 + x), relative to itself: at most 2 ulp. -1 gives -inf, below it NaN; inf, NaN and -0 stay.
// The rounding error of 1 + x is put back as a first-order correction.
static inline float log1p(float x) {
  float u = 1.0f + x;
  float lost = x - (u - 1.0f);
  float y = log(u) + (u > 0.0f && u < __builtin_inff() ? lost / u : 0.0f);
  return u == 1.0f ? x : y;
}
static inline double log1p(double x) { return std::log1p(x); }

// 1 / (1 + e^-x). At most 3 ulp; below -88.7, where the result is subnormal, 0. NaN stays NaN.
static inline float sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }
static inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// At most 3 ulp. NaN and -0 stay.
static inline float tanh(float x) {
  float a = __builtin_fabsf(x);
  float e = expm1_inside(2.0f * (a > 10.0f ? 10.0f : a));
  return __builtin_copysignf(e / (e + 2.0f), x);
}
static inline double tanh(double x) { return std::tanh(x); }

// The error function, at most 2 ulp. NaN stays NaN. An odd polynomial below 1; beyond, 1 - e^-q(|x|) with q = -log
// erfc.
static inline float erf(float x) {
  float a = __builtin_fabsf(x), z = x * x;
  // 2 x / sqrt(pi) less x, which is added exactly.
  const float p = horner(z, 7.889119511e-05f, -8.020841274e-04f, 5.189535339e-03f, -2.685444459e-02f, 1.128360018e-01f,
                         -3.761262714e-01f, 1.283791661e-01f);
  float near = mad(p, x, x);
  float t = a > 4.0f ? 4.0f : a;
  const float q = horner(t, 2.168684998e-05f, -4.413363775e-04f, 4.204561876e-03f, -2.520825675e-02f, 1.084185774e-01f,
                         6.332198931e-01f, 1.129578424e+00f, -1.880402324e-04f);
  float far = __builtin_copysignf(1.0f - exp(-q), x);
  float y = a < 1.0f ? near : far;
  return x != x ? x : y;
}
static inline double erf(double x) { return std::erf(x); }

}  // namespace cann::kernels::CANN_ISA::math
