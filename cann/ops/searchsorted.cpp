// searchsorted, bucketize and isin: binary searches in chunks over the values. Operands that are not contiguous or of
// another type than the search are copied into memory of the Task's own.
#include <algorithm>
#include <memory>

#include "cann/kernels/reduce/convert.h"
#include "cann/kernels/sort/search.h"
#include "cann/kernels/sort/sort.h"
#include "cann/ops/dense.h"
#include "cann/ops/pointwise.h"
#include "cann/ops/search.h"

namespace cann::ops {
namespace {

using kernels::Searcher;

constexpr int64_t kChunkValues = 4096;

// A search is done in the promoted type; half types are exact in float32.
DType search_type(DType a, DType b) {
  const DType common = promote(a, b);
  if (a == b) return a;
  return is_half(common) ? DType::Float32 : common;
}

TensorView view_of(const Scalar& scalar, int64_t* storage) {
  TensorView v{storage, DType::Int64, 0, {}, {}};
  if (scalar.is_integral()) {
    *storage = scalar.to_int64();
  } else {
    v.dtype = DType::Float64;
    *storage = __builtin_bit_cast(int64_t, scalar.to_double());
  }
  return v;
}

Status check_search(const char* name, const TensorView& sorted, const TensorView& self, const TensorView* sorter,
                    const TensorView& out, DType type) {
  const bool index_type = out.dtype == DType::Int64 || out.dtype == DType::Int32;
  if (kernels::search().find(type) == nullptr || !index_type || !same_shape(self, out))
    return bad_parameter(std::string(name) + ": sorted " + describe(sorted) + ", self " + describe(self) + ", out " +
                         describe(out) + ": needs ordered types and an int32 or int64 out of self's shape");
  if (sorted.ndim == 0 || (sorted.ndim != 1 && sorted.ndim != self.ndim))
    return bad_parameter(std::string(name) + ": sorted " + describe(sorted) + ", self " + describe(self) +
                         ": needs one dimension or self's, but for the last");
  if (sorter && (!same_shape(*sorter, sorted) || sorter->dtype != DType::Int64))
    return bad_parameter(std::string(name) + ": sorter " + describe(*sorter) + ": needs int64 " +
                         to_string(sorted.shape()));
  return {};
}

void run_search(TaskContext& context, const Searcher* searcher, const TensorView& sorted, const TensorView& self,
                const TensorView* sorter, DType type, bool right, const TensorView& out) {
  const Dense keys(sorted, type), values(self, type);
  const Dense order(sorter ? *sorter : TensorView{}, DType::Int64);
  DenseOut result(out, DType::Int64);
  const int64_t n = sorted.sizes[sorted.ndim - 1], item = size_of(type), count = self.numel();
  const int64_t row = sorted.ndim == 1 ? count : std::max<int64_t>(self.sizes[self.ndim - 1], 1);
  context.team.for_ranges(count, kChunkValues, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end;) {
      const int64_t r = at / std::max<int64_t>(row, 1), stop = std::min(end, (r + 1) * row);
      searcher->search(keys.data() + r * n * item, sorter ? order.as<int64_t>() + r * n : nullptr, n,
                       values.data() + at * item, stop - at, right, result.as<int64_t>() + at);
      at = stop;
    }
  });
  result.finish();
}

}  // namespace

Result<Launch> searchsorted(const char* name, const TensorView& sorted, const TensorView& self, bool right,
                            const TensorView* sorter, const TensorView& out) {
  const DType type = search_type(sorted.dtype, self.dtype);
  RETURN_IF_ERROR(check_search(name, sorted, self, sorter, out, type));
  const Searcher* searcher = kernels::search().find(type);
  const float us = 1 + static_cast<float>(self.numel()) * 0.05f;
  return Launch{
      Task(name, us, [=, order = sorter ? *sorter : TensorView{}, ordered = sorter != nullptr](TaskContext& context) {
        run_search(context, searcher, sorted, self, ordered ? &order : nullptr, type, right, out);
      })};
}

Result<Launch> searchsorted(const char* name, const TensorView& sorted, const Scalar& self, bool right,
                            const TensorView* sorter, const TensorView& out) {
  int64_t storage;
  TensorView value = view_of(self, &storage);
  // A number changes the type only where its category is higher.
  const DType type = self.is_integral() || is_floating(sorted.dtype) ? sorted.dtype : DType::Float64;
  value.ndim = out.ndim;
  for (int d = 0; d < out.ndim; ++d) value.sizes[d] = out.sizes[d];  // strides are 0
  if (sorted.ndim != 1)
    return bad_parameter(std::string(name) + ": sorted " + describe(sorted) + ": a number needs one dimension");
  RETURN_IF_ERROR(check_search(name, sorted, value, sorter, out, type));
  const Searcher* searcher = kernels::search().find(type);
  return Launch{
      Task(name, 1, [=, order = sorter ? *sorter : TensorView{}, ordered = sorter != nullptr](TaskContext& context) {
        TensorView number = value;
        int64_t bits = storage;
        number.data = &bits;
        run_search(context, searcher, sorted, number, ordered ? &order : nullptr, type, right, out);
      })};
}

namespace {

// a and b are tensors or numbers; a number's view points to nothing, its bits come along.
struct IsIn {
  TensorView elements, tests, out;
  int64_t element_bits = 0;
  bool number_element = false, invert;
  DType type;

  void run(TaskContext& context) const {
    TensorView a = elements;
    int64_t bits = element_bits;
    if (number_element) a.data = &bits;
    const Searcher* searcher = kernels::search().find(type);
    const Dense values(a, type), unsorted(tests, type);
    DenseOut result(out, DType::Bool);
    const int64_t n = tests.numel(), item = size_of(type), count = a.numel();
    const std::unique_ptr<char[]> sorted(new char[n * item + 1]);
    if (n > 0) {
      const kernels::RowSorter* sorter = kernels::sort().find(type);
      const std::unique_ptr<char[]> scratch(new char[sorter->scratch_bytes(n)]);
      const std::unique_ptr<int64_t[]> order(new int64_t[n]);
      sorter->sort(unsorted.data(), n, false, false, sorted.get(), order.get(), scratch.get());
    }
    // NaN equals nothing. A sort puts NaN last, and the search of a NaN ends there with nothing in between.
    const int64_t numbers = n - count_nan(sorted.get(), n);
    context.team.for_ranges(count, kChunkValues, [&](int64_t begin, int64_t end) {
      int64_t low[kChunkValues], high[kChunkValues];
      searcher->search(sorted.get(), nullptr, numbers, values.data() + begin * item, end - begin, false, low);
      searcher->search(sorted.get(), nullptr, numbers, values.data() + begin * item, end - begin, true, high);
      for (int64_t i = begin; i < end; ++i) result.as<uint8_t>()[i] = (low[i - begin] != high[i - begin]) != invert;
    });
    result.finish();
  }

  int64_t count_nan(const char* sorted, int64_t n) const {
    if (!is_floating(type)) return 0;
    int64_t nans = 0;
    const kernels::Convert widen = kernels::convert().find(type, DType::Float64);
    for (double value; nans < n; ++nans) {
      widen(sorted + (n - 1 - nans) * size_of(type), {0, 1}, &value, {0, 1}, 1, 1);
      if (value == value) break;
    }
    return nans;
  }

  Result<Launch> launch() const {
    if (kernels::search().find(type) == nullptr || out.dtype != DType::Bool || out.numel() != elements.numel())
      return bad_parameter("isin: elements " + describe(elements) + ", test elements " + describe(tests) + ", out " +
                           describe(out) + ": needs ordered types and a bool out");
    return Launch{Task("isin", 1 + static_cast<float>(elements.numel() + tests.numel()) * 0.1f,
                       [call = *this](TaskContext& context) { call.run(context); })};
  }
};

DType type_with(DType tensor, const Scalar& number) {
  return search_type(promote_scalar(tensor, number.dtype()), promote_scalar(tensor, number.dtype()));
}

}  // namespace

Result<Launch> is_in(const TensorView& elements, const TensorView& tests, bool invert, const TensorView& out) {
  return IsIn{.elements = elements,
              .tests = tests,
              .out = out,
              .invert = invert,
              .type = search_type(elements.dtype, tests.dtype)}
      .launch();
}

Result<Launch> is_in(const TensorView& elements, const Scalar& test, bool invert, const TensorView& out) {
  return same_type(invert ? Op::Ne : Op::Eq, {elements, test}, out);
}

Result<Launch> is_in(const Scalar& element, const TensorView& tests, bool invert, const TensorView& out) {
  IsIn call{.elements = {},
            .tests = tests,
            .out = out,
            .number_element = true,
            .invert = invert,
            .type = type_with(tests.dtype, element)};
  call.elements = view_of(element, &call.element_bits);
  return call.launch();
}

}  // namespace cann::ops
