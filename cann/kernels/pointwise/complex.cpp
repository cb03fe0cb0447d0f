// Parts, magnitudes, angles and the making of complex numbers; complex sign, roots and selection by value are here too.
#include "cann/kernels/math_more.h"
#include "cann/kernels/pointwise/elements.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
struct Real {
  decltype(T{}.re) operator()(T z) const { return z.re; }
};
template <class T>
struct Imag {
  decltype(T{}.re) operator()(T z) const { return z.im; }
};
template <class T>
struct Conj {
  T operator()(T z) const { return {z.re, -z.im}; }
};
template <class T>
struct ConjReal {
  T operator()(T x) const { return x; }
};

// |z| without overflow: libm's hypot.
inline float magnitude(complex64 z) { return __builtin_hypotf(z.re, z.im); }
inline double magnitude(complex128 z) { return __builtin_hypot(z.re, z.im); }
template <class T>
struct ComplexAbs {
  decltype(T{}.re) operator()(T z) const { return magnitude(z); }
};
template <class T>
struct ComplexSign {
  T operator()(T z) const {
    const auto m = magnitude(z);
    return m == 0 ? T{} : T{z.re / m, z.im / m};
  }
};

// arg(z); a real number has 0 or pi, NaN stays.
template <class T>
struct ComplexAngle {
  decltype(T{}.re) operator()(T z) const { return math::atan2(z.im, z.re); }
};
template <class T>
struct RealAngle {
  T operator()(T x) const { return x != x ? x : x < 0 ? static_cast<T>(3.14159265358979324) : T(0); }
};

template <class T>
struct MakeComplex {
  ComplexNumber<T> operator()(T re, T im) const { return {re, im}; }
};
template <class T>
struct MakePolar {
  ComplexNumber<T> operator()(T radius, T angle) const { return {radius * std::cos(angle), radius * std::sin(angle)}; }
};

}  // namespace

void add_complex(TileTable& t) {
  put<Real>(t, Op::Real, Complexes{});
  put<Imag>(t, Op::Imag, Complexes{});
  put<ConjReal>(t, Op::Real, RealsAndBool{});
  put<Conj>(t, Op::Conj, Complexes{});
  put<ConjReal>(t, Op::Conj, RealsAndBool{});
  put<ComplexAbs>(t, Op::Abs, Complexes{});
  put<ComplexSign>(t, Op::Sign, Complexes{});
  put<ComplexAngle>(t, Op::Angle, Complexes{});
  put<RealAngle>(t, Op::Angle, Floats{});
  put<MakeComplex>(t, Op::Complex, Floats{});
  put<MakePolar>(t, Op::Polar, Floats{});
}

}  // namespace cann::kernels::CANN_ISA
