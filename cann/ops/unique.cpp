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

// Of a size that the compiler knows: a call of memcpy for each value would cost more than all the rest.
void copy_value(char* to, const char* from, int64_t bytes) {
  switch (bytes) {
    case 1: *to = *from; return;
    case 2: std::memcpy(to, from, 2); return;
    case 4: std::memcpy(to, from, 4); return;
    case 8: std::memcpy(to, from, 8); return;
    default: std::memcpy(to, from, static_cast<size_t>(bytes));
  }
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

    char* out = values.as<char>();
    const int64_t found = std::count(starts.get(), starts.get() + n, 1);
    int64_t group = -1, group_begin = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = consecutive ? i : order[i];
      if (starts[i]) {
        if (group >= 0 && counts) counts->as<int64_t>()[group] = i - group_begin;
        group_begin = i;
        ++group;
        for (int64_t o = 0; o < outer; ++o)
          copy_value(out + (o * found + group) * inner * item, rows + (row * outer + o) * inner * item, inner * item);
      }
      if (inverse) inverse->as<int64_t>()[row] = group;
    }
    if (group >= 0 && counts) counts->as<int64_t>()[group] = n - group_begin;
    values_size.report(value_dim, found);
    counts_size.report(0, found);
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
