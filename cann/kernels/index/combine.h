// The arithmetic of a scatter: the type each element type is accumulated in, and Add, Multiply, Min, Max on it.
// Included by kernel files only: it stands in their ISA level's namespace.
#pragma once

#include <type_traits>

#include "cann/kernels/element.h"
#include "cann/kernels/index/walk.h"

namespace cann::kernels::CANN_ISA {

// Half types accumulate in float32; every other type in itself.
template <class T>
using Accumulator = std::conditional_t<kIsHalf<T>, float, T>;

template <class T>
static inline Accumulator<T> load(T x) {
  if constexpr (kIsHalf<T>)
    return widen(x);
  else
    return x;
}
template <class T>
static inline void store(Accumulator<T> x, T& to) {
  if constexpr (kIsHalf<T>)
    narrow(x, to);
  else
    to = x;
}

struct Add {
  template <class T>
  static inline T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
      return a + b;
  }
  static inline Bool apply(Bool a, Bool b) { return {static_cast<uint8_t>((a.byte | b.byte) != 0)}; }
  template <class R>
  static inline Complex<R> apply(Complex<R> a, Complex<R> b) {
    return {a.re + b.re, a.im + b.im};
  }
};

struct Multiply {
  template <class T>
  static inline T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
      return a * b;
  }
  static inline Bool apply(Bool a, Bool b) { return {static_cast<uint8_t>(a.byte && b.byte)}; }
  template <class R>
  static inline Complex<R> apply(Complex<R> a, Complex<R> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

struct Min {
  template <class T>
  static inline T apply(T a, T b) {
    return b < a || b != b ? b : a;
  }
  static inline Bool apply(Bool a, Bool b) { return {static_cast<uint8_t>(a.byte && b.byte)}; }
  template <class R>
  static inline Complex<R> apply(Complex<R> a, Complex<R>) {
    return a;
  }  // refused before
};

struct Max {
  template <class T>
  static inline T apply(T a, T b) {
    return b > a || b != b ? b : a;
  }
  static inline Bool apply(Bool a, Bool b) { return {static_cast<uint8_t>((a.byte | b.byte) != 0)}; }
  template <class R>
  static inline Complex<R> apply(Complex<R> a, Complex<R>) {
    return a;
  }  // refused before
};

// Calls f(T{}) with the storage type of a dtype. pre: not one of the wide unsigned types, which PyTorch does not
// accumulate
template <class F>
static inline auto with_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::Float64: return f(double{});
    case DType::Float16: return f(Half{});
    case DType::BFloat16: return f(BFloat16{});
    case DType::Int8: return f(int8_t{});
    case DType::UInt8: return f(uint8_t{});
    case DType::Int16: return f(int16_t{});
    case DType::Int32: return f(int32_t{});
    case DType::Int64: return f(int64_t{});
    case DType::Bool: return f(Bool{});
    case DType::Complex64: return f(Complex<float>{});
    case DType::Complex128: return f(Complex<double>{});
    default: return f(float{});
  }
}

// Calls f(Op{}) with the functor of a Combine.
template <class F>
static inline auto with_combine(Combine combine, F&& f) {
  switch (combine) {
    case Combine::Multiply: return f(Multiply{});
    case Combine::Min: return f(Min{});
    case Combine::Max: return f(Max{});
    default: return f(Add{});
  }
}

}  // namespace cann::kernels::CANN_ISA
