// Searchers of all types with an order.
#include "cann/kernels/sort/search.h"

#include <algorithm>

#include "cann/kernels/sort/keys.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
struct Search {
  static void search(const void* sorted_data, const int64_t* sorter, int64_t n, const void* value_data, int64_t count,
                     bool right, int64_t* out) {
    auto sorted = static_cast<const T*>(sorted_data);
    auto values = static_cast<const T*>(value_data);
    for (int64_t i = 0; i < count; ++i) {
      const Key<T> key = key_of(values[i]);
      const bool nan = is_nan(values[i]);
      int64_t low = 0, high = n;
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const T at = sorted[sorter ? sorter[middle] : middle];
        const Key<T> other = key_of(at);
        const bool before = nan | is_nan(at) | (right ? !(key < other) : other < key);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
      }
      out[i] = low;
    }
  }

  static void order_rows(const void* x_data, int64_t n, int64_t m, int64_t* order) {
    auto x = static_cast<const T*>(x_data);
    struct Row {
      int64_t index;
    };
    auto rows = reinterpret_cast<Row*>(order);
    for (int64_t i = 0; i < n; ++i) rows[i].index = i;
    std::sort(rows, rows + n, [=](const Row& a, const Row& b) {
      const T *p = x + a.index * m, *q = x + b.index * m;
      for (int64_t i = 0; i < m; ++i) {
        Key<T> left = key_of(p[i]), right = key_of(q[i]);
        if (left != right) return left < right;
      }
      return a.index < b.index;
    });
  }

  static void mark_starts(const void* x_data, const int64_t* order, int64_t n, int64_t m, uint8_t* starts) {
    auto x = static_cast<const T*>(x_data);
    if (!order && m == 1) {  // neighbours in memory: many at once
      if (n > 0) starts[0] = 1;
      for (int64_t i = 1; i < n; ++i) starts[i] = (key_of(x[i]) != key_of(x[i - 1])) | is_nan(x[i]);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      const T* row = x + (order ? order[i] : i) * m;
      const T* last = i == 0 ? nullptr : x + (order ? order[i - 1] : i - 1) * m;
      bool starts_here = last == nullptr;
      for (int64_t k = 0; k < m && !starts_here; ++k)
        starts_here = (key_of(row[k]) != key_of(last[k])) | is_nan(row[k]);
      starts[i] = starts_here;
    }
  }

  static bool equal(const void* a_data, const void* b_data, int64_t n) {
    auto a = static_cast<const T*>(a_data);
    auto b = static_cast<const T*>(b_data);
    constexpr int64_t kBlock = 1024;  // looks up from a vectorised loop now and then
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      const int64_t end = begin + kBlock < n ? begin + kBlock : n;
      int differ = 0;
      for (int64_t i = begin; i < end; ++i) differ |= (key_of(a[i]) != key_of(b[i])) | is_nan(a[i]);
      if (differ) return false;
    }
    return true;
  }

  static constexpr Searcher kSearcher{search, order_rows, mark_starts, equal};
};

const Searcher* find(DType dtype) {
  switch (dtype) {
    case DType::Float32: return &Search<float>::kSearcher;
    case DType::Float64: return &Search<double>::kSearcher;
    case DType::Float16: return &Search<Half>::kSearcher;
    case DType::BFloat16: return &Search<BFloat16>::kSearcher;
    case DType::Int64: return &Search<int64_t>::kSearcher;
    case DType::Int32: return &Search<int32_t>::kSearcher;
    case DType::Int16: return &Search<int16_t>::kSearcher;
    case DType::Int8: return &Search<int8_t>::kSearcher;
    case DType::UInt8: return &Search<uint8_t>::kSearcher;
    case DType::Bool: return &Search<Bool>::kSearcher;
    default: return nullptr;
  }
}

}  // namespace

extern const SearchKernels search_table{find};

}  // namespace cann::kernels::CANN_ISA
