// Exponentials, logarithms, powers, trigonometric and hyperbolic functions, erf: tile functions over math.h's forms.
#include "cann/kernels/math_more.h"
#include "cann/kernels/pointwise/elements.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
struct Exp {
  T operator()(T x) const { return math::exp(x); }
};
template <class T>
struct Exp2 {
  T operator()(T x) const { return math::exp2(x); }
};
template <class T>
struct Expm1 {
  T operator()(T x) const { return math::expm1(x); }
};
template <class T>
struct Log {
  T operator()(T x) const { return math::log(x); }
};
template <class T>
struct Log2 {
  T operator()(T x) const { return math::log2(x); }
};
template <class T>
struct Log10 {
  T operator()(T x) const { return math::log10(x); }
};
template <class T>
struct Log1p {
  T operator()(T x) const { return math::log1p(x); }
};
template <class T>
struct Sigmoid {
  T operator()(T x) const { return math::sigmoid(x); }
};
template <class T>
struct Tanh {
  T operator()(T x) const { return math::tanh(x); }
};
template <class T>
struct Sin {
  T operator()(T x) const { return math::sin(x); }
};
template <class T>
struct Cos {
  T operator()(T x) const { return math::cos(x); }
};
template <class T>
struct Tan {
  T operator()(T x) const { return math::tan(x); }
};
template <class T>
struct Asin {
  T operator()(T x) const { return math::asin(x); }
};
template <class T>
struct Acos {
  T operator()(T x) const { return math::acos(x); }
};
template <class T>
struct Atan {
  T operator()(T x) const { return math::atan(x); }
};
template <class T>
struct Sinh {
  T operator()(T x) const { return math::sinh(x); }
};
template <class T>
struct Cosh {
  T operator()(T x) const { return math::cosh(x); }
};
template <class T>
struct Asinh {
  T operator()(T x) const { return math::asinh(x); }
};
template <class T>
struct Acosh {
  T operator()(T x) const { return math::acosh(x); }
};
template <class T>
struct Atanh {
  T operator()(T x) const { return math::atanh(x); }
};
template <class T>
struct Erf {
  T operator()(T x) const { return math::erf(x); }
};
template <class T>
struct Erfc {
  T operator()(T x) const { return math::erfc(x); }
};
template <class T>
struct Atan2 {
  T operator()(T y, T x) const { return math::atan2(y, x); }
};
template <class T>
struct Pow {
  T operator()(T x, T y) const { return math::pow(x, y); }
};

// log(e^a + e^b) = max + log1p(e^-|a - b|); equal infinities and NaN are their own sum.
template <class T>
struct Logaddexp {
  T operator()(T a, T b) const {
    const T high = a > b ? a : b, d = std::fabs(a - b);
    const T y = high + math::log1p(math::exp(-d));
    return (a == b) & (std::fabs(a) == static_cast<T>(__builtin_inf())) ? a : a != a || b != b ? a + b : y;
  }
};
template <class T>
struct Logaddexp2 {
  T operator()(T a, T b) const {
    const T high = a > b ? a : b, d = std::fabs(a - b);
    const T y = high + math::log1p(math::exp2(-d)) * static_cast<T>(1.4426950408889634);
    return (a == b) & (std::fabs(a) == static_cast<T>(__builtin_inf())) ? a : a != a || b != b ? a + b : y;
  }
};

// x log(y), 0 where x is 0, NaN where y is.
template <class T>
struct Xlogy {
  T operator()(T x, T y) const { return y != y ? y : x == 0 ? T(0) : x * math::log(y); }
};
template <class T>
struct Xlog1py {
  T operator()(T x, T y) const { return y != y ? y : x == 0 ? T(0) : x * math::log1p(y); }
};

// A tile with an angle that the fast reduction cannot take goes to libm whole.
template <template <class> class Fast, float (*libm)(float)>
void angle_tile(void* out, const void* const* in, int64_t n, const Params& params) {
  float* o = static_cast<float*>(out);
  const float* a = static_cast<const float*>(in[0]);
  for (int64_t begin = 0; begin < n; begin += kTile) {
    const int64_t count = n - begin < kTile ? n - begin : kTile;
    int wild = 0;
    for (int64_t i = 0; i < count; ++i) wild |= std::fabs(a[begin + i]) >= math::kWildAngle;
    if (wild) {
      for (int64_t i = 0; i < count; ++i) o[begin + i] = libm(a[begin + i]);
    } else {
      const void* piece = a + begin;
      tile<Fast<float>>(o + begin, &piece, count, params);
    }
  }
}

// Integers by squaring; a negative exponent gives 0 but for bases 1 and -1.
template <class T>
struct PowInteger {
  T operator()(T base, T exponent) const {
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) return base == 1 ? T(1) : base == T(-1) ? (exponent % 2 ? T(-1) : T(1)) : T(0);
    }
    using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    U power = static_cast<U>(base), result = 1;
    for (U left = static_cast<U>(exponent); left; left >>= 1, power *= power)
      if (left & 1) result *= power;
    return static_cast<T>(result);
  }
};

}  // namespace

void add_elementary(TileTable& t) {
  put<Exp>(t, Op::Exp, Floats{});
  put<Exp2>(t, Op::Exp2, Floats{});
  put<Expm1>(t, Op::Expm1, Floats{});
  put<Log>(t, Op::Log, Floats{});
  put<Log2>(t, Op::Log2, Floats{});
  put<Log10>(t, Op::Log10, Floats{});
  put<Log1p>(t, Op::Log1p, Floats{});
  put<Sigmoid>(t, Op::Sigmoid, Floats{});
  put<Tanh>(t, Op::Tanh, Floats{});
  put<Sin>(t, Op::Sin, Types<double>{});
  put<Cos>(t, Op::Cos, Types<double>{});
  put<Tan>(t, Op::Tan, Types<double>{});
  constexpr int kFloat = static_cast<int>(DType::Float32);
  t.functions[static_cast<int>(Op::Sin)][kFloat] = &angle_tile<Sin, sinf>;
  t.functions[static_cast<int>(Op::Cos)][kFloat] = &angle_tile<Cos, cosf>;
  t.functions[static_cast<int>(Op::Tan)][kFloat] = &angle_tile<Tan, tanf>;
  put<Asin>(t, Op::Asin, Floats{});
  put<Acos>(t, Op::Acos, Floats{});
  put<Atan>(t, Op::Atan, Floats{});
  put<Sinh>(t, Op::Sinh, Floats{});
  put<Cosh>(t, Op::Cosh, Floats{});
  put<Asinh>(t, Op::Asinh, Floats{});
  put<Acosh>(t, Op::Acosh, Floats{});
  put<Atanh>(t, Op::Atanh, Floats{});
  put<Erf>(t, Op::Erf, Floats{});
  put<Erfc>(t, Op::Erfc, Floats{});
  put<Atan2>(t, Op::Atan2, Floats{});
  put<Pow>(t, Op::Pow, Floats{});
  put<PowInteger>(t, Op::Pow, Ints{});
  put<Logaddexp>(t, Op::Logaddexp, Floats{});
  put<Logaddexp2>(t, Op::Logaddexp2, Floats{});
  put<Xlogy>(t, Op::Xlogy, Floats{});
  put<Xlog1py>(t, Op::Xlog1py, Floats{});
}

}  // namespace cann::kernels::CANN_ISA
