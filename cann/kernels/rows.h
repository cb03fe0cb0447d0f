// Reductions over a contiguous run of float or double, in 64 lanes (32 of double) that are added pairwise at the end:
// fast, accurate, and the same bits whoever calls. For kernel files only: it needs CANN_ISA.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "cann/kernels/half.h"

// Wide vectors are never passed between levels, so how a call passes them does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace cann::kernels::CANN_ISA::rows {

// 64 bytes at once; the compiler splits them where the level's registers are narrower.
template <class A>
struct LanesOf;
template <>
struct LanesOf<float> {
  typedef float V __attribute__((vector_size(64)));
};
template <>
struct LanesOf<double> {
  typedef double V __attribute__((vector_size(64)));
};
template <class A>
using Lanes = typename LanesOf<A>::V;
template <class A>
inline constexpr int kLanes = 64 / sizeof(A);

// A run of n in tiles: f(first, count).
inline constexpr int64_t kTile = 2048;
template <class F>
static inline void for_tiles(int64_t n, F f) {
  for (int64_t i = 0; i < n; i += kTile) f(i, n - i < kTile ? n - i : kTile);
}

// A term of a sum is written once, as a function of a loader: at(p) is p[i], or p[i] ... p[i + lanes - 1].
template <class A>
struct One {
  int64_t i;
  A operator()(const A* p) const { return p[i]; }
};
template <class A>
struct Many {
  int64_t i;
  Lanes<A> operator()(const A* p) const {
    Lanes<A> v;
    std::memcpy(&v, p + i, sizeof v);
    return v;
  }
};

template <int kFrom, class V, int... kLane>
static inline auto lanes_from(V v, std::integer_sequence<int, kLane...>) {
  return __builtin_shufflevector(v, v, (kFrom + kLane)...);
}

// All lanes to one number: the upper half joins the lower, in registers, until two are left.
template <class V, class Join>
static inline auto fold_lanes(V v, Join join) {
  constexpr int kHalf = static_cast<int>(sizeof(V) / sizeof(v[0])) / 2;
  if constexpr (kHalf == 1) {
    return join(v[0], v[1]);
  } else {
    constexpr auto lanes = std::make_integer_sequence<int, kHalf>();
    return fold_lanes(join(lanes_from<0>(v, lanes), lanes_from<kHalf>(v, lanes)), join);
  }
}

template <class A>
static inline A add_lanes(Lanes<A> v) {
  return fold_lanes(v, [](auto a, auto b) { return a + b; });
}

template <class A, class Term>
static inline A sum(int64_t n, Term term) {
  constexpr int L = kLanes<A>;
  Lanes<A> s0{}, s1{}, s2{}, s3{};
  int64_t i = 0;
  for (; i + 4 * L <= n; i += 4 * L) {
    s0 += term(Many<A>{i});
    s1 += term(Many<A>{i + L});
    s2 += term(Many<A>{i + 2 * L});
    s3 += term(Many<A>{i + 3 * L});
  }
  for (; i + L <= n; i += L) s0 += term(Many<A>{i});
  A rest = 0;
  for (; i < n; ++i) rest += term(One<A>{i});
  return add_lanes<A>((s0 + s1) + (s2 + s3)) + rest;
}

template <class A>
static inline A sum_of(const A* x, int64_t n) {
  return sum<A>(n, [=](auto at) { return at(x); });
}

// Two sums in one pass over the data.
template <class A, class Term>
static inline void sum2(int64_t n, A& first, A& second, Term term) {
  constexpr int L = kLanes<A>;
  Lanes<A> a0{}, a1{}, b0{}, b1{};
  int64_t i = 0;
  for (; i + 2 * L <= n; i += 2 * L) {
    term(Many<A>{i}, a0, b0);
    term(Many<A>{i + L}, a1, b1);
  }
  for (; i + L <= n; i += L) term(Many<A>{i}, a0, b0);
  A a = 0, b = 0;
  for (; i < n; ++i) term(One<A>{i}, a, b);
  first = add_lanes<A>(a0 + a1) + a;
  second = add_lanes<A>(b0 + b1) + b;
}

// The largest element, NaN left out; -inf for none.
template <class A>
static inline A maximum(const A* x, int64_t n) {
  constexpr int L = kLanes<A>;
  const A lowest = -static_cast<A>(__builtin_inff());
  Lanes<A> m0 = lowest - Lanes<A>{}, m1 = m0, m2 = m0, m3 = m0;
  auto larger = [](auto v, auto m) { return v > m ? v : m; };
  int64_t i = 0;
  for (; i + 4 * L <= n; i += 4 * L) {
    m0 = larger(Many<A>{i}(x), m0);
    m1 = larger(Many<A>{i + L}(x), m1);
    m2 = larger(Many<A>{i + 2 * L}(x), m2);
    m3 = larger(Many<A>{i + 3 * L}(x), m3);
  }
  for (; i + L <= n; i += L) m0 = larger(Many<A>{i}(x), m0);
  A m = fold_lanes(larger(larger(m0, m1), larger(m2, m3)), larger);
  for (; i < n; ++i) m = x[i] > m ? x[i] : m;
  return m;
}

// A tile of a row as compute type: the row itself where it already is, else widened into `buffer`.
static inline const float* tile_of(const float* x, int64_t, float*) { return x; }
static inline const double* tile_of(const double* x, int64_t, double*) { return x; }
template <class T>
static inline const float* tile_of(const T* x, int64_t n, float* buffer) {
  widen(x, buffer, n);
  return buffer;
}

}  // namespace cann::kernels::CANN_ISA::rows
