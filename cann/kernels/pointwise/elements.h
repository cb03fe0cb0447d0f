// The element types of kernels, and how a functor of one element becomes a tile function. Included by kernel files
// only.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "cann/kernels/pointwise/complex.h"
#include "cann/kernels/pointwise/pointwise.h"

namespace cann::kernels::CANN_ISA {

template <class T>
inline constexpr DType kDType = DType::Undefined;
template <>
inline constexpr DType kDType<bool> = DType::Bool;
template <>
inline constexpr DType kDType<uint8_t> = DType::UInt8;
template <>
inline constexpr DType kDType<int8_t> = DType::Int8;
template <>
inline constexpr DType kDType<int16_t> = DType::Int16;
template <>
inline constexpr DType kDType<int32_t> = DType::Int32;
template <>
inline constexpr DType kDType<int64_t> = DType::Int64;
template <>
inline constexpr DType kDType<uint16_t> = DType::UInt16;
template <>
inline constexpr DType kDType<uint32_t> = DType::UInt32;
template <>
inline constexpr DType kDType<uint64_t> = DType::UInt64;
template <>
inline constexpr DType kDType<float> = DType::Float32;
template <>
inline constexpr DType kDType<double> = DType::Float64;
template <>
inline constexpr DType kDType<complex64> = DType::Complex64;
template <>
inline constexpr DType kDType<complex128> = DType::Complex128;

template <class... T>
struct Types {};
template <class... A, class... B>
Types<A..., B...> operator+(Types<A...>, Types<B...>);

using Floats = Types<float, double>;
using Complexes = Types<complex64, complex128>;
using Ints = Types<uint8_t, int8_t, int16_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t>;
using Bools = Types<bool>;
using IntsAndBool = decltype(Ints{} + Bools{});
using Reals = decltype(Ints{} + Floats{});
using RealsAndBool = decltype(Reals{} + Bools{});
using Numbers = decltype(Reals{} + Complexes{});
using All = decltype(Numbers{} + Bools{});
using FloatsAndComplexes = decltype(Floats{} + Complexes{});

template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;

// The tile functions found so far, by operator and compute type.
struct TileTable {
  static constexpr int kTypes = 34;  // DType's numbers end at 33
  TileFn functions[static_cast<int>(Op::Count)][kTypes] = {};
};

// A functor class template F<T> has `R operator()(A...) const` for one element, and may have a constructor from Params.
template <class F, class R, class... A, size_t... I>
inline void tile_loop(R (F::*)(A...) const, std::index_sequence<I...>, void* out, const void* const* in, int64_t n,
                      const Params& params) {
  const F f = [&] {
    if constexpr (std::is_constructible_v<F, const Params&>)
      return F(params);
    else
      return F{};
  }();
  auto loop = [n, f](R* o, const A*... a) {
  // Operands may be the output itself, never a shifted view of it.
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = f(a[i]...);
  };
  loop(static_cast<R*>(out), static_cast<const A*>(in[I])...);
}

template <class F, class R, class... A>
constexpr size_t arity_of(R (F::*)(A...) const) {
  return sizeof...(A);
}

template <class F>
void tile(void* out, const void* const* in, int64_t n, const Params& params) {
  constexpr auto call = &F::operator();
  tile_loop<F>(call, std::make_index_sequence<arity_of(call)>{}, out, in, n, params);
}

// Enters F<T> for every T of the list.
template <template <class> class F, class... T>
void put(TileTable& table, Op op, Types<T...>) {
  ((table.functions[static_cast<int>(op)][static_cast<int>(kDType<T>)] = &tile<F<T>>), ...);
}

// One function a kernel file.
void add_arithmetic(TileTable&);
void add_division(TileTable&);
void add_rounding(TileTable&);
void add_compare(TileTable&);
void add_elementary(TileTable&);
void add_elementary_complex(TileTable&);
void add_special(TileTable&);
void add_activation(TileTable&);
void add_loss(TileTable&);
void add_complex(TileTable&);

}  // namespace cann::kernels::CANN_ISA
