// The element types as kernels of this family compute with them, conversions between any two, and vectors as wide as the
// level's registers. Everything stands in the level's namespace; nothing here is called from outside kernel files.
#pragma once

#include <cstdint>
#include <cstring>
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "cann/base/dtype.h"

namespace cann::kernels::CANN_ISA {

struct BF16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};
struct Bool {
  uint8_t byte;  // 0 or 1
};
template <class R>
struct Complex {
  R re, im;
};

template <class T> constexpr bool kIsComplex = false;
template <class R> constexpr bool kIsComplex<Complex<R>> = true;
template <class A, class B> constexpr bool kSame = false;
template <class A> constexpr bool kSame<A, A> = true;
template <class T> constexpr bool kIsFloat = kSame<T, float> || kSame<T, double>;

template <class T> constexpr DType kDTypeOf = DType::Undefined;
template <> constexpr DType kDTypeOf<float> = DType::Float32;
template <> constexpr DType kDTypeOf<double> = DType::Float64;
template <> constexpr DType kDTypeOf<F16> = DType::Float16;
template <> constexpr DType kDTypeOf<BF16> = DType::BFloat16;
template <> constexpr DType kDTypeOf<int64_t> = DType::Int64;
template <> constexpr DType kDTypeOf<int32_t> = DType::Int32;
template <> constexpr DType kDTypeOf<int16_t> = DType::Int16;
template <> constexpr DType kDTypeOf<int8_t> = DType::Int8;
template <> constexpr DType kDTypeOf<uint8_t> = DType::UInt8;
template <> constexpr DType kDTypeOf<Bool> = DType::Bool;
template <> constexpr DType kDTypeOf<Complex<float>> = DType::Complex64;
template <> constexpr DType kDTypeOf<Complex<double>> = DType::Complex128;

inline float widen(BF16 v) { return __builtin_bit_cast(float, static_cast<uint32_t>(v.bits) << 16); }

// Exact; subnormals come out normal because the multiplication by 2^112 rescales them.
inline float widen(F16 v) {
  uint32_t magnitude = (v.bits & 0x7fffu) << 13;
  float f = __builtin_bit_cast(float, magnitude) * 0x1p112f;
  uint32_t bits = magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : __builtin_bit_cast(uint32_t, f);
  return __builtin_bit_cast(float, bits | (v.bits & 0x8000u) << 16);
}

// To the nearest, ties to even; NaN becomes the quiet NaN.
inline BF16 to_bf16(float f) {
  uint32_t bits = __builtin_bit_cast(uint32_t, f);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  return {static_cast<uint16_t>(f != f ? 0x7fc0u : rounded)};
}

inline F16 to_f16(float f) {
#ifdef __F16C__
  return {static_cast<uint16_t>(_cvtss_sh(f, _MM_FROUND_TO_NEAREST_INT))};
#else
  uint32_t bits = __builtin_bit_cast(uint32_t, f), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {static_cast<uint16_t>(sign | 0x7e00u)};
  if (magnitude >= 0x477ff000u) return {static_cast<uint16_t>(sign | 0x7c00u)};  // 65520 and more round to infinity
  if (magnitude < 0x38800000u) {  // subnormal: adding 0.5 puts the unit in the last place of a float at 2^-24
    float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (__builtin_bit_cast(uint32_t, shifted) - 0x3f000000u))};
  }
  uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1) - 0x38000000u;
  return {static_cast<uint16_t>(sign | rounded >> 13)};
#endif
}

// PyTorch's cast: complex loses its imaginary part, anything but zero is true, float64 goes to a half type by float32.
template <class D, class S>
inline D cast(S v) {
  if constexpr (kSame<S, D>) return v;
  else if constexpr (kSame<S, BF16> || kSame<S, F16>) return cast<D>(widen(v));
  else if constexpr (kSame<S, Bool>) return cast<D>(v.byte);
  else if constexpr (kIsComplex<S>) {
    if constexpr (kSame<D, Bool>) return {static_cast<uint8_t>((v.re != 0) | (v.im != 0))};
    else if constexpr (kIsComplex<D>) return {static_cast<decltype(D::re)>(v.re), static_cast<decltype(D::re)>(v.im)};
    else return cast<D>(v.re);
  }
  else if constexpr (kIsComplex<D>) return {static_cast<decltype(D::re)>(v), 0};
  else if constexpr (kSame<D, Bool>) return {static_cast<uint8_t>(v != 0)};
  else if constexpr (kSame<D, BF16>) return to_bf16(static_cast<float>(v));
  else if constexpr (kSame<D, F16>) return to_f16(static_cast<float>(v));
  else return static_cast<D>(v);
}

// Vectors of the level's register width. GCC lowers arithmetic, comparison and selection on them.
#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif
template <class T> struct VectorOf { typedef T type __attribute__((vector_size(kVectorBytes))); };
template <class T> using Vec = typename VectorOf<T>::type;
template <class T> constexpr int kLanes = kVectorBytes / sizeof(T);

template <class T>
inline Vec<T> load(const T* p) {
  Vec<T> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline void store(T* p, Vec<T> v) { __builtin_memcpy(p, &v, sizeof v); }
template <class T>
inline Vec<T> splat(T x) { return x - Vec<T>{}; }

}  // namespace cann::kernels::CANN_ISA
