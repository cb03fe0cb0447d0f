// histc and bincount. Counting goes through one table in order, so that sums of weights do not depend on the number of
// threads.
#include <algorithm>
#include <cmath>

#include "cann/kernels/reduce/convert.h"
#include "cann/ops/dense.h"
#include "cann/ops/search.h"

namespace cann::ops {
namespace {

// The bin of each value in T's arithmetic, as PyTorch computes it; what lies outside, NaN included, is in none.
template <class T>
void count_bins(const T* x, int64_t n, int64_t bins, T low, T high, double* counts) {
  for (int64_t i = 0; i < n; ++i) {
    if (!(x[i] >= low && x[i] <= high)) continue;
    auto bin = static_cast<int64_t>((x[i] - low) / (high - low) * static_cast<T>(bins));
    counts[std::min(bin, bins - 1)] += 1;
  }
}

template <class T>
Status run_histc(const TensorView& self, int64_t bins, double min, double max, const TensorView& out) {
  constexpr DType kType = sizeof(T) == 4 ? DType::Float32 : DType::Float64;
  const Dense values(self, kType);
  const T* x = values.as<T>();
  const int64_t n = self.numel();
  T low = static_cast<T>(min), high = static_cast<T>(max);
  if (low == high && n > 0) {
    low = *std::min_element(x, x + n);
    high = *std::max_element(x, x + n);
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  if (!std::isfinite(low) || !std::isfinite(high))
    return bad_parameter("histc: range of [" + std::to_string(low) + ", " + std::to_string(high) + "] is not finite");
  const std::unique_ptr<double[]> counts(new double[bins]());
  count_bins(x, n, bins, low, high, counts.get());
  kernels::convert().find(DType::Float64, out.dtype)(counts.get(), {0, 1}, out.data, {0, out.strides[0]}, 1, bins);
  return {};
}

template <class W>
Status run_bincount(const TensorView& self, const TensorView* weights, const TensorView& out) {
  constexpr DType kType = std::is_same_v<W, int64_t> ? DType::Int64
                          : std::is_same_v<W, float> ? DType::Float32
                                                     : DType::Float64;
  const Dense values(self, DType::Int64);
  const Dense weight(weights ? *weights : TensorView{}, kType);
  DenseOut result(out, kType);
  W* table = result.as<W>();
  const int64_t bins = out.numel(), n = self.numel();
  std::fill(table, table + bins, W{});
  for (int64_t i = 0; i < n; ++i) {
    const int64_t value = values.as<int64_t>()[i];
    if (value < 0 || value >= bins)
      return bad_parameter("bincount: value " + std::to_string(value) + ": needs at least 0 and less than " +
                           std::to_string(bins));
    table[value] += weights ? weight.as<W>()[i] : W{1};
  }
  result.finish();
  return {};
}

}  // namespace

Result<Launch> histc(const TensorView& self, int64_t bins, double min, double max, const TensorView& out) {
  const bool typed = (is_floating(self.dtype) || is_integral(self.dtype)) &&
                     kernels::convert().find(DType::Float64, out.dtype) != nullptr;
  if (!typed || bins < 1 || out.ndim != 1 || out.sizes[0] != bins)
    return bad_parameter("histc: self " + describe(self) + ", bins " + std::to_string(bins) + ", out " + describe(out));
  const bool wide = self.dtype == DType::Float64 || is_integral(self.dtype);
  return Launch{Task("histc", 1 + static_cast<float>(self.numel()) / 300, [=](TaskContext&) {
    return wide ? run_histc<double>(self, bins, min, max, out) : run_histc<float>(self, bins, min, max, out);
  })};
}

Result<Launch> bincount(const TensorView& self, const TensorView* weights, const TensorView& out) {
  if (!is_integral(self.dtype) || out.ndim != 1 || (weights && weights->numel() != self.numel()) ||
      (out.dtype != DType::Int64 && out.dtype != DType::Float32 && out.dtype != DType::Float64))
    return bad_parameter("bincount: self " + describe(self) + ", out " + describe(out));
  return Launch{Task(
      "bincount", 1 + static_cast<float>(self.numel()) / 500,
      [self, out, weight = weights ? *weights : TensorView{}, weighted = weights != nullptr](TaskContext&) {
        const TensorView* w = weighted ? &weight : nullptr;
        if (out.dtype == DType::Int64) return run_bincount<int64_t>(self, w, out);
        return out.dtype == DType::Float32 ? run_bincount<float>(self, w, out) : run_bincount<double>(self, w, out);
      })};
}

}  // namespace cann::ops
