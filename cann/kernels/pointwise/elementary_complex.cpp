// Elementary functions of complex numbers, through C99's: what std::complex calls as well. float32 computes in float32.
#include "cann/kernels/math_more.h"
#include "cann/kernels/pointwise/elements.h"

// <complex.h> hides C's functions from C++.
extern "C" {
float _Complex cexpf(float _Complex) noexcept;
double _Complex cexp(double _Complex) noexcept;
float _Complex clogf(float _Complex) noexcept;
double _Complex clog(double _Complex) noexcept;
float _Complex csqrtf(float _Complex) noexcept;
double _Complex csqrt(double _Complex) noexcept;
float _Complex csinf(float _Complex) noexcept;
double _Complex csin(double _Complex) noexcept;
float _Complex ccosf(float _Complex) noexcept;
double _Complex ccos(double _Complex) noexcept;
float _Complex ctanf(float _Complex) noexcept;
double _Complex ctan(double _Complex) noexcept;
float _Complex casinf(float _Complex) noexcept;
double _Complex casin(double _Complex) noexcept;
float _Complex cacosf(float _Complex) noexcept;
double _Complex cacos(double _Complex) noexcept;
float _Complex catanf(float _Complex) noexcept;
double _Complex catan(double _Complex) noexcept;
float _Complex csinhf(float _Complex) noexcept;
double _Complex csinh(double _Complex) noexcept;
float _Complex ccoshf(float _Complex) noexcept;
double _Complex ccosh(double _Complex) noexcept;
float _Complex ctanhf(float _Complex) noexcept;
double _Complex ctanh(double _Complex) noexcept;
float _Complex casinhf(float _Complex) noexcept;
double _Complex casinh(double _Complex) noexcept;
float _Complex cacoshf(float _Complex) noexcept;
double _Complex cacosh(double _Complex) noexcept;
float _Complex catanhf(float _Complex) noexcept;
double _Complex catanh(double _Complex) noexcept;
float _Complex cpowf(float _Complex, float _Complex) noexcept;
double _Complex cpow(double _Complex, double _Complex) noexcept;
}

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
struct Native;
template <>
struct Native<complex64> {
  using Type = float _Complex;
};
template <>
struct Native<complex128> {
  using Type = double _Complex;
};

template <class T>
inline typename Native<T>::Type native(T z) {
  typename Native<T>::Type n;
  __real__ n = z.re;
  __imag__ n = z.im;
  return n;
}
inline complex64 ours(float _Complex n) { return {__real__ n, __imag__ n}; }
inline complex128 ours(double _Complex n) { return {__real__ n, __imag__ n}; }

template <class T>
inline constexpr bool kSingle = std::is_same_v<T, complex64>;

// One functor for all of C99's functions: the two forms are template arguments.
template <class T, float _Complex (*single)(float _Complex), double _Complex (*twofold)(double _Complex)>
struct Call {
  T operator()(T z) const {
    if constexpr (kSingle<T>)
      return ours(single(native(z)));
    else
      return ours(twofold(native(z)));
  }
};
template <class T>
using Exp = Call<T, cexpf, cexp>;
template <class T>
using Log = Call<T, clogf, clog>;
template <class T>
using Sqrt = Call<T, csqrtf, csqrt>;
template <class T>
using Sin = Call<T, csinf, csin>;
template <class T>
using Cos = Call<T, ccosf, ccos>;
template <class T>
using Tan = Call<T, ctanf, ctan>;
template <class T>
using Asin = Call<T, casinf, casin>;
template <class T>
using Acos = Call<T, cacosf, cacos>;
template <class T>
using Atan = Call<T, catanf, catan>;
template <class T>
using Sinh = Call<T, csinhf, csinh>;
template <class T>
using Cosh = Call<T, ccoshf, ccosh>;
template <class T>
using Tanh = Call<T, ctanhf, ctanh>;
template <class T>
using Asinh = Call<T, casinhf, casinh>;
template <class T>
using Acosh = Call<T, cacoshf, cacosh>;
template <class T>
using Atanh = Call<T, catanhf, catanh>;

template <class T>
inline T scaled(T z, double factor) {
  using Part = decltype(z.re);
  return {z.re * static_cast<Part>(factor), z.im * static_cast<Part>(factor)};
}
template <class T>
struct Log2 {
  T operator()(T z) const { return scaled(Log<T>{}(z), 1.4426950408889634); }
};
template <class T>
struct Log10 {
  T operator()(T z) const { return scaled(Log<T>{}(z), 0.43429448190325183); }
};
template <class T>
struct Exp2 {
  T operator()(T z) const { return Exp<T>{}(scaled(z, 0.69314718055994531)); }
};
template <class T>
struct Rsqrt {
  T operator()(T z) const { return T{1} / Sqrt<T>{}(z); }
};
template <class T>
struct Sigmoid {
  T operator()(T z) const { return T{1} / (T{1} + Exp<T>{}(-z)); }
};
template <class T>
struct SigmoidBackward {
  T operator()(T g, T y) const {
    const T s = (T{1} - y) * y;
    return g * T{s.re, -s.im};
  }
};
template <class T>
struct TanhBackward {
  T operator()(T g, T y) const {
    const T s = T{1} - y * y;
    return g * T{s.re, -s.im};
  }
};
template <class T>
struct Silu {
  T operator()(T z) const { return z / (T{1} + Exp<T>{}(-z)); }
};

// e^z - 1 = (e^x cos y - 1) + i e^x sin y; the real part as expm1(x) cos y - 2 sin^2(y / 2), which keeps small z exact.
template <class T>
struct Expm1 {
  T operator()(T z) const {
    const auto half = std::sin(z.im / 2);
    return {std::expm1(z.re) * std::cos(z.im) - 2 * half * half, std::exp(z.re) * std::sin(z.im)};
  }
};
// log|1 + z| through log1p(x (2 + x) + y^2) / 2.
template <class T>
struct Log1p {
  T operator()(T z) const {
    const auto angle = std::atan2(z.im, 1 + z.re);
    if (std::fabs(z.re) > 1 || std::fabs(z.im) > 1) return {std::log(std::hypot(1 + z.re, z.im)), angle};
    return {std::log1p(z.re * (2 + z.re) + z.im * z.im) / 2, angle};
  }
};

// log(e^a + e^b) from the operand with the larger real part.
template <class T>
struct Logaddexp {
  T operator()(T a, T b) const {
    const T high = a.re > b.re || a.re != a.re ? a : b, low = a.re > b.re || a.re != a.re ? b : a;
    if (std::isinf(high.re) && (high.re > 0 || low.re == high.re)) {
      if (high.re < 0) return {high.re, high.im};
      if (low.re != high.re) return high;
      return Log<T>{}(Exp<T>{}(a) + Exp<T>{}(b));
    }
    return high + Log1p<T>{}(Exp<T>{}(low - high));
  }
};

template <class T>
struct Pow {
  T operator()(T z, T w) const {
    if (w == T{}) return T{1};
    if (z == T{}) {  // 0^w: 0 for a real w above 0; the rest as e^(w log 0)
      if (w.im == 0 && w.re > 0) return T{};
    }
    if constexpr (kSingle<T>)
      return ours(cpowf(native(z), native(w)));
    else
      return ours(cpow(native(z), native(w)));
  }
};
template <class T>
struct Xlogy {
  T operator()(T x, T y) const { return x == T{} ? T{} : x * Log<T>{}(y); }
};

// sin(pi z) / (pi z), 1 at 0.
template <class T>
struct Sinc {
  T operator()(T z) const {
    const T pi_z = scaled(z, 3.14159265358979324);
    return z == T{} ? T{1} : Sin<T>{}(pi_z) / pi_z;
  }
};

}  // namespace

void add_elementary_complex(TileTable& t) {
  put<Exp>(t, Op::Exp, Complexes{});
  put<Exp2>(t, Op::Exp2, Complexes{});
  put<Expm1>(t, Op::Expm1, Complexes{});
  put<Log>(t, Op::Log, Complexes{});
  put<Log2>(t, Op::Log2, Complexes{});
  put<Log10>(t, Op::Log10, Complexes{});
  put<Log1p>(t, Op::Log1p, Complexes{});
  put<Sqrt>(t, Op::Sqrt, Complexes{});
  put<Rsqrt>(t, Op::Rsqrt, Complexes{});
  put<Sin>(t, Op::Sin, Complexes{});
  put<Cos>(t, Op::Cos, Complexes{});
  put<Tan>(t, Op::Tan, Complexes{});
  put<Asin>(t, Op::Asin, Complexes{});
  put<Acos>(t, Op::Acos, Complexes{});
  put<Atan>(t, Op::Atan, Complexes{});
  put<Sinh>(t, Op::Sinh, Complexes{});
  put<Cosh>(t, Op::Cosh, Complexes{});
  put<Tanh>(t, Op::Tanh, Complexes{});
  put<Asinh>(t, Op::Asinh, Complexes{});
  put<Acosh>(t, Op::Acosh, Complexes{});
  put<Atanh>(t, Op::Atanh, Complexes{});
  put<Sigmoid>(t, Op::Sigmoid, Complexes{});
  put<SigmoidBackward>(t, Op::SigmoidBackward, Complexes{});
  put<TanhBackward>(t, Op::TanhBackward, Complexes{});
  put<Silu>(t, Op::Silu, Complexes{});
  put<Pow>(t, Op::Pow, Complexes{});
  put<Logaddexp>(t, Op::Logaddexp, Complexes{});
  put<Xlogy>(t, Op::Xlogy, Complexes{});
  put<Sinc>(t, Op::Sinc, Complexes{});
}

}  // namespace cann::kernels::CANN_ISA
