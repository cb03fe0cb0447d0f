// Sums, products, quotients, extremes, and their relatives. Integers wrap. NaN and infinity as PyTorch's CPU kernels
// give them.
#include "cann/kernels/half.h"
#include "cann/kernels/pointwise/elements.h"

namespace cann::kernels::CANN_ISA {
namespace {

// Integers compute in an unsigned type of at least 32 bits, where overflow is defined.
template <class T>
inline auto wide(T x) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return static_cast<uint64_t>(x);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<uint32_t>(x);
  else
    return x;
}
template <class T>
inline T add(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a | b;
  else
    return static_cast<T>(wide(a) + wide(b));
}
template <class T>
inline T sub(T a, T b) {
  return static_cast<T>(wide(a) - wide(b));
}
template <class T>
inline T mul(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a & b;
  else
    return static_cast<T>(wide(a) * wide(b));
}
template <class T>
inline bool is_nan(T x) {
  if constexpr (kIsFloat<T>)
    return x != x;
  else
    return false;
}

template <class T>
struct Add {
  T operator()(T a, T b) const { return add(a, b); }
};
template <class T>
struct Sub {
  T operator()(T a, T b) const { return sub(a, b); }
};
template <class T>
struct Mul {
  T operator()(T a, T b) const { return mul(a, b); }
};
template <class T>
struct Div {
  T operator()(T a, T b) const { return a / b; }
};

template <class T>
struct AddAlpha {
  T alpha;
  explicit AddAlpha(const Params& p) : alpha(p.get<T>(0)) {}
  T operator()(T a, T b) const { return add(a, mul(alpha, b)); }
};
template <class T>
struct SubAlpha {
  T alpha;
  explicit SubAlpha(const Params& p) : alpha(p.get<T>(0)) {}
  T operator()(T a, T b) const { return sub(a, mul(alpha, b)); }
};
template <class T>
struct AddRelu {
  T alpha;
  explicit AddRelu(const Params& p) : alpha(p.get<T>(0)) {}
  T operator()(T a, T b) const {
    const T sum = add(a, mul(alpha, b));
    return sum < T(0) ? T(0) : sum;
  }
};

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
struct Neg {
  T operator()(T a) const {
    if constexpr (std::is_integral_v<T>)
      return sub(T(0), a);
    else
      return -a;
  }
};
template <class T>
struct Square {
  T operator()(T a) const { return mul(a, a); }
};
template <class T>
struct Cube {
  T operator()(T a) const { return mul(mul(a, a), a); }
};
template <class T>
struct Reciprocal {
  T operator()(T a) const { return T{1} / a; }
};
template <class T>
struct Sqrt {
  T operator()(T a) const { return std::sqrt(a); }
};
template <class T>
struct Rsqrt {
  T operator()(T a) const { return T(1) / std::sqrt(a); }
};

template <class T>
struct Abs {
  T operator()(T a) const {
    if constexpr (kIsFloat<T>)
      return std::fabs(a);
    else if constexpr (std::is_signed_v<T>)
      return a < 0 ? sub(T(0), a) : a;
    else
      return a;
  }
};
template <class T>
struct Sign {
  T operator()(T a) const {
    if constexpr (kIsFloat<T>)
      return static_cast<T>(a > 0) - static_cast<T>(a < 0);
    else if constexpr (std::is_signed_v<T>)
      return static_cast<T>((a > 0) - (a < 0));
    else
      return a != 0;
  }
};

// One condition to a select: GCC 12 gives up loops that combine several.
template <class T>
inline T keep_nan(T nan, T other) {
  return is_nan(nan) ? nan : other;
}
template <class T>
struct Maximum {
  T operator()(T a, T b) const { return keep_nan(a, a > b ? a : b); }
};
template <class T>
struct Minimum {
  T operator()(T a, T b) const { return keep_nan(a, a < b ? a : b); }
};
template <class T>
struct Fmax {
  T operator()(T a, T b) const {
    const T m = a > b ? a : b;
    return is_nan(b) ? a : m;
  }
};
template <class T>
struct Fmin {
  T operator()(T a, T b) const {
    const T m = a < b ? a : b;
    return is_nan(b) ? a : m;
  }
};
// Operands: value, lower, upper bound. Where the bounds cross, the upper one wins; NaN anywhere gives NaN.
template <class T>
struct Clamp {
  T operator()(T x, T low, T high) const { return Minimum<T>{}(Maximum<T>{}(x, low), high); }
};

template <class T>
struct Addcmul {
  T value;
  explicit Addcmul(const Params& p) : value(p.get<T>(0)) {}
  T operator()(T x, T a, T b) const { return add(x, mul(mul(value, a), b)); }
};
template <class T>
struct Addcdiv {
  T value;
  explicit Addcdiv(const Params& p) : value(p.get<T>(0)) {}
  T operator()(T x, T a, T b) const { return x + value * a / b; }
};

template <class T>
struct AddcmulTensor {
  T operator()(T x, T a, T b, T value) const { return add(x, mul(mul(value, a), b)); }
};
template <class T>
struct AddcdivTensor {
  T operator()(T x, T a, T b, T value) const { return x + value * a / b; }
};

template <class T>
inline bool is_small(T weight) {
  if constexpr (kIsComplex<T>)
    return weight.re * weight.re + weight.im * weight.im < decltype(T{}.re)(0.25);
  else
    return std::fabs(weight) < T(0.5);
}
// From whichever end is nearer, so that weight 1 gives b exactly.
template <class T>
struct Lerp {
  T operator()(T a, T b, T weight) const {
    const T d = b - a;
    return is_small(weight) ? a + weight * d : b - d * (T{1} - weight);
  }
};

template <class T>
inline T greatest_common_divisor(T a, T b) {
  a = Abs<T>{}(a), b = Abs<T>{}(b);
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
    return g == 0 ? T(0) : Abs<T>{}(mul(divide_integer(a, g), b));
  }
};

template <class T>
struct Heaviside {
  T operator()(T a, T at_zero) const { return a == T(0) ? at_zero : static_cast<T>(a > T(0)); }
};
template <class T>
struct Copysign {
  T operator()(T a, T b) const { return std::copysign(a, b); }
};
template <class T>
struct Nextafter {
  // Floats in order of size are integers in order: one step up or down.
  T operator()(T a, T b) const {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const T least = with_sign_of(bits_as<T>(Bits{1}), b);
    const bool away = (a < b) == (a > 0);
    const T stepped = bits_as<T>(bits_as<Bits>(a) + (away ? Bits{1} : ~Bits{0}));
    const T moved = a == 0 ? least : stepped, result = a == b ? b : moved;
    return (a != a) | (b != b) ? a + b : result;
  }
  static float with_sign_of(float x, float sign) { return __builtin_copysignf(x, sign); }
  static double with_sign_of(double x, double sign) { return __builtin_copysign(x, sign); }
};

// float32 squares in float64, where they neither overflow nor lose bits; float64 leaves it to libm.
template <class T>
struct Hypot {
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, float>) {
      const double x = a, y = b;
      const float inf = __builtin_inff();
      const bool any_inf = std::fabs(a) == inf || std::fabs(b) == inf;
      return any_inf ? inf : static_cast<float>(std::sqrt(x * x + y * y));
    } else {
      return std::hypot(a, b);
    }
  }
};

}  // namespace

void add_arithmetic(TileTable& t) {
  put<Add>(t, Op::Add, All{});
  put<AddAlpha>(t, Op::AddAlpha, All{});
  put<Sub>(t, Op::Sub, Numbers{});
  put<SubAlpha>(t, Op::SubAlpha, Numbers{});
  put<AddRelu>(t, Op::AddRelu, Reals{});
  put<Mul>(t, Op::Mul, All{});
  put<Div>(t, Op::Div, FloatsAndComplexes{});
  put<DivTrunc>(t, Op::DivTrunc, Reals{});
  put<DivFloor>(t, Op::DivFloor, Reals{});
  put<Remainder>(t, Op::Remainder, Reals{});
  put<Fmod>(t, Op::Fmod, Reals{});
  constexpr int kFloat = static_cast<int>(DType::Float32);
  t.functions[static_cast<int>(Op::DivFloor)][kFloat] = &quotient_tile<floor_near, DivFloor<float>>;
  t.functions[static_cast<int>(Op::Remainder)][kFloat] = &quotient_tile<remainder_near, Remainder<float>>;
  t.functions[static_cast<int>(Op::Fmod)][kFloat] = &quotient_tile<fmod_near, Fmod<float>>;
  put<Neg>(t, Op::Neg, Numbers{});
  put<Abs>(t, Op::Abs, RealsAndBool{});
  put<Sign>(t, Op::Sign, RealsAndBool{});
  put<Square>(t, Op::Square, Numbers{});
  put<Cube>(t, Op::Cube, Numbers{});
  put<Reciprocal>(t, Op::Reciprocal, FloatsAndComplexes{});
  put<Sqrt>(t, Op::Sqrt, Floats{});
  put<Rsqrt>(t, Op::Rsqrt, Floats{});
  put<Maximum>(t, Op::Maximum, RealsAndBool{});
  put<Minimum>(t, Op::Minimum, RealsAndBool{});
  put<Fmax>(t, Op::Fmax, RealsAndBool{});
  put<Fmin>(t, Op::Fmin, RealsAndBool{});
  put<Clamp>(t, Op::Clamp, RealsAndBool{});
  put<Addcmul>(t, Op::Addcmul, Numbers{});
  put<Addcdiv>(t, Op::Addcdiv, FloatsAndComplexes{});
  put<AddcmulTensor>(t, Op::AddcmulTensor, Numbers{});
  put<AddcdivTensor>(t, Op::AddcdivTensor, FloatsAndComplexes{});
  put<Lerp>(t, Op::Lerp, FloatsAndComplexes{});
  put<Gcd>(t, Op::Gcd, Ints{});
  put<Lcm>(t, Op::Lcm, Ints{});
  put<Heaviside>(t, Op::Heaviside, RealsAndBool{});
  put<Copysign>(t, Op::Copysign, Floats{});
  put<Nextafter>(t, Op::Nextafter, Floats{});
  put<Hypot>(t, Op::Hypot, Floats{});
}

}  // namespace cann::kernels::CANN_ISA
