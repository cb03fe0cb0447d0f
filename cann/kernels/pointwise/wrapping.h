// Sums, differences, products and magnitudes of any element type; integers wrap, which C++ leaves undefined for signed
// ones. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/pointwise/elements.h"

namespace cann::kernels::CANN_ISA {

// Integers compute in an unsigned type of at least 32 bits, where overflow is defined.
template <class T>
inline auto wide(T x) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return static_cast<uint64_t>(x);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<uint32_t>(x);
  else
    return x;
}
template <class T>
inline T add(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a | b;
  else
    return static_cast<T>(wide(a) + wide(b));
}
template <class T>
inline T sub(T a, T b) {
  return static_cast<T>(wide(a) - wide(b));
}
template <class T>
inline T mul(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a & b;
  else
    return static_cast<T>(wide(a) * wide(b));
}
template <class T>
inline T magnitude(T x) {
  if constexpr (kIsFloat<T>)
    return std::fabs(x);
  else if constexpr (std::is_signed_v<T>)
    return x < 0 ? sub(T(0), x) : x;
  else
    return x;
}

}  // namespace cann::kernels::CANN_ISA
