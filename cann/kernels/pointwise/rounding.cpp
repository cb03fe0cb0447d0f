// To whole numbers, and the replacement of what is not a number. Integers pass unchanged where the family gives them to
// us.
#include "cann/kernels/pointwise/elements.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
struct Ceil {
  T operator()(T x) const {
    if constexpr (kIsFloat<T>)
      return std::ceil(x);
    else
      return x;
  }
};
template <class T>
struct Floor {
  T operator()(T x) const {
    if constexpr (kIsFloat<T>)
      return std::floor(x);
    else
      return x;
  }
};
template <class T>
struct Trunc {
  T operator()(T x) const {
    if constexpr (kIsFloat<T>)
      return std::trunc(x);
    else
      return x;
  }
};
template <class T>
struct Round {
  T operator()(T x) const {
    if constexpr (kIsFloat<T>)
      return __builtin_rint(x);
    else
      return x;
  }
};
template <>
struct Round<float> {
  float operator()(float x) const { return __builtin_rintf(x); }
};
template <class T>
struct Frac {
  T operator()(T x) const { return x - std::trunc(x); }
};

template <class T>
struct RoundDecimals {
  T scale;
  bool negative;
  explicit RoundDecimals(const Params& p) : scale(p.get<T>(0)), negative(p.get<double>(1) != 0) {}
  T operator()(T x) const { return negative ? Round<T>{}(x / scale) * scale : Round<T>{}(x * scale) / scale; }
};

template <class T>
struct NanToNum {
  T nan, high, low;
  explicit NanToNum(const Params& p) : nan(p.get<T>(0)), high(p.get<T>(1)), low(p.get<T>(2)) {}
  T operator()(T x) const {
    const T inf = static_cast<T>(__builtin_inf());
    return x != x ? nan : x == inf ? high : x == -inf ? low : x;
  }
};

}  // namespace

void add_rounding(TileTable& t) {
  put<Ceil>(t, Op::Ceil, Reals{});
  put<Floor>(t, Op::Floor, Reals{});
  put<Trunc>(t, Op::Trunc, Reals{});
  put<Round>(t, Op::Round, Reals{});
  put<Frac>(t, Op::Frac, Floats{});
  put<RoundDecimals>(t, Op::RoundDecimals, Floats{});
  put<NanToNum>(t, Op::NanToNum, Floats{});
}

}  // namespace cann::kernels::CANN_ISA
