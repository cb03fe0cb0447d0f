// cummax and cummin with indices. Of equal values the last one's index; once NaN, only a later NaN moves the index.
#include "cann/kernels/reduce/simple.h"
#include "cann/kernels/scan/tables.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T, bool kLargest>
struct Extremum {
  struct State {
    T value;
    int64_t index;  // -1: nothing seen
  };

  static bool replaces(T later, T earlier) {
    return (later != later) | (kLargest ? later >= earlier : later <= earlier);
  }

  static void identity(void* states, int64_t count) {
    for (int64_t i = 0; i < count; ++i) static_cast<State*>(states)[i] = {T{}, -1};
  }

  static void row(const void* x_data, void* y_data, int64_t* indices, int64_t n, int64_t first, void* state_data) {
    auto x = static_cast<const T*>(x_data);
    auto y = static_cast<T*>(y_data);
    auto state = static_cast<State*>(state_data);
    if (state->index < 0 && n > 0) *state = {x[0], first};
    T value = state->value;
    int64_t index = state->index;
    for (int64_t i = 0; i < n; ++i) {
      T v = x[i];
      bool wins = replaces(v, value);
      value = wins ? v : value;
      index = wins ? first + i : index;
      if (y) {
        y[i] = value;
        indices[i] = index;
      }
    }
    *state = {value, index};
  }

  static void columns(const void* x_data, int64_t x_stride, void* y_data, int64_t y_stride, int64_t* indices,
                      int64_t index_stride, int64_t rows, int64_t cols, int64_t first, void* states) {
    T value[kMaxScanCols];
    int64_t index[kMaxScanCols];
    auto x = static_cast<const T*>(x_data);
    auto y = static_cast<T*>(y_data);
    auto s = static_cast<State*>(states);
    for (int64_t c = 0; c < cols; ++c) {
      bool fresh = s[c].index < 0;
      value[c] = fresh ? x[c] : s[c].value;
      index[c] = fresh ? first : s[c].index;
    }
    for (int64_t r = 0; r < rows; ++r, x += x_stride) {
      for (int64_t c = 0; c < cols; ++c) {
        bool wins = replaces(x[c], value[c]);
        value[c] = wins ? x[c] : value[c];
        index[c] = wins ? first + r : index[c];
      }
      if (!y) continue;
      __builtin_memcpy(y, value, cols * sizeof(T));
      __builtin_memcpy(indices, index, cols * sizeof(int64_t));
      y += y_stride;
      indices += index_stride;
    }
    for (int64_t c = 0; c < cols; ++c) s[c] = {value[c], index[c]};
  }

  static void merge(void* into, const void* later, int64_t count) {
    auto a = static_cast<State*>(into);
    auto b = static_cast<const State*>(later);
    for (int64_t i = 0; i < count; ++i)
      if (b[i].index >= 0 && (a[i].index < 0 || replaces(b[i].value, a[i].value))) a[i] = b[i];
  }

  static constexpr Scanner make(DType compute) { return {compute, sizeof(State), true, identity, row, columns, merge}; }
};

template <class T, bool kLargest>
constexpr Scanner kScanner = Extremum<T, kLargest>::make(kSame<T, uint8_t> ? DType::Bool : kDTypeOf<T>);

template <bool kLargest>
const Scanner* of_type(DType compute) {
  switch (compute) {
    case DType::Float32: return &kScanner<float, kLargest>;
    case DType::Float64: return &kScanner<double, kLargest>;
    case DType::Int64: return &kScanner<int64_t, kLargest>;
    case DType::Bool: return &kScanner<uint8_t, kLargest>;
    default: return nullptr;
  }
}

}  // namespace

const Scanner* find_running_extremum(ScanOp op, DType compute) {
  return op == ScanOp::CumMax ? of_type<true>(compute) : of_type<false>(compute);
}

}  // namespace cann::kernels::CANN_ISA
