// Integers as products and convolutions compute them. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/half.h"

namespace cann::kernels::CANN_ISA {

// An integer, computed modulo 2^32 (or 2^64) and cut to its width at the end.
template <class T>
struct Wrapping {
  T value;
};
template <class T>
struct ComputeOf<Wrapping<T>> {
  using Type = uint32_t;
};
template <>
struct ComputeOf<Wrapping<int64_t>> {
  using Type = uint64_t;
};

template <class T>
static inline Compute<Wrapping<T>> widen(Wrapping<T> x) {
  return static_cast<Compute<Wrapping<T>>>(x.value);
}
template <class T>
static inline void narrow(Compute<Wrapping<T>> x, Wrapping<T>& to) {
  to.value = static_cast<T>(x);
}

}  // namespace cann::kernels::CANN_ISA
