// Comparisons, logic, tests for special values (all give bool), selection, bits and shifts.
#include "cann/kernels/pointwise/elements.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
struct Eq {
  bool operator()(T a, T b) const { return a == b; }
};
template <class T>
struct Ne {
  bool operator()(T a, T b) const { return a != b; }
};
template <class T>
struct Lt {
  bool operator()(T a, T b) const { return a < b; }
};
template <class T>
struct Le {
  bool operator()(T a, T b) const { return a <= b; }
};
template <class T>
struct Gt {
  bool operator()(T a, T b) const { return a > b; }
};
template <class T>
struct Ge {
  bool operator()(T a, T b) const { return a >= b; }
};

template <class T>
inline bool truth(T a) {
  return a != T{};
}
template <class T>
struct LogicalAnd {
  bool operator()(T a, T b) const { return truth(a) & truth(b); }
};
template <class T>
struct LogicalOr {
  bool operator()(T a, T b) const { return truth(a) | truth(b); }
};
template <class T>
struct LogicalXor {
  bool operator()(T a, T b) const { return truth(a) != truth(b); }
};
template <class T>
struct LogicalNot {
  bool operator()(T a) const { return !truth(a); }
};
// A bool's byte is 0 or 1. GCC 12 vectorises no negation of bools.
struct NotByte {
  uint8_t operator()(uint8_t a) const { return a ^ 1; }
};

template <class T>
inline constexpr T kInf = static_cast<T>(__builtin_inf());
template <class T>
struct IsNan {
  bool operator()(T a) const {
    if constexpr (kIsComplex<T>)
      return (a.re != a.re) | (a.im != a.im);
    else if constexpr (kIsFloat<T>)
      return a != a;
    else
      return false;
  }
};
template <class T>
struct IsInf {
  bool operator()(T a) const {
    if constexpr (kIsComplex<T>)
      return IsInf<decltype(a.re)>{}(a.re) | IsInf<decltype(a.re)>{}(a.im);
    else if constexpr (kIsFloat<T>)
      return std::fabs(a) == kInf<T>;
    else
      return false;
  }
};
template <class T>
struct IsFinite {
  bool operator()(T a) const {
    if constexpr (kIsComplex<T>)
      return IsFinite<decltype(a.re)>{}(a.re) & IsFinite<decltype(a.re)>{}(a.im);
    else if constexpr (kIsFloat<T>)
      return std::fabs(a) < kInf<T>;
    else
      return true;
  }
};
template <class T>
struct IsPosInf {
  bool operator()(T a) const {
    if constexpr (kIsFloat<T>)
      return a == kInf<T>;
    else
      return false;
  }
};
template <class T>
struct IsNegInf {
  bool operator()(T a) const {
    if constexpr (kIsFloat<T>)
      return a == -kInf<T>;
    else
      return false;
  }
};
template <class T>
struct Signbit {
  bool operator()(T a) const {
    if constexpr (kIsFloat<T>)
      return __builtin_signbit(a) != 0;
    else
      return a < T(0);
  }
};

// |a - b| <= atol + rtol |b|, or equal, or both NaN where equal_nan says so.
template <class T>
struct IsClose {
  double rtol, atol;
  bool equal_nan;
  explicit IsClose(const Params& p)
      : rtol(p.get<double>(0)), atol(p.get<double>(1)), equal_nan(p.get<double>(2) != 0) {}
  bool operator()(T a, T b) const {
    if constexpr (kIsFloat<T>) {
      const T allowed = static_cast<T>(atol) + std::fabs(static_cast<T>(rtol) * b), actual = std::fabs(a - b);
      return (a == b) | ((actual < kInf<T>)&(actual <= allowed)) | (equal_nan & (a != a) & (b != b));
    } else {
      const double x = static_cast<double>(a), y = static_cast<double>(b);
      return (a == b) | (std::fabs(x - y) <= atol + std::fabs(rtol * y));
    }
  }
};

// Bits under a mask: GCC 12 does not vectorise a select by bool whose values are wider.
template <int kBytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using Type = uint8_t;
};
template <>
struct BitsOf<2> {
  using Type = uint16_t;
};
template <>
struct BitsOf<4> {
  using Type = uint32_t;
};
template <>
struct BitsOf<8> {
  using Type = uint64_t;
};
template <class T>
struct Where {
  T operator()(uint8_t condition, T a, T b) const {  // 0 or 1
    if constexpr (sizeof(T) <= 8) {
      using Bits = typename BitsOf<sizeof(T)>::Type;
      const Bits mask = static_cast<Bits>(-static_cast<Bits>(condition));
      const Bits x = __builtin_bit_cast(Bits, a), y = __builtin_bit_cast(Bits, b);
      return __builtin_bit_cast(T, static_cast<Bits>((x & mask) | (y & static_cast<Bits>(~mask))));
    } else {
      return condition ? a : b;
    }
  }
};

template <class T>
struct BitwiseAnd {
  T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <class T>
struct BitwiseOr {
  T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <class T>
struct BitwiseXor {
  T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
template <class T>
struct BitwiseNot {
  T operator()(T a) const { return static_cast<T>(~a); }
};

// A shift by less than nothing or by the whole width: left gives 0, right gives the sign (as PyTorch defines it).
template <class T>
struct LeftShift {
  T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    constexpr U kBits = sizeof(T) * 8;
    const U shift = static_cast<U>(b);
    return shift >= kBits ? T(0) : static_cast<T>(static_cast<uint64_t>(static_cast<U>(a)) << shift);
  }
};
template <class T>
struct RightShift {
  T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    constexpr U kLast = sizeof(T) * 8 - (std::is_signed_v<T> ? 1 : 0);
    const U shift = static_cast<U>(b);
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(a >> (shift > kLast ? kLast : shift));
    else
      return shift >= kLast ? T(0) : static_cast<T>(a >> shift);
  }
};

}  // namespace

void add_compare(TileTable& t) {
  put<Eq>(t, Op::Eq, All{});
  put<Ne>(t, Op::Ne, All{});
  put<Lt>(t, Op::Lt, RealsAndBool{});
  put<Le>(t, Op::Le, RealsAndBool{});
  put<Gt>(t, Op::Gt, RealsAndBool{});
  put<Ge>(t, Op::Ge, RealsAndBool{});
  put<LogicalAnd>(t, Op::LogicalAnd, All{});
  put<LogicalOr>(t, Op::LogicalOr, All{});
  put<LogicalXor>(t, Op::LogicalXor, All{});
  put<LogicalNot>(t, Op::LogicalNot, All{});
  put<IsNan>(t, Op::IsNan, All{});
  put<IsInf>(t, Op::IsInf, All{});
  put<IsFinite>(t, Op::IsFinite, All{});
  put<IsPosInf>(t, Op::IsPosInf, RealsAndBool{});
  put<IsNegInf>(t, Op::IsNegInf, RealsAndBool{});
  put<IsClose>(t, Op::IsClose, RealsAndBool{});
  put<Signbit>(t, Op::Signbit, RealsAndBool{});
  put<Where>(t, Op::Where, All{});
  put<BitwiseAnd>(t, Op::BitwiseAnd, IntsAndBool{});
  put<BitwiseOr>(t, Op::BitwiseOr, IntsAndBool{});
  put<BitwiseXor>(t, Op::BitwiseXor, IntsAndBool{});
  put<BitwiseNot>(t, Op::BitwiseNot, Ints{});
  for (Op op : {Op::LogicalNot, Op::BitwiseNot})
    t.functions[static_cast<int>(op)][static_cast<int>(DType::Bool)] = &tile<NotByte>;
  put<LeftShift>(t, Op::LeftShift, Ints{});
  put<RightShift>(t, Op::RightShift, Ints{});
}

}  // namespace cann::kernels::CANN_ISA
