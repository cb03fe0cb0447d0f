// Conversions between any two element types over contiguous runs, with the results of PyTorch's copy_.
#include <cstring>
#include <type_traits>

#include "cann/kernels/half.h"
#include "cann/kernels/pointwise/elements.h"
#include "cann/kernels/pointwise/move.h"

namespace cann::kernels::CANN_ISA {

struct complex32 {
  Half re, im;
};
template <>
inline constexpr DType kDType<Half> = DType::Float16;
template <>
inline constexpr DType kDType<BFloat16> = DType::BFloat16;
template <>
inline constexpr DType kDType<complex32> = DType::Complex32;

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool kHasImaginary = kIsComplex<T> || std::is_same_v<T, complex32>;

// A plain number to a plain number. Out-of-range floats wrap as PyTorch's do on x86-64: through the next wider integer.
template <class To, class From>
inline To cast_real(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    if constexpr (kIsHalf<From>)
      return widen(x) != 0;
    else
      return x != From(0);
  } else if constexpr (kIsHalf<From>) {
    return cast_real<To>(widen(x));
  } else if constexpr (kIsHalf<To>) {
    To half;
    narrow(static_cast<float>(x), half);
    return half;
  } else if constexpr (kIsFloat<From> && std::is_integral_v<To>) {
    using Wide = std::conditional_t<(sizeof(To) < 4 && std::is_signed_v<To>), int32_t, int64_t>;
    if constexpr (std::is_same_v<To, uint64_t>)
      return x < 0 ? static_cast<To>(static_cast<int64_t>(x)) : static_cast<To>(x);
    else
      return static_cast<To>(static_cast<Wide>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class To, class From>
inline To cast(From x) {
  if constexpr (kHasImaginary<From> && kHasImaginary<To>) {
    using Part = decltype(To{}.re);
    return {cast_real<Part>(x.re), cast_real<Part>(x.im)};
  } else if constexpr (kHasImaginary<From>) {
    if constexpr (std::is_same_v<To, bool>)
      return cast_real<bool>(x.re) || cast_real<bool>(x.im);
    else
      return cast_real<To>(x.re);
  } else if constexpr (kHasImaginary<To>) {
    using Part = decltype(To{}.re);
    return {cast_real<Part>(x), cast_real<Part>(false)};
  } else {
    return cast_real<To>(x);
  }
}

template <class To, class From>
void convert(void* dst, const void* src, int64_t n) {
  To* to = static_cast<To*>(dst);
  const From* from = static_cast<const From*>(src);
  if constexpr (std::is_same_v<To, From>) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(To));
  } else if constexpr (kIsHalf<To> && std::is_same_v<From, float>) {
    narrow<To>(from, to, n);
  } else if constexpr (kIsHalf<From> && std::is_same_v<To, float>) {
    widen<From>(from, to, n);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) to[i] = cast<To>(from[i]);
  }
}

using Stored = decltype(All{} + Types<Half, BFloat16, complex32>{});

template <class From, class... To>
ConvertFn to_type(DType to, Types<To...>) {
  ConvertFn found = nullptr;
  ((to == kDType<To> ? void(found = &convert<To, From>) : void()), ...);
  return found;
}

template <class... From>
ConvertFn from_type(DType from, DType to, Types<From...>) {
  ConvertFn found = nullptr;
  ((from == kDType<From> ? void(found = to_type<From>(to, Stored{})) : void()), ...);
  return found;
}

ConvertFn find_convert(DType from, DType to) { return from_type(from, to, Stored{}); }

}  // namespace cann::kernels::CANN_ISA
