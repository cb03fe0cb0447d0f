// cumsum, cumprod, logcumsumexp. Rows: a prefix within each vector by log2(lanes) shifted folds, then the carry; the
// chain from vector to vector is one fold long.
#include "cann/kernels/reduce/simple.h"
#include "cann/kernels/scan/tables.h"

namespace cann::kernels::CANN_ISA {
namespace {

// log(e^a + e^b). Two equal infinities stay; NaN stays.
struct LogAddExp {
  static constexpr bool kVectors = false;
  template <class T>
  static T identity() {
    return -__builtin_inf();
  }
  template <class T>
  static T combine(T a, T b) {
    if (a != a || b != b) return a + b;
    T low = a < b ? a : b, high = a < b ? b : a;
    if (low == high && __builtin_isinf(low)) return high;
    return high + static_cast<T>(__builtin_log1p(__builtin_exp(low - high)));
  }
};

// Depends on A, so that the branches below which do not fit the number of lanes are discarded unread.
template <class A>
struct MaskOf {
  using Type = Vec<int64_t>;
};

// Lane i becomes the fold of lanes 0 .. i: each step folds in the lanes `shift` below.
template <class A, class Op>
inline Vec<A> prefix(Vec<A> v) {
  constexpr int L = kLanes<A>;
  const Vec<A> identity = splat<A>(Op::template identity<A>());
  using Mask = typename MaskOf<A>::Type;
  static_assert(sizeof(A) == 8 && L <= 8);
  if constexpr (L == 2) {
    v = Op::combine(__builtin_shuffle(v, identity, Mask{2, 0}), v);
  } else if constexpr (L == 4) {
    v = Op::combine(__builtin_shuffle(v, identity, Mask{4, 0, 1, 2}), v);
    v = Op::combine(__builtin_shuffle(v, identity, Mask{4, 4, 0, 1}), v);
  } else {
    v = Op::combine(__builtin_shuffle(v, identity, Mask{8, 0, 1, 2, 3, 4, 5, 6}), v);
    v = Op::combine(__builtin_shuffle(v, identity, Mask{8, 8, 0, 1, 2, 3, 4, 5}), v);
    v = Op::combine(__builtin_shuffle(v, identity, Mask{8, 8, 8, 8, 0, 1, 2, 3}), v);
  }
  return v;
}

// T: of the values; A: of the accumulator.
template <class T, class A, class Op>
struct Fold {
  static void identity(void* states, int64_t count) {
    for (int64_t i = 0; i < count; ++i) static_cast<A*>(states)[i] = Op::template identity<A>();
  }

  static void row(const void* x_data, void* y_data, int64_t*, int64_t n, int64_t, void* state) {
    auto x = static_cast<const T*>(x_data);
    auto y = static_cast<T*>(y_data);
    A carry = *static_cast<A*>(state);
    int64_t i = 0;
    if constexpr (Op::kVectors && !kIsComplex<T>) {
      constexpr int L = kLanes<A>;
      typedef T Narrow __attribute__((vector_size(L * sizeof(T))));
      for (; i + L <= n; i += L) {
        Narrow values;
        __builtin_memcpy(&values, x + i, sizeof values);
        Vec<A> sums = prefix<A, Op>(__builtin_convertvector(values, Vec<A>));
        if (y) {
          values = __builtin_convertvector(Op::combine(splat<A>(carry), sums), Narrow);
          __builtin_memcpy(y + i, &values, sizeof values);
        }
        carry = Op::combine(carry, static_cast<A>(sums[L - 1]));
      }
    }
    for (; i < n; ++i) {
      carry = Op::combine(carry, cast<A>(x[i]));
      if (y) y[i] = cast<T>(carry);
    }
    *static_cast<A*>(state) = carry;
  }

  static void columns(const void* x_data, int64_t x_stride, void* y_data, int64_t y_stride, int64_t*, int64_t,
                      int64_t rows, int64_t cols, int64_t, void* states) {
    auto x = static_cast<const T*>(x_data);
    auto y = static_cast<T*>(y_data);
    auto carry = static_cast<A*>(states);
    for (int64_t r = 0; r < rows; ++r, x += x_stride) {
      for (int64_t c = 0; c < cols; ++c) carry[c] = Op::combine(carry[c], cast<A>(x[c]));
      if (!y) continue;
      for (int64_t c = 0; c < cols; ++c) y[c] = cast<T>(carry[c]);
      y += y_stride;
    }
  }

  static void merge(void* into, const void* later, int64_t count) {
    auto a = static_cast<A*>(into);
    auto b = static_cast<const A*>(later);
    for (int64_t i = 0; i < count; ++i) a[i] = Op::combine(a[i], b[i]);
  }

  static constexpr Scanner make(DType compute) { return {compute, sizeof(A), false, identity, row, columns, merge}; }
};

template <class Op>
constexpr Scanner kFloat = Fold<float, double, Op>::make(DType::Float32);
template <class Op>
constexpr Scanner kDouble = Fold<double, double, Op>::make(DType::Float64);
template <class Op>
constexpr Scanner kInt64 = Fold<uint64_t, uint64_t, Op>::make(DType::Int64);  // unsigned: overflow wraps
template <class Op>
constexpr Scanner kComplex64 = Fold<Complex<float>, Complex<double>, Op>::make(DType::Complex64);
template <class Op>
constexpr Scanner kComplex128 = Fold<Complex<double>, Complex<double>, Op>::make(DType::Complex128);

template <class Op>
const Scanner* of_type(DType compute) {
  switch (compute) {
    case DType::Float32: return &kFloat<Op>;
    case DType::Float64: return &kDouble<Op>;
    case DType::Int64: return &kInt64<Op>;
    case DType::Complex64: return &kComplex64<Op>;
    case DType::Complex128: return &kComplex128<Op>;
    default: return nullptr;
  }
}

}  // namespace

const Scanner* find_fold(ScanOp op, DType compute) {
  if (op == ScanOp::CumSum) return of_type<Sum>(compute);
  if (op == ScanOp::CumProd) return of_type<Product>(compute);
  if (compute == DType::Float32) return &kFloat<LogAddExp>;
  return compute == DType::Float64 ? &kDouble<LogAddExp> : nullptr;
}

}  // namespace cann::kernels::CANN_ISA
