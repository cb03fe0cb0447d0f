// Quotients that round, what they leave, and what follows from it: the greatest divisor and the least multiple. NaN and
// infinity as PyTorch's CPU kernels give them.
#include "cann/kernels/pointwise/wrapping.h"

namespace cann::kernels::CANN_ISA {
namespace {

// Division by zero traps on the CPU; here it gives 0. The most negative number by -1 wraps to itself.
template <class T>
inline T divide_integer(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return sub(T(0), a);
  }
  return b == 0 ? T(0) : static_cast<T>(a / b);
}
template <class T>
inline T modulo_integer(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == T(-1)) return 0;
  }
  return b == 0 ? T(0) : static_cast<T>(a % b);
}

template <class T>
struct DivTrunc {
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>)
      return std::trunc(a / b);
    else
      return divide_integer(a, b);
  }
};

// fmod of float32 without libm: a - trunc(a / b) b in float64 is exact while the quotient stays below 2^28 (its product
// with b has at most 52 bits). Tiles with a larger quotient go to libm.
inline constexpr double kWildQuotient = 0x1p28;
inline double fmod_near(float a, float b) {
  const double x = a, y = b;
  const double r = x - std::trunc(x / y) * y;
  const double whole = std::fabs(b) == __builtin_inff() ? x : r;  // a finite a is its own remainder by infinity
  return std::copysign(std::fabs(a) == __builtin_inff() ? r : whole, x);
}
inline double remainder_near(float a, float b) {
  const double m = fmod_near(a, b);
  return m * b < 0 ? m + b : m;
}
inline double floor_near(float a, float b) {
  const double m = fmod_near(a, b), y = b, exact = a / y;
  double q = __builtin_rint((a - m) / y);
  q = m * y < 0 ? q - 1 : q;
  q = q == 0 ? std::copysign(0.0, exact) : q;
  return b == 0 ? exact : q;
}

// near(a, b) where it is exact, else far(a, b), tile by tile.
template <double (*near)(float, float), class Far>
void quotient_tile(void* out, const void* const* in, int64_t n, const Params&) {
  float* o = static_cast<float*>(out);
  const float *a = static_cast<const float*>(in[0]), *b = static_cast<const float*>(in[1]);
  for (int64_t begin = 0; begin < n; begin += kTile) {
    const int64_t end = begin + kTile < n ? begin + kTile : n;
    int wild = 0;
    for (int64_t i = begin; i < end; ++i) {
      const double q = std::fabs(static_cast<double>(a[i]) / static_cast<double>(b[i]));
      wild |= (q >= kWildQuotient) & (q < __builtin_inf());
    }
    if (wild) {
      for (int64_t i = begin; i < end; ++i) o[i] = Far{}(a[i], b[i]);
    } else {
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) o[i] = static_cast<float>(near(a[i], b[i]));
    }
  }
}

// Python's modulo: the sign of b. Exact, since fmod is.
template <class T>
struct Remainder {
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>) {
      const T m = std::fmod(a, b);
      return m != 0 && (b < 0) != (m < 0) ? m + b : m;
    } else {
      const T m = modulo_integer(a, b);
      if constexpr (std::is_signed_v<T>)
        return m != 0 && (b < 0) != (m < 0) ? static_cast<T>(m + b) : m;
      else
        return m;
    }
  }
};
template <class T>
struct Fmod {
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>)
      return std::fmod(a, b);
    else
      return modulo_integer(a, b);
  }
};

// Python's floor division: (a - a % b) / b, snapped to the nearest integer, so that it agrees with Remainder.
template <class T>
struct DivFloor {
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>) {
      if (b == 0) return a / b;
      const T m = std::fmod(a, b);
      T q = (a - m) / b;
      if (m != 0 && (b < 0) != (m < 0)) q -= 1;
      if (q == 0) return std::copysign(T(0), a / b);
      const T floor_of_q = std::floor(q);
      return q - floor_of_q > T(0.5) ? floor_of_q + 1 : floor_of_q;
    } else {
      const T q = divide_integer(a, b);
      if constexpr (std::is_signed_v<T>) {
        const T m = modulo_integer(a, b);
        return m != 0 && (b < 0) != (m < 0) ? static_cast<T>(q - 1) : q;
      } else {
        return q;
      }
    }
  }
};

template <class T>
inline T greatest_common_divisor(T a, T b) {
  a = magnitude(a), b = magnitude(b);
  while (a != 0) {
    const T r = modulo_integer(b, a);
    b = a;
    a = r;
  }
  return b;
}
template <class T>
struct Gcd {
  T operator()(T a, T b) const { return greatest_common_divisor(a, b); }
};
template <class T>
struct Lcm {
  T operator()(T a, T b) const {
    const T g = greatest_common_divisor(a, b);
    return g == 0 ? T(0) : magnitude(mul(divide_integer(a, g), b));
  }
};

}  // namespace

void add_division(TileTable& t) {
  put<DivTrunc>(t, Op::DivTrunc, Reals{});
  put<DivFloor>(t, Op::DivFloor, Reals{});
  put<Remainder>(t, Op::Remainder, Reals{});
  put<Fmod>(t, Op::Fmod, Reals{});
  constexpr int kFloat = static_cast<int>(DType::Float32);
  t.functions[static_cast<int>(Op::DivFloor)][kFloat] = &quotient_tile<floor_near, DivFloor<float>>;
  t.functions[static_cast<int>(Op::Remainder)][kFloat] = &quotient_tile<remainder_near, Remainder<float>>;
  t.functions[static_cast<int>(Op::Fmod)][kFloat] = &quotient_tile<fmod_near, Fmod<float>>;
  put<Gcd>(t, Op::Gcd, Ints{});
  put<Lcm>(t, Op::Lcm, Ints{});
}

}  // namespace cann::kernels::CANN_ISA
