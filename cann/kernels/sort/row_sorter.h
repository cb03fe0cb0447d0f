// The RowSorter of one type. Instantiated in row_sorter_*.cpp, a few types to a file, so that they compile side by
// side.
#pragma once

#include <algorithm>

#include "cann/kernels/sort/radix.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
struct Rows {
  using I = Item<T>;

  static int64_t scratch_bytes(int64_t n) {
    return 2 * n * static_cast<int64_t>(sizeof(I)) + 4096 * static_cast<int64_t>(sizeof(I));
  }

  static void sort(const void* x_data, int64_t n, bool descending, bool ties_as_cpu, void* values, int64_t* indices,
                   void* scratch) {
    if (n == 0) return;
    auto x = static_cast<const T*>(x_data);
    auto items = static_cast<I*>(scratch);
    make_items(x, n, descending, items);
    if (ties_as_cpu)
      std::sort(items, items + n, KeyLess{});
    else
      items = sort_items<T>(items, items + n, n);
    emit(x, items, n, values, indices);
  }

  static void emit(const T* x, const I* items, int64_t n, void* values, int64_t* indices) {
    for (int64_t i = 0; i < n; ++i) indices[i] = items[i].index();
    if (values)
      for (int64_t i = 0; i < n; ++i) static_cast<T*>(values)[i] = x[items[i].index()];
  }

  // Compares keys alone. With the standard library's sorts this resolves ties of short rows as PyTorch's CPU kernels
  // do.
  struct KeyLess {
    bool operator()(const I& a, const I& b) const { return a.key() < b.key(); }
  };

  struct KeyItem {
    Key<T> key;
    bool operator<(KeyItem o) const { return key < o.key; }
  };

  static constexpr int64_t kShortRow = 512;

  static void topk(const void* x_data, int64_t n, int64_t k, bool largest, bool sorted, void* values, int64_t* indices,
                   void* scratch) {
    auto x = static_cast<const T*>(x_data);
    auto items = static_cast<I*>(scratch);
    if (n <= kShortRow) {
      make_items(x, n, largest, items);
      if (k * 64 <= n) {
        std::partial_sort(items, items + k, items + n, KeyLess{});
      } else {
        std::nth_element(items, items + k - 1, items + n, KeyLess{});
        if (sorted) std::sort(items, items + k - 1, KeyLess{});
      }
    } else if (k > n / 16) {
      make_items(x, n, largest, items);
      items = sort_items<T>(items, items + n, n);
    } else {
      filter_best(x, n, k, largest, items);
      if (sorted) std::sort(items, items + k);
    }
    emit(x, items, k, values, indices);
  }

  // The k best of a long row, in any order. The row is seen as at least 2k interleaved groups: k of them have a best
  // value no worse than the k-th best of these, so nothing beyond that one can be among the k best, and little else
  // passes. pre: k <= n / 16
  static void filter_best(const T* x, int64_t n, int64_t k, bool largest, I* items) {
    const Key<T> flip = largest ? kAllOnes<T> : 0;
    auto keys = reinterpret_cast<Key<T>*>(items + n);
    for (int64_t i = 0; i < n; ++i) keys[i] = key_of(x[i]) ^ flip;

    int64_t groups = 64;
    while (groups < 2 * k) groups *= 2;
    auto best = reinterpret_cast<KeyItem*>(items);
    for (int64_t g = 0; g < groups; ++g) best[g].key = keys[g];
    int64_t i = groups;
    for (; i + groups <= n; i += groups)
      for (int64_t g = 0; g < groups; ++g) best[g].key = keys[i + g] < best[g].key ? keys[i + g] : best[g].key;
    for (int64_t g = 0; i + g < n; ++g) best[g].key = keys[i + g] < best[g].key ? keys[i + g] : best[g].key;
    std::nth_element(best, best + k - 1, best + groups);
    const Key<T> limit = best[k - 1].key;

    constexpr int64_t kBlock = 16;
    int64_t held = 0;
    for (i = 0; i < n; i += kBlock) {
      if (i + kBlock <= n) {
        int any = 0;
        for (int64_t j = 0; j < kBlock; ++j) any |= keys[i + j] <= limit;
        if (!any) continue;
      }
      for (int64_t j = i; j < n && j < i + kBlock; ++j) {
        items[held] = I::make(keys[j], static_cast<uint32_t>(j));
        held += keys[j] <= limit;
      }
    }
    if (held > k) std::nth_element(items, items + k - 1, items + held);
  }

  // Hoare's selection with the median of three as pivot, on keys alone: among equal values it ends on the element that
  // PyTorch's CPU kernel ends on. Quadratic in the worst case.
  static void select_as_cpu(I* items, int64_t n, int64_t k) {
    const auto order = [items](int64_t a, int64_t b) {
      if (items[b].key() < items[a].key()) std::swap(items[a], items[b]);
    };
    int64_t left = 0, right = n - 1;
    while (right > left + 1) {
      std::swap(items[left + (right - left) / 2], items[left + 1]);
      order(left + 1, right);
      order(left, right);
      order(left + 1, left);
      const Key<T> pivot = items[left].key();
      int64_t up = left + 1, down = right;
      for (;;) {
        do ++up;
        while (items[up].key() < pivot);
        do --down;
        while (pivot < items[down].key());
        if (down < up) break;
        std::swap(items[up], items[down]);
      }
      std::swap(items[left], items[down]);
      if (down >= k) right = down - 1;
      if (down <= k) left = up;
    }
    if (right == left + 1) order(left, right);
  }

  static constexpr int64_t kTiesAsCpu = 8192;  // elements: so far the worst case is not felt

  static void kth(const void* x_data, int64_t n, int64_t k, void* value, int64_t* index, void* scratch) {
    auto x = static_cast<const T*>(x_data);
    auto items = static_cast<I*>(scratch);
    make_items(x, n, false, items);
    if (n <= kTiesAsCpu)
      select_as_cpu(items, n, k);
    else
      std::nth_element(items, items + k, items + n);
    *index = items[k].index();
    *static_cast<T*>(value) = x[*index];
  }

  static void median(const void* x_data, int64_t n, bool ignore_nan, void* value, int64_t* index, void* scratch) {
    auto x = static_cast<const T*>(x_data);
    int64_t nans = 0, first_nan = -1;
    for (int64_t i = 0; i < n; ++i) {
      if (!is_nan(x[i])) continue;
      if (first_nan < 0) first_nan = i;
      ++nans;
    }
    int64_t k;
    if (ignore_nan) {
      k = nans == n ? 0 : (n - nans - 1) / 2;
    } else if (nans) {
      *index = first_nan;
      *static_cast<T*>(value) = x[first_nan];
      return;
    } else {
      k = (n - 1) / 2;
    }
    auto items = static_cast<I*>(scratch);
    make_items(x, n, false, items);
    std::nth_element(items, items + k, items + n);
    *index = items[k].index();
    *static_cast<T*>(value) = x[*index];
  }

  static void mode(const void* x_data, int64_t n, void* value, int64_t* index, void* scratch) {
    auto x = static_cast<const T*>(x_data);
    auto items = static_cast<I*>(scratch);
    make_items(x, n, false, items);
    if (n <= kShortRow)
      std::sort(items, items + n, KeyLess{});
    else
      items = sort_items<T>(items, items + n, n);
    int64_t best = 0, best_length = 0, begin = 0;
    for (int64_t i = 1; i <= n; ++i) {
      if (i < n && items[i].key() == items[begin].key() && !is_nan(x[items[i].index()])) continue;
      if (i - begin > best_length) {
        best_length = i - begin;
        best = items[i - 1].index();
      }
      begin = i;
    }
    *index = best;
    *static_cast<T*>(value) = x[best];
  }

  static constexpr RowSorter kSorter{scratch_bytes, sort, topk, kth, median, mode};
};

}  // namespace
}  // namespace cann::kernels::CANN_ISA
