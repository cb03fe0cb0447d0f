// Vectors as wide as the instruction-set level has them, and multiply-add on them. For kernel files only: it needs
// CANN_ISA.
#pragma once

#include <cstdint>

#if defined(__FMA__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "cann/kernels/vector_bytes.h"

namespace cann::kernels::CANN_ISA {

template <class T>
struct Lanes {
  static constexpr int kCount = kVectorBytes / static_cast<int>(sizeof(T));
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));

  static inline Vector load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static inline void store(T* to, Vector v) { *reinterpret_cast<Unaligned*>(to) = v; }
  static inline Vector broadcast(T x) { return x - Vector{}; }

  // a * b + c, rounded once where the level has the instruction.
  static inline Vector multiply_add(Vector a, Vector b, Vector c) {
#if defined(__AVX512F__)
    if constexpr (__is_same(T, float)) return (Vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
    if constexpr (__is_same(T, double)) return (Vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    if constexpr (__is_same(T, float)) return (Vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    if constexpr (__is_same(T, double)) return (Vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
    return a * b + c;
  }

  // The sum of the lanes, by halves.
  static inline T sum(Vector v) {
#if defined(__AVX512F__)
    if constexpr (__is_same(T, float)) return _mm512_reduce_add_ps((__m512)v);
    if constexpr (__is_same(T, double)) return _mm512_reduce_add_pd((__m512d)v);
#endif
    T x[kCount];
    store(x, v);
    for (int width = kCount / 2; width > 0; width /= 2)
      for (int i = 0; i < width; ++i) x[i] += x[i + width];
    return x[0];
  }
};

}  // namespace cann::kernels::CANN_ISA
