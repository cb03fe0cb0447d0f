// The sorted form of a scatter: entries, their radix sort, and the reduction of each destination's run. Half types are
// widened, accumulated in float32 and rounded once; sums go in the order of the points, whatever the number of threads.
#include "cann/kernels/index/scatter.h"

#include "cann/kernels/index/combine.h"
#include "cann/kernels/index/cursor.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class Visit>
BadIndex for_each_point(const IndexWalk& walk, int64_t begin, int64_t end, Visit&& visit) {
  BadIndex bad;
  const int last = walk.ndim - 1;
  const int64_t inner = walk.sizes[last];
  Cursor cursor(walk);
  cursor.seek(begin / inner);
  for (int64_t j = begin % inner; begin < end; j = 0, cursor.next())
    for (; j < inner && begin < end; ++j, ++begin) {
      int64_t offset;
      if (!cursor.resolve(j, offset, bad)) return bad;
      visit(begin, cursor.indexed + offset + j * walk.indexed_strides[last],
            cursor.plain + j * walk.plain_strides[last]);
    }
  return bad;
}

BadIndex check(const IndexWalk& walk, int64_t begin, int64_t end) {
  return for_each_point(walk, begin, end, [](int64_t, int64_t, int64_t) {});
}

BadIndex entries(const IndexWalk& walk, int64_t begin, int64_t end, ScatterEntry* to) {
  return for_each_point(walk, begin, end,
                        [to](int64_t i, int64_t indexed, int64_t plain) { to[i] = {indexed, plain}; });
}

// Radix sort, 11 bits a pass, least significant first: each pass keeps the order of equals.
ScatterEntry* sort(ScatterEntry* from, ScatterEntry* spare, int64_t n, int64_t element_bytes) {
  constexpr int kBits = 11, kBuckets = 1 << kBits;
  int shift = 0;
  while (element_bytes >> (shift + 1)) ++shift;  // destinations are multiples of the element size
  int64_t largest = 0;
  bool sorted = true;
  for (int64_t i = 0; i < n; ++i) {
    largest |= from[i].indexed;
    sorted &= i == 0 || from[i - 1].indexed <= from[i].indexed;
  }
  if (sorted) return from;
  for (; largest >> shift; shift += kBits) {
    int64_t at[kBuckets] = {};
    for (int64_t i = 0; i < n; ++i) ++at[(from[i].indexed >> shift) & (kBuckets - 1)];
    int64_t sum = 0;
    for (int b = 0; b < kBuckets; ++b) {
      const int64_t count = at[b];
      at[b] = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; ++i) spare[at[(from[i].indexed >> shift) & (kBuckets - 1)]++] = from[i];
    ScatterEntry* other = from;
    from = spare;
    spare = other;
  }
  return from;
}

template <class A>
A divided(A sum, int64_t count) {
  if constexpr (std::is_same_v<A, Bool>) {
    return sum;
  } else if constexpr (std::is_integral_v<A>) {
    const A n = static_cast<A>(count);
    if (n == 0) return sum;
    A quotient = static_cast<A>(sum / n);
    return static_cast<A>(sum % n != 0 && (sum < 0) != (n < 0) ? quotient - 1 : quotient);
  } else if constexpr (std::is_floating_point_v<A>) {
    return sum / static_cast<A>(count);
  } else {
    return {sum.re / static_cast<decltype(sum.re)>(count), sum.im / static_cast<decltype(sum.re)>(count)};
  }
}

constexpr int64_t kTile = 256;

// One run, one stretch of at most kTile elements of its slice.
template <class T, class Op>
void reduce_tile(char* to, int64_t to_stride, const char* plain, int64_t from_stride, int64_t count,
                 const ScatterEntry* run, int64_t length, const ReduceRuns& how) {
  using A = Accumulator<T>;
  A sum[kTile];
  int64_t k = 0;
  auto value = [&](const char* from, int64_t j) {
    A x = load(*reinterpret_cast<const T*>(from + j * from_stride));
    return how.alpha ? Multiply::apply(load(*static_cast<const T*>(how.alpha)), x) : x;
  };
  if (how.include_self) {
    for (int64_t j = 0; j < count; ++j) sum[j] = load(*reinterpret_cast<const T*>(to + j * to_stride));
  } else {
    for (int64_t j = 0; j < count; ++j) sum[j] = value(plain + run[0].plain, j);
    k = 1;
  }
  const int64_t taking_part = length + (how.include_self ? 1 : 0);
  for (; k < length; ++k) {
    const char* from = plain + run[k].plain;
    if (from_stride == static_cast<int64_t>(sizeof(T)) && !how.alpha) {
      const T* in = reinterpret_cast<const T*>(from);
      if constexpr (std::is_same_v<T, Half>) {
        if (count >= 16) {
          float wide[kTile];
          widen<Half>(in, wide, count);
          for (int64_t j = 0; j < count; ++j) sum[j] = Op::apply(sum[j], wide[j]);
          continue;
        }
      }
      for (int64_t j = 0; j < count; ++j) sum[j] = Op::apply(sum[j], load(in[j]));
    } else {
      for (int64_t j = 0; j < count; ++j) sum[j] = Op::apply(sum[j], value(from, j));
    }
  }
  if (how.mean)
    for (int64_t j = 0; j < count; ++j) sum[j] = divided(sum[j], taking_part);
  for (int64_t j = 0; j < count; ++j) store<T>(sum[j], *reinterpret_cast<T*>(to + j * to_stride));
}

// Runs of single elements: what reduce_tile does, without its tile.
template <class T, class Op>
void reduce_single(const IndexWalk& slice, const ScatterEntry* entries, int64_t n, int64_t first, int64_t end,
                   const ReduceRuns& how) {
  using A = Accumulator<T>;
  const A alpha = how.alpha ? load(*static_cast<const T*>(how.alpha)) : A{};
  auto value = [&](int64_t k) {
    const A x = load(*reinterpret_cast<const T*>(slice.plain + entries[k].plain));
    return how.alpha ? Multiply::apply(alpha, x) : x;
  };
  while (first < end) {
    const int64_t to = entries[first].indexed;
    T& out = *reinterpret_cast<T*>(slice.indexed + to);
    int64_t k = first, taking_part = how.include_self ? 1 : 0;
    A sum = how.include_self ? load(out) : value(k++);
    for (; k < n && entries[k].indexed == to; ++k) sum = Op::apply(sum, value(k));
    taking_part += k - first;
    store<T>(how.mean ? divided(sum, taking_part) : sum, out);
    first = k;
  }
}

template <class T, class Op>
void reduce_all(const IndexWalk& slice, const ScatterEntry* entries, int64_t n, int64_t begin, int64_t end,
                const ReduceRuns& how) {
  const int last = slice.ndim - 1;
  const int64_t inner = slice.sizes[last], rows = slice.numel() / inner;
  int64_t first = begin;
  while (first > 0 && first < end && entries[first].indexed == entries[first - 1].indexed) ++first;
  if (inner == 1 && rows == 1) return reduce_single<T, Op>(slice, entries, n, first, end, how);
  while (first < end) {
    int64_t stop = first + 1;
    while (stop < n && entries[stop].indexed == entries[first].indexed) ++stop;
    Cursor cursor(slice);
    cursor.seek(0);
    for (int64_t r = 0; r < rows; ++r, cursor.next())
      for (int64_t j = 0; j < inner; j += kTile)
        reduce_tile<T, Op>(slice.indexed + entries[first].indexed + cursor.indexed + j * slice.indexed_strides[last],
                           slice.indexed_strides[last], slice.plain + cursor.plain + j * slice.plain_strides[last],
                           slice.plain_strides[last], inner - j < kTile ? inner - j : kTile, entries + first,
                           stop - first, how);
    first = stop;
  }
}

// pre: the slice has at least one element
void reduce_runs(const IndexWalk& slice, const ScatterEntry* entries, int64_t n, int64_t begin, int64_t end,
                 const ReduceRuns& how) {
  with_type(how.dtype, [&](auto element) {
    with_combine(how.combine,
                 [&](auto op) { reduce_all<decltype(element), decltype(op)>(slice, entries, n, begin, end, how); });
  });
}

}  // namespace

extern const ScatterRunsKernels scatter_runs_table{check, entries, sort, reduce_runs};

}  // namespace cann::kernels::CANN_ISA
