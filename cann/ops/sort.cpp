// One walk serves them all: rows are gathered where they are not contiguous, handed to the type's RowSorter, and the
// results written back. Threads share rows; a row is sorted by one.
#include "cann/ops/sort.h"

#include <cmath>
#include <memory>

#include "cann/kernels/sort/sort.h"
#include "cann/ops/row_walk.h"

namespace cann::ops {
namespace {

using kernels::RowSorter;

constexpr int64_t kChunkElements = 16 * 1024;
constexpr int64_t kSmallSort = 8192;      // elements: below it a radix sort would not be felt
constexpr int64_t kGathered = 64 * 1024;  // elements of neighbouring rows that are gathered together

// What a row operation reads and writes: x, values (may be absent), indices (may be absent).
struct Rows {
  RowWalk walk;
  RowOperand x, values, indices;
  const RowSorter* sorter;
  int64_t item_bytes, chunk_rows, gathered_rows;

  Rows(const RowSorter* row_sorter, const TensorView& self, int dim, const TensorView* out, const TensorView* index)
      : walk(self, dim), sorter(row_sorter), item_bytes(size_of(self.dtype)) {
    x = walk.operand(self, dim, self.dtype);
    if (out) values = walk.operand(*out, dim, self.dtype);
    if (index) indices = walk.operand(*index, dim, DType::Int64);
    int64_t n = std::max<int64_t>(x.length, 1);
    gathered_rows = std::clamp<int64_t>(kGathered / n, 1, 16);
    chunk_rows = std::max<int64_t>(kChunkElements / n, x.contiguous ? 1 : gathered_rows);
  }

  int64_t elements() const { return walk.rows() * x.length; }

  // row_operation(x, value, index, scratch) for each row, on contiguous memory.
  template <class F>
  void run(TaskContext& context, F&& row_operation) const {
    context.team.for_ranges(walk.rows(), chunk_rows, [&](int64_t begin, int64_t end) {
      const int64_t batch = std::min(gathered_rows, end - begin);
      auto at_least_one = [](int64_t n) { return std::max<int64_t>(n, 1); };
      const int64_t x_bytes = x.contiguous ? 0 : batch * x.length * item_bytes;
      const int64_t value_bytes = at_least_one(values.length) * item_bytes,
                    index_bytes = at_least_one(indices.length) * 8;
      auto aligned = [](int64_t bytes) { return (bytes + 63) & ~int64_t{63}; };
      // Small things stand on the stack of a thread; a sort of long rows asks the heap once per chunk.
      const int64_t scratch_bytes = aligned(sorter->scratch_bytes(x.length));
      const std::unique_ptr<char[]> memory(
          new char[scratch_bytes + aligned(x_bytes) + batch * (aligned(value_bytes) + index_bytes) + 64]);
      char* scratch = memory.get();
      char* x_rows = scratch + scratch_bytes;
      char* value_rows = x_rows + aligned(x_bytes);
      auto index_rows = reinterpret_cast<int64_t*>(value_rows + batch * aligned(value_bytes));
      for (int64_t row = begin; row < end;) {
        const int64_t count = std::min({batch, end - row, walk.group() - row % walk.group()});
        if (!x.contiguous) walk.read(x, row, count, x_rows);
        for (int64_t i = 0; i < count; ++i) {
          const void* in = x.contiguous ? walk.address(x, row + i) : x_rows + i * x.length * item_bytes;
          void* value = values.contiguous ? walk.address(values, row + i) : value_rows + i * values.length * item_bytes;
          void* index = indices.contiguous ? walk.address(indices, row + i)
                                           : reinterpret_cast<char*>(index_rows + i * indices.length);
          row_operation(in, values.present() ? value : nullptr, static_cast<int64_t*>(index), scratch);
        }
        if (values.present() && !values.contiguous) walk.write(values, row, count, value_rows);
        if (indices.present() && !indices.contiguous) walk.write(indices, row, count, index_rows);
        row += count;
      }
    });
  }
};

Result<int> wrapped_dim(const char* name, const TensorView& self, int64_t dim) {
  const int64_t n = std::max(self.ndim, 1), wrapped = dim < 0 ? dim + n : dim;
  if (wrapped < 0 || wrapped >= n)
    return bad_parameter(std::string(name) + ": dim " + std::to_string(dim) + " of self " + describe(self));
  return static_cast<int>(wrapped);
}

Result<const RowSorter*> find_sorter(const char* name, const TensorView& self, int dim) {
  const RowSorter* sorter = kernels::sort().find(self.dtype);
  if (sorter == nullptr)
    return bad_parameter(std::string(name) + ": self " + describe(self) + ": a type without order");
  if (self.ndim && self.sizes[dim] >= kernels::kMaxSortedRow)
    return bad_parameter(std::string(name) + ": self " + describe(self) + ": rows of 2^31 elements or more");
  return sorter;
}

float estimate(const Rows& rows, float ns_per_element) {
  return 0.5f + static_cast<float>(rows.elements()) * ns_per_element / 1e3f;
}

template <class F>
Launch launch_rows(const char* name, const Rows& rows, float ns_per_element, F&& operation) {
  return {Task(name, estimate(rows, ns_per_element), [rows, operation](TaskContext& context) {
    rows.run(context, [&](const void* x, void* value, int64_t* index, void* scratch) {
      operation(rows, x, value, index, scratch);
    });
  })};
}

}  // namespace

Result<Launch> sort(const char* name, const TensorView& self, bool stable, int64_t dim, bool descending,
                    const TensorView* values, const TensorView& indices) {
  ASSIGN_OR_RETURN(int d, wrapped_dim(name, self, dim));
  ASSIGN_OR_RETURN(const RowSorter* sorter, find_sorter(name, self, d));
  if (!same_shape(self, indices) || (values && (!same_shape(self, *values) || values->dtype != self.dtype)))
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", indices " + describe(indices) +
                         ": need one shape");
  const bool ties_as_cpu = !stable && self.numel() <= kSmallSort;
  return launch_rows(name, Rows(sorter, self, d, values, &indices), 8,
                     [=](const Rows& rows, const void* x, void* value, int64_t* index, void* scratch) {
                       rows.sorter->sort(x, rows.x.length, descending, ties_as_cpu, value, index, scratch);
                     });
}

Result<Launch> topk(const TensorView& self, int64_t k, int64_t dim, bool largest, bool sorted, const TensorView& values,
                    const TensorView& indices) {
  ASSIGN_OR_RETURN(int d, wrapped_dim("topk", self, dim));
  ASSIGN_OR_RETURN(const RowSorter* sorter, find_sorter("topk", self, d));
  const int64_t n = self.ndim ? self.sizes[d] : 1;
  if (k < 0 || k > n || values.dtype != self.dtype || !same_shape(values, indices))
    return bad_parameter("topk: self " + describe(self) + ", k " + std::to_string(k) + ", values " + describe(values));
  Rows rows(sorter, self, d, &values, &indices);
  return launch_rows("topk", rows, k == 0 ? 0 : 2,
                     [k, largest, sorted](const Rows& r, const void* x, void* value, int64_t* index, void* scratch) {
                       if (k > 0) r.sorter->topk(x, r.x.length, k, largest, sorted, value, index, scratch);
                     });
}

Result<Launch> kthvalue(const TensorView& self, int64_t k, int64_t dim, const TensorView& values,
                        const TensorView& indices) {
  ASSIGN_OR_RETURN(int d, wrapped_dim("kthvalue", self, dim));
  ASSIGN_OR_RETURN(const RowSorter* sorter, find_sorter("kthvalue", self, d));
  const int64_t n = self.ndim ? self.sizes[d] : 1;
  if (k < 1 || k > n) return bad_parameter("kthvalue: self " + describe(self) + ", k " + std::to_string(k));
  return launch_rows("kthvalue", Rows(sorter, self, d, &values, &indices), 4,
                     [k](const Rows& rows, const void* x, void* value, int64_t* index, void* scratch) {
                       rows.sorter->kth(x, rows.x.length, k - 1, value, index, scratch);
                     });
}

Result<Launch> median(const char* name, const TensorView& self, int64_t dim, bool ignore_nan, const TensorView& values,
                      const TensorView* indices) {
  ASSIGN_OR_RETURN(int d, wrapped_dim(name, self, dim));
  ASSIGN_OR_RETURN(const RowSorter* sorter, find_sorter(name, self, d));
  if (self.numel() > 0 && self.ndim && self.sizes[d] == 0)
    return bad_parameter(std::string(name) + ": an empty dimension");
  return launch_rows(name, Rows(sorter, self, d, &values, indices), 4,
                     [ignore_nan](const Rows& rows, const void* x, void* value, int64_t* index, void* scratch) {
                       int64_t unused;
                       rows.sorter->median(x, rows.x.length, ignore_nan, value,
                                           rows.indices.present() ? index : &unused, scratch);
                     });
}

Result<Launch> mode(const TensorView& self, int64_t dim, const TensorView& values, const TensorView& indices) {
  ASSIGN_OR_RETURN(int d, wrapped_dim("mode", self, dim));
  ASSIGN_OR_RETURN(const RowSorter* sorter, find_sorter("mode", self, d));
  return launch_rows("mode", Rows(sorter, self, d, &values, &indices), 8,
                     [](const Rows& rows, const void* x, void* value, int64_t* index, void* scratch) {
                       rows.sorter->mode(x, rows.x.length, value, index, scratch);
                     });
}

Result<Launch> median_of_all(const char* name, const TensorView& self, bool ignore_nan, const TensorView& value) {
  if (!self.is_contiguous())
    return bad_parameter(std::string(name) + ": self " + describe(self) + ": needs a contiguous self");
  TensorView flat{self.data, self.dtype, 1, {self.numel()}, {1}};
  if (flat.sizes[0] == 0) return bad_parameter(std::string(name) + ": self " + describe(self) + ": no elements");
  return median(name, flat, 0, ignore_nan, value, nullptr);
}

}  // namespace cann::ops
