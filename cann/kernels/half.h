// The two half types as storage, and how a tile of them becomes float32 and back. Both directions are exact or rounded
// once, to nearest even; NaN stays NaN. For kernel files only: it needs CANN_ISA.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace cann::kernels::CANN_ISA {

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

template <class To, class From>
static inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// One element. The compiler vectorises BFloat16 through these; for float16 use the tile forms below.
static inline float widen(float x) { return x; }
static inline double widen(double x) { return x; }
static inline float widen(Half x) { return static_cast<float>(bits_as<_Float16>(x.bits)); }
static inline float widen(BFloat16 x) { return bits_as<float>(static_cast<uint32_t>(x.bits) << 16); }

static inline void narrow(float x, float& to) { to = x; }
static inline void narrow(double x, double& to) { to = x; }
static inline void narrow(float x, Half& to) { to.bits = bits_as<uint16_t>(static_cast<_Float16>(x)); }
static inline void narrow(float x, BFloat16& to) {
  uint32_t bits = bits_as<uint32_t>(x);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  to.bits = static_cast<uint16_t>(x != x ? 0x7fc0 : rounded);
}

// What a type is computed in.
template <class T>
struct ComputeOf {
  using Type = float;
};
template <>
struct ComputeOf<double> {
  using Type = double;
};
template <class T>
using Compute = typename ComputeOf<T>::Type;

// Tiles of n elements.
template <class T>
static inline void widen(const T* __restrict from, Compute<T>* __restrict to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = widen(from[i]);
}
template <class T>
static inline void narrow(const Compute<T>* __restrict from, T* __restrict to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) narrow(from[i], to[i]);
}

// GCC 12 converts _Float16 one by one; the CPU can do 8 or 16. (maskz: the plain intrinsics warn of an uninitialised
// value.)
#if defined(__AVX512F__)
template <>
inline void widen<Half>(const Half* __restrict from, float* __restrict to, int64_t n) {
  const int64_t whole = n / 16 * 16;
  for (int64_t i = 0; i < whole; i += 16)
    _mm512_storeu_ps(to + i,
                     _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i))));
  for (int64_t i = whole; i < n; ++i) to[i] = widen(from[i]);
}
template <>
inline void narrow<Half>(const float* __restrict from, Half* __restrict to, int64_t n) {
  const int64_t whole = n / 16 * 16;
  for (int64_t i = 0; i < whole; i += 16)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  for (int64_t i = whole; i < n; ++i) narrow(from[i], to[i]);
}
#elif defined(__F16C__)
template <>
inline void widen<Half>(const Half* __restrict from, float* __restrict to, int64_t n) {
  const int64_t whole = n / 8 * 8;
  for (int64_t i = 0; i < whole; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  for (int64_t i = whole; i < n; ++i) to[i] = widen(from[i]);
}
template <>
inline void narrow<Half>(const float* __restrict from, Half* __restrict to, int64_t n) {
  const int64_t whole = n / 8 * 8;
  for (int64_t i = 0; i < whole; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  for (int64_t i = whole; i < n; ++i) narrow(from[i], to[i]);
}
#endif

}  // namespace cann::kernels::CANN_ISA
