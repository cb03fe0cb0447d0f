// Different values, or different slices along a dimension: order them, mark where a new one starts, number the marks. A
// single row of values is sorted by radix, slices by comparison. One thread; the outputs' real size is written to their
// descriptors at the end.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "cann/kernels/sort/search.h"
#include "cann/kernels/sort/sort.h"
#include "cann/ops/dense.h"
#include "cann/ops/search.h"

namespace cann::ops {
namespace {

// Single values: those that start a group side by side in `to`, which has room for n; the number of each one's group,
// where each group begins, if wanted. order null: as they lie. Gives the number of groups. Without a jump: which values
// start a group cannot be foreseen.
template <class T>
int64_t keep_starts(const char* values, const int64_t* order, const uint8_t* starts, int64_t n, char* to,
                    int64_t* group_of, int64_t* begins) {
  const T* from = reinterpret_cast<const T*>(values);
  T* kept = reinterpret_cast<T*>(to);
  int64_t found = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = order ? order[i] : i;
    kept[found] = from[at];  // overwritten by the next, unless it starts a group
    if (begins) begins[found] = i;
    found += starts[i];
    if (group_of) group_of[at] = found - 1;
  }
  return found;
}

struct Unique {
  TensorView self;  // seen as [outer, n, inner]: the different ones are slices [:, i, :]
  bool consecutive;
  TensorView values;
  std::optional<TensorView> inverse, counts;
  ReportedShape::Handle values_size, counts_size;
  int value_dim;  // the dimension of `values` that shrinks
  int64_t outer, n, inner;

  void run() const {
    const int64_t m = outer * inner, item = size_of(self.dtype);
    const Dense dense(self, self.dtype);
    const std::unique_ptr<char[]> rows_memory(outer > 1 ? new char[n * m * item] : nullptr);
    const char* rows = outer > 1 ? rows_memory.get() : dense.data();  // [n, m]
    if (outer > 1)
      for (int64_t i = 0; i < n; ++i)
        for (int64_t o = 0; o < outer; ++o)
          std::memcpy(rows_memory.get() + (i * outer + o) * inner * item, dense.data() + (o * n + i) * inner * item,
                      inner * item);

    const std::unique_ptr<int64_t[]> order(new int64_t[n + 1]);
    const std::unique_ptr<uint8_t[]> starts(new uint8_t[n + 1]);
    sort_rows(rows, m, order.get());
    kernels::search().find(self.dtype)->mark_starts(rows, consecutive ? nullptr : order.get(), n, m, starts.get());

    const int64_t* order_used = consecutive ? nullptr : order.get();
    const int64_t found =
        m == 1 ? keep_values(rows, order_used, starts.get()) : keep_slices(rows, order_used, starts.get());
    values_size.report(value_dim, found);
    counts_size.report(0, found);
  }

  int64_t keep_values(const char* rows, const int64_t* order, const uint8_t* starts) const {
    const auto keep = [&]<class T>(T) {
      return keep_starts<T>(rows, order, starts, n, values.as<char>(), inverse ? inverse->as<int64_t>() : nullptr,
                            counts ? counts->as<int64_t>() : nullptr);
    };
    const int64_t item = size_of(self.dtype);
    const int64_t found = item == 1   ? keep(uint8_t{})
                          : item == 2 ? keep(uint16_t{})
                          : item == 4 ? keep(uint32_t{})
                                      : keep(uint64_t{});
    if (counts) {  // so far where each group begins
      int64_t* begins = counts->as<int64_t>();
      for (int64_t g = 0; g < found; ++g) begins[g] = (g + 1 < found ? begins[g + 1] : n) - begins[g];
    }
    return found;
  }

  int64_t keep_slices(const char* rows, const int64_t* order, const uint8_t* starts) const {
    const int64_t item = size_of(self.dtype), found = std::count(starts, starts + n, 1);
    char* out = values.as<char>();
    int64_t group = -1, group_begin = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = order ? order[i] : i;
      if (starts[i]) {
        if (group >= 0 && counts) counts->as<int64_t>()[group] = i - group_begin;
        group_begin = i;
        ++group;
        for (int64_t o = 0; o < outer; ++o)
          std::memcpy(out + (o * found + group) * inner * item, rows + (row * outer + o) * inner * item, inner * item);
      }
      if (inverse) inverse->as<int64_t>()[row] = group;
    }
    if (group >= 0 && counts) counts->as<int64_t>()[group] = n - group_begin;
    return found;
  }

  void sort_rows(const char* rows, int64_t m, int64_t* order) const {
    if (consecutive || n == 0) return;
    if (m != 1) return kernels::search().find(self.dtype)->order_rows(rows, n, m, order);
    const kernels::RowSorter* sorter = kernels::sort().find(self.dtype);
    const std::unique_ptr<char[]> scratch(new char[sorter->scratch_bytes(n)]);
    sorter->sort(rows, n, false, false, nullptr, order, scratch.get());
  }
};

bool usable(const std::optional<TensorView>& t, DType dtype) { return !t || (t->dtype == dtype && t->is_contiguous()); }

}  // namespace

Result<Launch> unique(const char* name, const TensorView& self, std::optional<int64_t> dim, bool consecutive,
                      UniqueOutputs outputs) {
  const auto optional = [](const TensorView* t) { return t ? std::optional<TensorView>(*t) : std::nullopt; };
  Unique call{.self = self,
              .consecutive = consecutive,
              .values = *outputs.values,
              .inverse = optional(outputs.inverse),
              .counts = optional(outputs.counts),
              .values_size = promise_shape(*outputs.values),
              .counts_size = outputs.counts ? promise_shape(*outputs.counts) : ReportedShape::Handle(),
              .value_dim = 0,
              .outer = 1,
              .n = self.numel(),
              .inner = 1};
  if (dim) {
    const int64_t wrapped = *dim < 0 ? *dim + self.ndim : *dim;
    if (wrapped < 0 || wrapped >= self.ndim)
      return bad_parameter(std::string(name) + ": dim " + std::to_string(*dim) + " of self " + describe(self));
    for (int d = 0; d < wrapped; ++d) call.outer *= self.sizes[d];
    for (int d = static_cast<int>(wrapped) + 1; d < self.ndim; ++d) call.inner *= self.sizes[d];
    call.n = self.sizes[wrapped];
    call.value_dim = static_cast<int>(wrapped);
  }
  if (call.inverse && call.inverse->numel() < call.n) call.inverse.reset();
  if (call.counts && call.counts->numel() < call.n) call.counts.reset();
  if (kernels::search().find(self.dtype) == nullptr || call.n >= kernels::kMaxSortedRow ||
      !usable(call.values, self.dtype) || !usable(call.inverse, DType::Int64) || !usable(call.counts, DType::Int64) ||
      call.values.numel() < self.numel())
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", values " + describe(call.values) +
                         ": needs a type with an order and contiguous outputs of the largest size there can be");
  return Launch{Task(name, 5 + static_cast<float>(self.numel()) * 0.05f, [call](TaskContext&) { call.run(); })};
}

}  // namespace cann::ops
