// Matrices transposed on their way into a tile, widened, a square of a vector's width at a time: an element costs a
// quarter of a cycle where one by one it costs two. For kernel files only: it needs CANN_ISA.
#pragma once

#include <utility>

#include "cann/kernels/half.h"
#include "cann/kernels/matmul/lanes.h"

namespace cann::kernels::CANN_ISA {

// The lanes of b that stand kHalf below those of a change places with them, in each run of 2 kHalf lanes.
template <int kHalf, class V, int... kLane>
static inline void exchange(V& a, V& b, std::integer_sequence<int, kLane...>) {
  constexpr int kCount = sizeof...(kLane);
  const V low = __builtin_shufflevector(a, b, (kLane & kHalf ? kLane - kHalf + kCount : kLane)...);
  b = __builtin_shufflevector(a, b, (kLane & kHalf ? kLane + kCount : kLane + kHalf)...);
  a = low;
}

// rows[r] lane c becomes rows[c] lane r: quarters of the square change places, then quarters of those.
template <class T, int kHalf = Lanes<T>::kCount / 2>
static inline void transpose(typename Lanes<T>::Vector* rows) {
  constexpr int kCount = Lanes<T>::kCount;
  if constexpr (kHalf > 0) {
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i)
      if (!(i & kHalf)) exchange<kHalf>(rows[i], rows[i + kHalf], std::make_integer_sequence<int, kCount>());
    transpose<T, kHalf / 2>(rows);
  }
}

// A vector's worth of elements, widened in registers.
template <class S, class W>
static inline typename Lanes<W>::Vector load_wide(const S* from) {
  using L = Lanes<W>;
  if constexpr (__is_same(S, W)) {
    return L::load(from);
#if defined(__AVX512F__)
  } else if constexpr (__is_same(S, BFloat16) || __is_same(S, Half)) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    if constexpr (__is_same(S, BFloat16))
      return (typename L::Vector)_mm512_maskz_slli_epi32(0xffff, _mm512_maskz_cvtepu16_epi32(0xffff, bits), 16);
    else
      return (typename L::Vector)_mm512_maskz_cvtph_ps(0xffff, bits);
#endif
  } else {
    W wide[L::kCount];
    widen(from, wide, int64_t{L::kCount});
    return L::load(wide);
  }
}

template <class S, class W>
static inline W as_wide(S x) {
  if constexpr (__is_same(S, W))
    return x;
  else
    return static_cast<W>(widen(x));
}

// to[i * to_row + r] = from[r * from_row + i] for i < depth and r < rows, widened. Squares of a vector's width go
// through registers.
template <class S, class W>
static void pack_transposed(const S* from, int64_t from_row, int64_t rows, int64_t depth, W* to, int64_t to_row) {
  constexpr int kSide = Lanes<W>::kCount;
  int64_t r = 0;
  for (; r + kSide <= rows; r += kSide) {
    int64_t i = 0;
    for (; i + kSide <= depth; i += kSide) {
      typename Lanes<W>::Vector square[kSide];
#pragma GCC unroll 16
      for (int q = 0; q < kSide; ++q) square[q] = load_wide<S, W>(from + (r + q) * from_row + i);
      transpose<W>(square);
#pragma GCC unroll 16
      for (int q = 0; q < kSide; ++q) Lanes<W>::store(to + (i + q) * to_row + r, square[q]);
    }
    for (; i < depth; ++i)
      for (int q = 0; q < kSide; ++q) to[i * to_row + r + q] = as_wide<S, W>(from[(r + q) * from_row + i]);
  }
  for (; r < rows; ++r)
    for (int64_t i = 0; i < depth; ++i) to[i * to_row + r] = as_wide<S, W>(from[r * from_row + i]);
}

}  // namespace cann::kernels::CANN_ISA
