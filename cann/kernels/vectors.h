// Vectors as wide as the level's registers; GCC lowers arithmetic, comparison and selection on them. For kernel files
// only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/vector_bytes.h"

namespace cann::kernels::CANN_ISA {

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vec = typename VectorOf<T>::type;
template <class T>
constexpr int kLanes = kVectorBytes / sizeof(T);

template <class T>
inline Vec<T> load(const T* p) {
  Vec<T> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline void store(T* p, Vec<T> v) {
  __builtin_memcpy(p, &v, sizeof v);
}
template <class T>
inline Vec<T> splat(T x) {
  return x - Vec<T>{};
}

}  // namespace cann::kernels::CANN_ISA
