// Sums, products, true quotients, extremes, and their relatives. Integers wrap. NaN and infinity as PyTorch's CPU
// kernels give them.
#include "cann/kernels/half.h"
#include "cann/kernels/pointwise/wrapping.h"

namespace cann::kernels::CANN_ISA {
namespace {

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
  T operator()(T a) const { return magnitude(a); }
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
  put<Heaviside>(t, Op::Heaviside, RealsAndBool{});
  put<Copysign>(t, Op::Copysign, Floats{});
  put<Nextafter>(t, Op::Nextafter, Floats{});
  put<Hypot>(t, Op::Hypot, Floats{});
}

}  // namespace cann::kernels::CANN_ISA
