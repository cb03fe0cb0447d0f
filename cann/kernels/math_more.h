// The elementary functions that fewer kernels need: bases two and ten, powers, trigonometric, hyperbolic and their
// inverses, erfc. float32 as branch-free polynomials (math.h), float64 through libm. Bounds are tested in
// tests/kernels/math_test.cpp.
#pragma once

#include "cann/kernels/math.h"

namespace cann::kernels::CANN_ISA::math {

static inline float abs(float x) { return __builtin_fabsf(x); }
static inline float with_sign(float magnitude, float sign) { return __builtin_copysignf(magnitude, sign); }

// 2^x: at most 2 ulp, whole x exact. The fraction goes through e^(f ln 2).
static inline float exp2(float x) {
  float t = x > 129.0f ? 129.0f : x;
  t = t < -151.0f ? -151.0f : t;
  float shifted = t + 0x1.8p23f;
  float r = (t - (shifted - 0x1.8p23f)) * 0x1.62e43p-1f;
  return times_power(exp_near(r), shifted);
}
static inline double exp2(double x) { return std::exp2(x); }

// x = 2^exponent * mantissa with the mantissa in [sqrt(1/2), sqrt(2)); log2 of it through atanh's series in float64:
// 1e-13. pre: x > 0, finite.
static inline double log2_wide(float x) {
  bool subnormal = x < 0x1p-126f;
  float scaled = subnormal ? x * 0x1p23f : x;
  int32_t bits = bits_as<int32_t>(scaled);
  int32_t exponent = minus(bits, 0x3f3504f3) >> 23;
  float m = bits_as<float>(minus(bits, exponent << 23));
  double s = (static_cast<double>(m) - 1.0) / (static_cast<double>(m) + 1.0), z = s * s;
  const double p = horner(z, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0);
  return mad(p * s, 2.8853900817779268, static_cast<double>(exponent - (subnormal ? 23 : 0)));
}

// At most 1 ulp; powers of two exact. Special values as log's.
static inline float log2(float x) { return log_ends(x, static_cast<float>(log2_wide(x))); }
static inline double log2(double x) { return std::log2(x); }
static inline float log10(float x) { return log_ends(x, static_cast<float>(log2_wide(x) * 0.30102999566398120)); }
static inline double log10(double x) { return std::log10(x); }

// x^y, at most 1 ulp: 2^(y log2|x|) in float64, then the sign and C's special cases (0, inf, NaN, 1^y, x^0).
static inline float pow(float x, float y) {
  const float inf = __builtin_inff(), a = abs(x);
  double e = static_cast<double>(y) * log2_wide(a);
  e = e > 200.0 ? 200.0 : e;
  e = e < -200.0 ? -200.0 : e;
  double shifted = e + 0x1.8p52;
  double r = (e - (shifted - 0x1.8p52)) * 0.69314718055994531;
  const double p =
      horner(r, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0);
  int64_t whole = minus(bits_as<int64_t>(shifted), bits_as<int64_t>(0x1.8p52));
  float result = static_cast<float>(p * bits_as<double>((whole + 1023) << 52));
  // Selects on floats, one condition each: GCC 12 gives up a loop in which conditions of several types are combined.
  const float nan = __builtin_nanf(""), y_half = 0.5f * y, y_abs = abs(y);
  const float when_zero = y < 0.0f ? inf : 0.0f, when_inf = y < 0.0f ? 0.0f : inf;
  result = a == 0.0f ? when_zero : result;
  result = a == inf ? when_inf : result;
  const float big = a > 1.0f ? inf : 0.0f, small = a > 1.0f ? 0.0f : inf;
  const float edge = a == 1.0f ? 1.0f : y > 0.0f ? big : small;
  result = y_abs == inf ? edge : result;
  // An infinite y counts as whole and even.
  const float parity = __builtin_rintf(y_half) == y_half ? 1.0f : -1.0f;
  const float fractional = a == inf ? result : nan;
  const float signed_result = __builtin_rintf(y) == y ? parity * result : x < 0.0f ? fractional : result;
  result = with_sign(1.0f, x) < 0.0f ? signed_result : result;
  result = x != x ? x : result;
  result = y != y ? y : result;
  result = x == 1.0f ? 1.0f : result;
  return y == 0.0f ? 1.0f : result;
}
static inline double pow(double x, double y) { return std::pow(x, y); }

// An angle less its nearest multiple of pi/2, in [-pi/4, pi/4], and that multiple. Good while |x| < kWildAngle.
inline constexpr float kWildAngle = 1e6f;
struct Reduced {
  float angle;
  int32_t quadrant;
};
static inline Reduced reduce_angle(float x) {
  double wide = x;
  double shifted = mad(wide, 0.63661977236758134, 0x1.8p52);
  double n = shifted - 0x1.8p52;
  // pi/2 with its last 20 bits clear, so that n times it is exact, and the rest.
  double r = mad(n, -1.57079632673412561417, wide);
  r = mad(n, -6.07710050650619224932e-11, r);
  return {static_cast<float>(r), static_cast<int32_t>(bits_as<int64_t>(shifted))};
}
static inline float sin_near(float r) {
  float z = r * r;
  const float p = horner(z, 2.717564410e-06f, -1.983925663e-04f, 8.333329144e-03f, -1.666666664e-01f);
  return mad(p * z, r, r);
}
static inline float cos_near(float r) {
  float z = r * r;
  const float p = horner(z, -2.720330266e-07f, 2.479943640e-05f, -1.388888344e-03f, 4.166666662e-02f);
  return mad(p, z * z, mad(z, -0.5f, 1.0f));
}
// sin, cos, tan: at most 2, 2 and 4 ulp for |x| < kWildAngle (callers send larger angles to libm). inf gives NaN.
static inline float sin(float x) {
  Reduced a = reduce_angle(x);
  float y = a.quadrant & 1 ? cos_near(a.angle) : sin_near(a.angle);
  y = a.quadrant & 2 ? -y : y;
  return x == 0.0f ? x : y;
}
static inline float cos(float x) {
  Reduced a = reduce_angle(x);
  float y = a.quadrant & 1 ? sin_near(a.angle) : cos_near(a.angle);
  return (a.quadrant + 1) & 2 ? -y : y;
}
static inline float tan(float x) {
  Reduced a = reduce_angle(x);
  float s = sin_near(a.angle), c = cos_near(a.angle);
  bool odd = a.quadrant & 1;
  float y = (odd ? -c : s) / (odd ? s : c);
  return x == 0.0f ? x : y;
}
static inline double sin(double x) { return std::sin(x); }
static inline double cos(double x) { return std::cos(x); }
static inline double tan(double x) { return std::tan(x); }

// asin of z in [0, 1/2] given its square.
static inline float asin_near(float x, float z) {
  const float p = horner(z, 3.756518843e-02f, 1.440261494e-02f, 3.181760933e-02f, 4.451572049e-02f, 7.500510917e-02f,
                         1.666665987e-01f);
  return mad(p * z, x, x);
}
// At most 3 ulp; outside [-1, 1] NaN. Beyond 1/2 through the half angle.
static inline float asin(float x) {
  float a = abs(x);
  bool far = a > 0.5f;
  float z = far ? 0.5f - 0.5f * a : a * a;
  float s = far ? __builtin_sqrtf(z) : a;
  float y = asin_near(s, z);
  return with_sign(far ? 1.57079637f - 2.0f * y : y, x);
}
static inline float acos(float x) {
  float a = abs(x);
  bool far = a > 0.5f;
  float z = far ? 0.5f - 0.5f * a : a * a;
  float s = far ? __builtin_sqrtf(z) : x;
  float y = asin_near(s, z);
  float end = x > 0.0f ? 2.0f * y : 3.14159274f - 2.0f * y;
  return far ? end : 1.57079637f - (y - -4.37113883e-08f);
}
static inline double asin(double x) { return std::asin(x); }
static inline double acos(double x) { return std::acos(x); }

// atan of t in [0, 1], at most 1 ulp.
static inline float atan_unit(float t) {
  float z = t * t;
  const float p = horner(z, -7.112931419e-04f, 4.999252435e-03f, -1.647130350e-02f, 3.470445164e-02f, -5.470431539e-02f,
                         7.269375134e-02f, -8.988788978e-02f, 1.109520180e-01f, -1.428425079e-01f, 1.999993219e-01f,
                         -3.333333224e-01f);
  return mad(p * z, t, t);
}
// At most 2 ulp.
static inline float atan(float x) {
  float a = abs(x);
  float t = atan_unit(a > 1.0f ? 1.0f / a : a);
  float y = a > 1.0f ? 1.57079637f - (t - -4.37113883e-08f) : t;
  return with_sign(y, x);
}
// At most 3 ulp; signed zeros and infinities as C's.
static inline float atan2(float y, float x) {
  float ay = abs(y), ax = abs(x);
  float high = ay > ax ? ay : ax, low = ay > ax ? ax : ay;
  float t = low / high;
  t = high == 0.0f ? 0.0f : t;
  t = low == __builtin_inff() ? 1.0f : t;
  float r = atan_unit(t);
  r = ay > ax ? 1.57079637f - (r - -4.37113883e-08f) : r;
  r = bits_as<int32_t>(x) < 0 ? 3.14159274f - (r - -8.74227766e-08f) : r;
  r = x != x || y != y ? x + y : r;
  return with_sign(r, y);
}
static inline double atan(double x) { return std::atan(x); }
static inline double atan2(double y, double x) { return std::atan2(y, x); }

// At most 3 ulp. Beyond 88 e^|x| would overflow before its half does: e^(|x|/2) is squared.
static inline float sinh(float x) {
  float a = abs(x);
  float e = expm1(a);
  float half = exp(0.5f * a);
  float y = a > 88.0f ? 0.5f * half * half : 0.5f * (e + e / (e + 1.0f));
  return with_sign(y, x);
}
static inline float cosh(float x) {
  float a = abs(x);
  float e = exp(a);
  float half = exp(0.5f * a);
  return a > 88.0f ? 0.5f * half * half : mad(0.5f, e, 0.5f / e);
}
static inline double sinh(double x) { return std::sinh(x); }
static inline double cosh(double x) { return std::cosh(x); }

// At most 4 ulp. Beyond 2^60 the square would overflow and the 1 no longer counts: log(2|x|).
static inline float asinh(float x) {
  float a = abs(x), square = a * a;
  float near = log1p(a + square / (1.0f + __builtin_sqrtf(1.0f + square)));
  float y = a > 0x1p60f ? log(a) + 0x1.62e43p-1f : near;
  return with_sign(y, x);
}
static inline float acosh(float x) {
  float t = x - 1.0f;
  float near = log1p(t + __builtin_sqrtf(mad(t, t, 2.0f * t)));
  float y = x > 0x1p60f ? log(x) + 0x1.62e43p-1f : near;
  return x < 1.0f ? __builtin_nanf("") : y;
}
static inline float atanh(float x) {
  float a = abs(x);
  return with_sign(0.5f * log1p(2.0f * a / (1.0f - a)), x);
}
static inline double asinh(double x) { return std::asinh(x); }
static inline double acosh(double x) { return std::acosh(x); }
static inline double atanh(double x) { return std::atanh(x); }

// 1 - erf(x), relative to itself: at most 2 ulp, subnormal results included. e^-x^2 t P(t), t = 1 / (1 + |x| / 2), in
// float64.
static inline float erfc(float x) {
  double a = abs(x);
  a = a > 10.5 ? 10.5 : a;
  double t = 1.0 / (1.0 + 0.5 * a);
  const double p = horner(t, -0.013958405891667152, 0.14294463859649345, -0.64829707719790608, 1.7051954030668628,
                          -2.8463102489017014, 3.0897750029985103, -2.1747838198259326, 1.0566566457054651,
                          -0.47231718330190914, 0.10994566233513436, 0.060874180900094124, 0.17954112672508293,
                          0.2465276705191102, 0.28211205344025642, 0.28209435083628492);
  // e^-a^2 = 2^n e^r in float64
  double e = -a * a * 1.4426950408889634;
  double shifted = e + 0x1.8p52;
  double r = (e - (shifted - 0x1.8p52)) * 0.69314718055994531;
  const double q = horner(r, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0);
  int64_t whole = minus(bits_as<int64_t>(shifted), bits_as<int64_t>(0x1.8p52));
  double y = p * t * q * bits_as<double>((whole + 1023) << 52);
  float result = static_cast<float>(x < 0.0f ? 2.0 - y : y);
  return x != x ? x : result;
}
static inline double erfc(double x) { return std::erfc(x); }

}  // namespace cann::kernels::CANN_ISA::math
