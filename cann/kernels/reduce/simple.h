// Reducers whose state is one number: fold(combine, map(x)). An Op gives
//   identity<T>()          the fold of nothing
//   map(x, parameter)      of each value; works on scalars and vectors alike
//   combine(a, b)          of two folds; works on scalars and vectors alike
//   finish<V>(a, n, parameter)
// Rows run in four vectors that are folded pairwise at the end, columns four rows at a time.
#pragma once

#include "cann/kernels/element.h"
#include "cann/kernels/reduce/reduce.h"
#include "cann/kernels/vectors.h"

namespace cann::kernels::CANN_ISA {

template <class R>
inline Complex<R> operator+(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
inline Complex<R> operator*(Complex<R> a, Complex<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R>
inline Complex<R> operator/(Complex<R> a, R b) {
  return {a.re / b, a.im / b};
}

template <class T, class Op>
inline T fold_lanes(Vec<T> v) {
  T lane[kLanes<T>];
  __builtin_memcpy(lane, &v, sizeof v);
  for (int width = kLanes<T> / 2; width; width /= 2)
    for (int i = 0; i < width; ++i) lane[i] = Op::combine(lane[i], lane[i + width]);
  return lane[0];
}

// A vector of T from values stored as S.
template <class T, class S>
inline Vec<T> load_as(const S* p) {
  if constexpr (kSame<S, T>) {
    return load(p);
  } else if constexpr (kSame<S, BFloat16>) {
    typedef uint16_t Raw __attribute__((vector_size(kVectorBytes / 2)));
    Raw raw;
    __builtin_memcpy(&raw, p, sizeof raw);
    return reinterpret_cast<Vec<float>>(__builtin_convertvector(raw, Vec<uint32_t>) << 16);
  } else {
    T lane[kLanes<T>];
    widen(p, lane, kLanes<T>);  // one instruction where the level has it
    return load(lane);
  }
}

template <class T, class Op, class S>
inline T fold_row(const S* x, int64_t n, double parameter) {
  T total = Op::template identity<T>();
  int64_t i = 0;
  if constexpr (!kIsComplex<T> && Op::kVectors) {
    constexpr int L = kLanes<T>;
    if (n >= L) {
      Vec<T> a = splat<T>(Op::template identity<T>());
      if (n >= 4 * L) {
        Vec<T> b = a, c = a, d = a;
        for (; i + 4 * L <= n; i += 4 * L) {
          a = Op::combine(a, Op::map(load_as<T>(x + i), parameter));
          b = Op::combine(b, Op::map(load_as<T>(x + i + L), parameter));
          c = Op::combine(c, Op::map(load_as<T>(x + i + 2 * L), parameter));
          d = Op::combine(d, Op::map(load_as<T>(x + i + 3 * L), parameter));
        }
        a = Op::combine(Op::combine(a, b), Op::combine(c, d));
      }
      for (; i + L <= n; i += L) a = Op::combine(a, Op::map(load_as<T>(x + i), parameter));
      total = fold_lanes<T, Op>(a);
    }
  }
  for (; i < n; ++i) total = Op::combine(total, Op::map(cast<T>(x[i]), parameter));
  return total;
}

// T: how the values and states are stored; V: what finish writes.
template <class T, class V, class Op>
struct SimpleReducer {
  static void identity(void* states, int64_t count) {
    for (int64_t i = 0; i < count; ++i) static_cast<T*>(states)[i] = Op::template identity<T>();
  }

  static void rows(const void* x, int64_t row_stride, int64_t rows, int64_t n, int64_t, double parameter,
                   void* states) {
    auto row = static_cast<const T*>(x);
    for (int64_t r = 0; r < rows; ++r, row += row_stride)
      static_cast<T*>(states)[r] = fold_row<T, Op>(row, n, parameter);
  }

  static void columns(const void* x, int64_t row_stride, int64_t rows, int64_t cols, int64_t, double parameter,
                      void* states) {
    auto row = static_cast<const T*>(x);
    auto acc = static_cast<T* __restrict>(states);
    for (int64_t c = 0; c < cols; ++c) acc[c] = Op::combine(Op::template identity<T>(), Op::map(row[c], parameter));
    row += row_stride;
    int64_t r = 1;
    for (; r + 4 <= rows; r += 4, row += 4 * row_stride) {
      const T *a = row, *b = row + row_stride, *c = row + 2 * row_stride, *d = row + 3 * row_stride;
      for (int64_t i = 0; i < cols; ++i) {
        T ab = Op::combine(Op::map(a[i], parameter), Op::map(b[i], parameter));
        T cd = Op::combine(Op::map(c[i], parameter), Op::map(d[i], parameter));
        acc[i] = Op::combine(acc[i], Op::combine(ab, cd));
      }
    }
    for (; r < rows; ++r, row += row_stride)
      for (int64_t i = 0; i < cols; ++i) acc[i] = Op::combine(acc[i], Op::map(row[i], parameter));
  }

  static void merge(void* into, const void* later, int64_t count) {
    auto a = static_cast<T* __restrict>(into);
    auto b = static_cast<const T* __restrict>(later);
    for (int64_t i = 0; i < count; ++i) a[i] = Op::combine(a[i], b[i]);
  }

  static void finish(const void* states, int64_t count, int64_t n, double parameter, void* values, int64_t*) {
    for (int64_t i = 0; i < count; ++i)
      static_cast<V*>(values)[i] = Op::template finish<V>(static_cast<const T*>(states)[i], n, parameter);
  }

  static constexpr Reducer make(DType compute, DType value) {
    return {compute, value, sizeof(T), false, identity, rows, columns, merge, finish};
  }
};

// Values of a half type H, reduced in float32 without a converted copy.
template <class H, class Op>
struct HalfReducer : SimpleReducer<float, float, Op> {
  static void rows(const void* x, int64_t row_stride, int64_t rows, int64_t n, int64_t, double parameter,
                   void* states) {
    auto row = static_cast<const H*>(x);
    for (int64_t r = 0; r < rows; ++r, row += row_stride)
      static_cast<float*>(states)[r] = fold_row<float, Op>(row, n, parameter);
  }

  static void columns(const void* x, int64_t row_stride, int64_t rows, int64_t cols, int64_t, double parameter,
                      void* states) {
    auto row = static_cast<const H*>(x);
    auto acc = static_cast<float* __restrict>(states);
    float tile[kMaxBlockCols];
    for (int64_t c = 0; c < cols; ++c) acc[c] = Op::template identity<float>();
    for (int64_t r = 0; r < rows; ++r, row += row_stride) {
      widen(row, tile, cols);
      for (int64_t c = 0; c < cols; ++c) acc[c] = Op::combine(acc[c], Op::map(tile[c], parameter));
    }
  }

  static constexpr Reducer make(DType compute) {
    using Base = SimpleReducer<float, float, Op>;
    return {compute, DType::Float32, sizeof(float), false, Base::identity, rows, columns, Base::merge, Base::finish};
  }
};

template <class H, class Op>
inline constexpr Reducer kHalfReducer = HalfReducer<H, Op>::make(kDTypeOf<H>);

template <class T, class Op>
inline constexpr Reducer kSimpleReducer = SimpleReducer<T, T, Op>::make(kDTypeOf<T>, kDTypeOf<T>);

// The usual rest of an Op: values as they are, the result as it is.
struct PlainOp {
  static constexpr bool kVectors = true;
  template <class T>
  static T map(T x, double) {
    return x;
  }
  template <class V, class T>
  static V finish(T total, int64_t, double) {
    return total;
  }
};

// The folds that several files share.
struct Sum : PlainOp {
  template <class T>
  static T identity() {
    return T{};
  }
  template <class T>
  static T combine(T a, T b) {
    return a + b;
  }
};

struct Product : PlainOp {
  template <class T>
  static T identity() {
    if constexpr (kIsComplex<T>)
      return {1, 0};
    else
      return 1;
  }
  template <class T>
  static T combine(T a, T b) {
    return a * b;
  }
};

// NaN of either side stays.
template <class T>
inline T larger(T a, T b) {
  const T chosen = b > a ? b : a;  // one condition each: GCC 12 vectorises no choice by two
  return b != b ? b : chosen;
}
template <class T>
inline T smaller(T a, T b) {
  const T chosen = b < a ? b : a;
  return b != b ? b : chosen;
}

template <class T>
constexpr T lowest() {
  if constexpr (kIsFloat<T>)
    return -__builtin_inf();
  else if constexpr (kSame<T, int64_t>)
    return INT64_MIN;
  else
    return 0;
}
template <class T>
constexpr T highest() {
  if constexpr (kIsFloat<T>)
    return __builtin_inf();
  else if constexpr (kSame<T, int64_t>)
    return INT64_MAX;
  else
    return 1;  // a boolean in its byte
}

// What reduce.cpp chooses from; each in the file of its name.
const Reducer* find_sum(ReduceOp op, DType compute);
const Reducer* find_extremum(ReduceOp op, DType compute);
const Reducer* find_arg(ReduceOp op, DType compute);
const Reducer* find_logic(ReduceOp op, DType compute);
const Reducer* find_norm(ReduceOp op, DType compute);
const Reducer* find_moments(ReduceOp op, DType compute);
const Reducer* find_logsumexp(ReduceOp op, DType compute);

}  // namespace cann::kernels::CANN_ISA
