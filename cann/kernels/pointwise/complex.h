// Complex numbers for kernels: PyTorch's plain products (no C99 special cases, so loops vectorise) and its scaled
// division. Elementary functions go through C99's, which std::complex uses too. Own type: std::complex's functions
// would be weak symbols.
#pragma once

#include <cmath>

namespace cann::kernels::CANN_ISA {

template <class T>
struct ComplexNumber {
  T re = 0, im = 0;

  friend ComplexNumber operator+(ComplexNumber a, ComplexNumber b) { return {a.re + b.re, a.im + b.im}; }
  friend ComplexNumber operator-(ComplexNumber a, ComplexNumber b) { return {a.re - b.re, a.im - b.im}; }
  friend ComplexNumber operator-(ComplexNumber a) { return {-a.re, -a.im}; }
  friend ComplexNumber operator*(ComplexNumber a, ComplexNumber b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  // Divides both by the larger part of b first, so that neither |b|^2 nor the products overflow.
  friend ComplexNumber operator/(ComplexNumber a, ComplexNumber b) {
    const T ar = b.re < 0 ? -b.re : b.re, ai = b.im < 0 ? -b.im : b.im;
    if (ar >= ai) {
      if (ar == 0 && ai == 0) return {a.re / ar, a.im / ai};
      const T ratio = b.im / b.re, scale = T(1) / (b.re + b.im * ratio);
      return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    const T ratio = b.re / b.im, scale = T(1) / (b.re * ratio + b.im);
    return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
  }
  friend bool operator==(ComplexNumber a, ComplexNumber b) { return a.re == b.re && a.im == b.im; }
  friend bool operator!=(ComplexNumber a, ComplexNumber b) { return a.re != b.re || a.im != b.im; }
};

using complex64 = ComplexNumber<float>;
using complex128 = ComplexNumber<double>;

}  // namespace cann::kernels::CANN_ISA
