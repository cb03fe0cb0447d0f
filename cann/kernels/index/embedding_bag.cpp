// A bag's rows are added (or compared) tile by tile of columns, in the order of its indices: the same bits for any
// number of threads. Maximum: the first of equal values gives the index; NaN wins. Empty bags are zero.
#include "cann/kernels/index/embedding_bag.h"

#include <cmath>

#include "cann/kernels/index/combine.h"
#include "cann/kernels/index/cursor.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr int64_t kTile = 256;

void store_index(char* at, int64_t i, int64_t value, bool is_int32) {
  if (is_int32)
    reinterpret_cast<int32_t*>(at)[i] = static_cast<int32_t>(value);
  else
    reinterpret_cast<int64_t*>(at)[i] = value;
}

template <class T>
BadIndex reduce_bags(const Bags& b, int64_t begin, int64_t end) {
  using A = Accumulator<T>;
  const int64_t index_bytes = b.is_int32 ? 4 : 8;
  auto index_at = [&](int64_t i) { return load_index(b.indices + i * index_bytes, b.is_int32); };
  auto offset_at = [&](int64_t i) { return load_index(b.offsets + i * index_bytes, b.is_int32); };
  const T* weight = reinterpret_cast<const T*>(b.weight);
  const T* samples = reinterpret_cast<const T*>(b.sample_weights);
  for (int64_t bag = begin; bag < end; ++bag) {
    const int64_t first = offset_at(bag), stop = bag + 1 < b.bags || b.last_offset ? offset_at(bag + 1) : b.count;
    if (first < 0 || first > b.count) return {true, 0, first, b.count};
    if (stop < first || stop > b.count) return {true, 0, stop, b.count};
    int64_t members = 0;
    for (int64_t i = first; i < stop; ++i) {
      const int64_t row = index_at(i);
      if (static_cast<uint64_t>(row) >= static_cast<uint64_t>(b.rows)) return {true, 0, row, b.rows};
      members += row != b.padding;
      if (b.offset2bag) store_index(b.offset2bag, i, bag, b.is_int32);
    }
    if (b.bag_size) store_index(b.bag_size, bag, members, b.is_int32);
    for (int64_t c = 0; c < b.columns; c += kTile) {
      const int64_t n = b.columns - c < kTile ? b.columns - c : kTile;
      A sum[kTile];
      int64_t from[kTile];
      for (int64_t j = 0; j < n; ++j) sum[j] = A{}, from[j] = 0;
      bool any = false;
      for (int64_t i = first; i < stop; ++i) {
        const int64_t row = index_at(i);
        if (row == b.padding) continue;
        const T* x = weight + row * b.row_stride + c * b.column_stride;
        if (b.mode == BagMode::Max) {
          for (int64_t j = 0; j < n; ++j) {
            const A value = load(x[j * b.column_stride]);
            if (!any || value > sum[j] || value != value) {
              sum[j] = value;
              from[j] = row;
            }
          }
        } else if (samples) {
          const A scale = load(samples[i]);
          for (int64_t j = 0; j < n; ++j) sum[j] += scale * load(x[j * b.column_stride]);
        } else if (b.column_stride == 1) {
          for (int64_t j = 0; j < n; ++j) sum[j] += load(x[j]);
        } else {
          for (int64_t j = 0; j < n; ++j) sum[j] += load(x[j * b.column_stride]);
        }
        any = true;
      }
      if (b.mode == BagMode::Mean && members > 0)
        for (int64_t j = 0; j < n; ++j) sum[j] /= static_cast<A>(members);
      T* out = reinterpret_cast<T*>(b.out) + bag * b.columns + c;
      for (int64_t j = 0; j < n; ++j) store<T>(sum[j], out[j]);
      if (b.max_indices)
        for (int64_t j = 0; j < n; ++j) store_index(b.max_indices, bag * b.columns + c + j, from[j], b.is_int32);
    }
  }
  return {};
}

template <class F>
auto with_floating(DType dtype, F&& f) {
  switch (dtype) {
    case DType::Float64: return f(double{});
    case DType::Float16: return f(Half{});
    case DType::BFloat16: return f(BFloat16{});
    default: return f(float{});
  }
}

BadIndex bags(const Bags& b, int64_t begin, int64_t end) {
  return with_floating(b.dtype, [&](auto element) { return reduce_bags<decltype(element)>(b, begin, end); });
}

void renorm(DType dtype, void* row, int64_t columns, int64_t stride, double max_norm, double p) {
  with_floating(dtype, [&](auto element) {
    using T = decltype(element);
    T* x = static_cast<T*>(row);
    double norm = 0;
    for (int64_t j = 0; j < columns; ++j) {
      const double size = fabs(static_cast<double>(load(x[j * stride])));
      if (p == 2)
        norm += size * size;
      else if (p == 1)
        norm += size;
      else if (p == HUGE_VAL)
        norm = size > norm || size != size ? size : norm;
      else if (p == 0)
        norm += size != 0;
      else
        norm += pow(size, p);
    }
    if (p == 2)
      norm = sqrt(norm);
    else if (p != 1 && p != 0 && p != HUGE_VAL)
      norm = pow(norm, 1 / p);
    if (!(norm > max_norm)) return;
    const double scale = max_norm / (norm + 1e-7);
    for (int64_t j = 0; j < columns; ++j) {
      const auto value = static_cast<Accumulator<T>>(static_cast<double>(load(x[j * stride])) * scale);
      store<T>(value, x[j * stride]);
    }
  });
}

}  // namespace

extern const EmbeddingBagKernels embedding_bag_table{bags, renorm};

}  // namespace cann::kernels::CANN_ISA
