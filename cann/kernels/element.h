// The element types that no C++ type stands for, as kernels compute with them, and conversions between any two. Reduce,
// scan, sort and index use it; pointwise has its own (pointwise/elements.h). For kernel files only: it needs CANN_ISA.
#pragma once

#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/half.h"

namespace cann::kernels::CANN_ISA {

struct Bool {
  uint8_t byte;  // 0 or 1
};
template <class R>
struct Complex {
  R re, im;
};

template <class T>
constexpr bool kIsComplex = false;
template <class R>
constexpr bool kIsComplex<Complex<R>> = true;
template <class A, class B>
constexpr bool kSame = false;
template <class A>
constexpr bool kSame<A, A> = true;
template <class T>
constexpr bool kIsFloat = kSame<T, float> || kSame<T, double>;
template <class T>
constexpr bool kIsHalf = kSame<T, Half> || kSame<T, BFloat16>;

template <class T>
constexpr DType kDTypeOf = DType::Undefined;
template <>
constexpr DType kDTypeOf<float> = DType::Float32;
template <>
constexpr DType kDTypeOf<double> = DType::Float64;
template <>
constexpr DType kDTypeOf<Half> = DType::Float16;
template <>
constexpr DType kDTypeOf<BFloat16> = DType::BFloat16;
template <>
constexpr DType kDTypeOf<int64_t> = DType::Int64;
template <>
constexpr DType kDTypeOf<int32_t> = DType::Int32;
template <>
constexpr DType kDTypeOf<int16_t> = DType::Int16;
template <>
constexpr DType kDTypeOf<int8_t> = DType::Int8;
template <>
constexpr DType kDTypeOf<uint8_t> = DType::UInt8;
template <>
constexpr DType kDTypeOf<Bool> = DType::Bool;
template <>
constexpr DType kDTypeOf<Complex<float>> = DType::Complex64;
template <>
constexpr DType kDTypeOf<Complex<double>> = DType::Complex128;

// PyTorch's cast: complex loses its imaginary part, anything but zero is true, float64 goes to a half type by float32.
template <class D, class S>
inline D cast(S v) {
  if constexpr (kSame<S, D>)
    return v;
  else if constexpr (kIsHalf<S>)
    return cast<D>(widen(v));
  else if constexpr (kSame<S, Bool>)
    return cast<D>(v.byte);
  else if constexpr (kIsComplex<S>) {
    if constexpr (kSame<D, Bool>)
      return {static_cast<uint8_t>((v.re != 0) | (v.im != 0))};
    else if constexpr (kIsComplex<D>)
      return {static_cast<decltype(D::re)>(v.re), static_cast<decltype(D::re)>(v.im)};
    else
      return cast<D>(v.re);
  } else if constexpr (kIsComplex<D>)
    return {static_cast<decltype(D::re)>(v), 0};
  else if constexpr (kSame<D, Bool>)
    return {static_cast<uint8_t>(v != 0)};
  else if constexpr (kIsHalf<D>) {
    D half;
    narrow(static_cast<float>(v), half);
    return half;
  } else
    return static_cast<D>(v);
}

}  // namespace cann::kernels::CANN_ISA
