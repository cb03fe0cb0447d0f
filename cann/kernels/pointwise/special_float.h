// The special functions that models call, in float32 and branch-free, so that the compiler vectorises them: lgamma,
// erfinv, ndtri, the modified Bessel functions of order 0 and 1. Polynomials are least-maximum fits of our own; bounds
// are tested in tests/ops/test_special.py. For kernel files only: it needs CANN_ISA.
#pragma once

#include <cmath>

#include "cann/kernels/math_more.h"

namespace cann::kernels::CANN_ISA {

// Natural logarithm within 1e-15, for x > 0 that is no subnormal. libm's would end vectorisation.
inline double log_wide(double x) {
  const uint64_t bits = bits_as<uint64_t>(x);
  // The exponent's bits below those of 2^52: as a number without a conversion, which only AVX-512 has.
  const double biased = bits_as<double>((bits >> 52) | 0x4330000000000000u) - 0x1p52;
  double m = bits_as<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u), e = biased - 1023;
  const bool high = m > 1.4142135623730951;
  m = high ? 0.5 * m : m;
  e = high ? e + 1 : e;
  const double s = (m - 1) / (m + 1), z = s * s;
  const double p = math::horner(z, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7,
                                1.0 / 5, 1.0 / 3, 1.0);
  return math::mad(e, 0.69314718055994531, 2 * s * p);
}

// log |Gamma(x)|: at most 2 ulp. Stirling's series from 8 on, the recurrence below, reflection for x < 0; in float64,
// since it passes through 0 at 1 and 2. Whole x <= 0 and infinities give inf, NaN stays.
inline float lgamma(float x) {
  const double a = std::fabs(static_cast<double>(x));
  const bool small = a < 8;
  const double product = small ? a * (a + 1) * (a + 2) * (a + 3) * (a + 4) * (a + 5) * (a + 6) * (a + 7) : 1.0;
  const double y = small ? a + 8 : a, inverse = 1 / y, z = inverse * inverse;
  const double series = math::horner(z, -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12);
  const double above = (y - 0.5) * log_wide(y) - y + 0.91893853320467274 + series * inverse -
                       log_wide(product < 1e-300 ? 1e-300 : product);
  // pi / (a |sin(pi a)|): the sine of the distance to the nearest whole number.
  const double off = a - std::rint(a), angle = 3.14159265358979324 * off, w = angle * angle;
  const double sine = math::horner(w, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                                   -1.0 / 5040, 1.0 / 120, -1.0 / 6);
  const double distance = std::fabs(math::mad(sine * w, angle, angle));
  const double below = log_wide(3.14159265358979324 / (a * (distance < 1e-60 ? 1.0 : distance))) - above;
  // Selects on floats, one condition each: GCC 12 gives up a loop in which conditions of several types are combined.
  const float inf = __builtin_inff(), fraction = static_cast<float>(off), positive = static_cast<float>(above);
  const float negative = fraction == 0.0f ? inf : static_cast<float>(below);
  float result = x > 0.0f ? positive : negative;
  result = x == 1.0f ? 0.0f : result;
  result = x == 2.0f ? 0.0f : result;
  result = std::fabs(x) == inf ? inf : result;
  return x != x ? x : result;
}

// At most 5 ulp: x p(w), w = -log(1 - x^2), with one polynomial in w below 5 and another in its root beyond. +-1 gives
// +-inf, beyond it NaN.
inline float erfinv_share(float w) {
  const float t = w - 2.5f, s = std::sqrt(w) - 3.0f;
  const float p = math::horner(t, 2.18977938e-08f, 3.33534655e-07f, -3.45616639e-06f, -4.29478475e-06f, 0.000218365602f,
                               -0.00125399019f, -0.00417748171f, 0.246640913f, 1.50140939f);
  const float q = math::horner(s, -0.00013840317f, 7.75987941e-05f, 0.00124953108f, -0.00364919066f, 0.00579047784f,
                               -0.0076284292f, 0.00943055841f, 1.0016743f, 2.83297712f);
  return w < 5.0f ? p : q;
}
inline float erfinv_near(float x) {
  const float a = std::fabs(x), y = x * erfinv_share(-math::log((1.0f - a) * (1.0f + a)));
  return a == 1.0f ? std::copysign(__builtin_inff(), x) : y;
}

// In float32, at most 6 ulp: erfinv's polynomials in w = -log(4 p (1 - p)), which small p give whole, and one more for
// the ends.
inline float ndtri_near(float p) {
  const float x = 2.0f * p - 1.0f, w = -math::log(4.0f * p * (1.0f - p)), root = std::sqrt(w), s = root - 7.0f;
  const float q = math::horner(s, -9.73206093e-08f, 5.48833804e-07f, -1.21154574e-06f, 4.49210971e-06f, 4.79291904e-06f,
                               -0.000509525086f, 1.00859722f, 6.86901872f);
  const float share = w < 16.0f ? erfinv_share(w) : q;
  float y = 1.41421356f * x * share;
  y = p == 0.0f ? -__builtin_inff() : y;
  return p == 1.0f ? __builtin_inff() : y;
}

// e^-|x| I0(x) below 8, and times the root of |x| beyond: both within 4e-10.
inline double bessel_i0_near(double a) {
  const double t = 0.25 * a - 1;
  return math::horner(t, -0.0001189579304685, 0.000342185950822, -0.0002846940043246, 0.0004409199230386,
                      -0.001894298662067, 0.00411774422764, -0.006766327375753, 0.01160454234265, -0.01967508572218,
                      0.03033193883873, -0.04299494815208, 0.05673682531337, -0.06953823695401, 0.07928120308301,
                      -0.08496381837937, 0.0873429684567, -0.08904341440736, 0.09451564144825, -0.1130043273483,
                      0.2070019211631);
}
inline double bessel_i0_far(double a) {
  const double t = 16 / a - 1;
  return math::horner(t, -3.530021254104e-11, 3.18536293113e-08, 1.087501353507e-07, 3.06921487983e-07,
                      1.476071280049e-06, 1.114002237463e-05, 0.0001362171733027, 0.00336055221559, 0.4021765094189);
}

// e^-|x| I1(x) / |x| below 8, and times the root of |x| beyond: both within 4e-10.
inline double bessel_i1_near(double a) {
  const double t = 0.25 * a - 1;
  return math::horner(t, -1.338265788429e-05, 4.562043672635e-05, -5.938698398191e-05, 0.0001018782845923,
                      -0.0003327829442834, 0.0007973200464621, -0.001554395329513, 0.002970705520766,
                      -0.005522437857435, 0.009597997131551, -0.01557642894433, 0.02368268570934, -0.03367015748074,
                      0.04467501272896, -0.05528018526326, 0.06376737528316, -0.06848259829778, 0.06805760053637,
                      -0.06112433812515, 0.04468770986558);
}
inline double bessel_i1_far(double a) {
  const double t = 16 / a - 1;
  return math::horner(t, -6.146555346426e-10, -3.605542582938e-08, -1.214975302205e-07, -3.579362627138e-07,
                      -1.826466914874e-06, -1.503551620564e-05, -0.0002192369688602, -0.009749577426231,
                      0.3893984590547);
}
// The same in float32, branch-free: at most 2 ulp, +-inf gives 0.
inline float scaled_bessel(int order, float x) {
  const float size = __builtin_fabsf(x), inf = __builtin_inff();
  const double a = size, small = size < 8.0f ? a : 8.0, large = size < 8.0f ? 8.0 : a;
  const double near = order == 0 ? bessel_i0_near(small) : bessel_i1_near(small) * small;
  const double far = (order == 0 ? bessel_i0_far(large) : bessel_i1_far(large)) / __builtin_sqrt(large);
  float y = static_cast<float>(size < 8.0f ? near : far);
  y = size == inf ? 0.0f : y;
  return order == 1 ? __builtin_copysignf(y, x) : y;
}
// Without the scale: at most 4 ulp. e^|x| in two factors: alone it would overflow before the result does.
inline float bessel(int order, float x) {
  const float size = __builtin_fabsf(x), root = math::exp(0.5f * (size < 100.0f ? size : 100.0f));
  return scaled_bessel(order, size < 100.0f ? x : __builtin_copysignf(100.0f, x)) * root * root;
}

}  // namespace cann::kernels::CANN_ISA
