// nonzero: chunks count, a running sum places them, chunks write coordinates. nonzero_static has a given number of
// rows: what finds no place is left out, rows that nothing was found for are filled.
#include <algorithm>
#include <memory>
#include <optional>

#include "cann/kernels/reduce/convert.h"
#include "cann/ops/dense.h"
#include "cann/ops/search.h"

namespace cann::ops {
namespace {

constexpr int64_t kChunk = 16 * 1024;

struct Nonzero {
  TensorView self;
  TensorView out;  // [at least the count, dims]
  ReportedShape::Handle count;
  bool transposed = false;           // then out's strides follow from the count
  std::optional<int64_t> fill = {};  // given: out keeps its size

  Status run(TaskContext& context) {
    const int64_t n = self.numel(), chunks = (n + kChunk - 1) / kChunk;
    const Dense flags(self, DType::Bool);
    const auto* flag = flags.as<uint8_t>();
    const std::unique_ptr<int64_t[]> first(new int64_t[chunks + 1]);
    context.team.run(chunks, [&](int64_t c) {
      int64_t count = 0;
      for (int64_t i = c * kChunk; i < std::min(n, (c + 1) * kChunk); ++i) count += flag[i] != 0;
      first[c + 1] = count;
    });
    first[0] = 0;
    for (int64_t c = 0; c < chunks; ++c) first[c + 1] += first[c];
    const int64_t found = first[chunks];
    if (fill) return write_given(context, flag, first.get());
    if (found > out.sizes[0])
      return bad_parameter("nonzero: " + std::to_string(found) + " elements are not zero, out has place for " +
                           std::to_string(out.sizes[0]));
    count.report(transposed ? 1 : 0, found);
    if (transposed) {
      out.strides[0] = 1;
      out.strides[1] = found;
    }
    if (self.ndim > 0)
      context.team.run(chunks, [&](int64_t c) { write(flag, c * kChunk, std::min(n, (c + 1) * kChunk), first[c]); });
    return {};
  }

  Status write_given(TaskContext& context, const uint8_t* flag, const int64_t* first) const {
    const int64_t n = self.numel(), chunks = (n + kChunk - 1) / kChunk;
    if (self.ndim > 0)
      context.team.run(chunks, [&](int64_t c) {
        if (first[c] < out.sizes[0]) write(flag, c * kChunk, std::min(n, (c + 1) * kChunk), first[c]);
      });
    for (int64_t row = first[chunks]; row < out.sizes[0]; ++row)
      for (int d = 0; d < self.ndim; ++d) out.as<int64_t>()[row * out.strides[0] + d * out.strides[1]] = *fill;
    return {};
  }

  void write(const uint8_t* flag, int64_t begin, int64_t end, int64_t place) const {
    int64_t at[kMaxDims], index = begin;
    for (int d = self.ndim - 1; d >= 0; --d) {
      at[d] = index % self.sizes[d];
      index /= self.sizes[d];
    }
    const int last = self.ndim - 1;
    for (int64_t i = begin; i < end; ++i) {
      if (flag[i]) {
        if (place == out.sizes[0]) return;
        for (int d = 0; d < self.ndim; ++d) out.as<int64_t>()[place * out.strides[0] + d * out.strides[1]] = at[d];
        ++place;
      }
      ++at[last];
      for (int d = last; d > 0 && at[d] == self.sizes[d]; --d) {
        at[d] = 0;
        ++at[d - 1];
      }
    }
  }
};

}  // namespace

Result<Launch> nonzero(const TensorView& self, const TensorView& out) {
  if (kernels::convert().find(self.dtype, DType::Bool) == nullptr || out.dtype != DType::Int64 || out.ndim != 2 ||
      out.sizes[1] != self.ndim)
    return bad_parameter("nonzero: self " + describe(self) + ", out " + describe(out) + ": needs an int64 out [n, " +
                         std::to_string(self.ndim) + "]");
  return Launch{Task(
      "nonzero", 1 + static_cast<float>(self.numel()) / 1e3f,
      [call = Nonzero{self, out, promise_shape(out)}](TaskContext& context) mutable { return call.run(context); })};
}

Result<Launch> nonzero_transposed(const TensorView& self, const TensorView& out) {
  if (kernels::convert().find(self.dtype, DType::Bool) == nullptr || out.dtype != DType::Int64 || out.ndim != 2 ||
      out.sizes[0] != self.ndim || !out.is_contiguous())
    return bad_parameter("nonzero: self " + describe(self) + ", out " + describe(out) +
                         ": needs a contiguous int64 out [" + std::to_string(self.ndim) + ", n]");
  TensorView rows = out;
  rows.sizes[0] = out.sizes[1];
  rows.sizes[1] = out.sizes[0];
  Nonzero call{self, rows, promise_shape(out), /*transposed=*/true};
  return Launch{Task("nonzero", 1 + static_cast<float>(self.numel()) / 1e3f,
                     [call = std::move(call)](TaskContext& context) mutable { return call.run(context); })};
}

Result<Launch> nonzero_static(const TensorView& self, int64_t fill, const TensorView& out) {
  if (kernels::convert().find(self.dtype, DType::Bool) == nullptr || out.dtype != DType::Int64 || out.ndim != 2 ||
      out.sizes[1] != self.ndim)
    return bad_parameter("nonzero_static: self " + describe(self) + ", out " + describe(out) +
                         ": needs an int64 out [size, " + std::to_string(self.ndim) + "]");
  return Launch{
      Task("nonzero_static", 1 + static_cast<float>(self.numel()) / 1e3f,
           [call = Nonzero{self, out, {}, false, fill}](TaskContext& context) mutable { return call.run(context); })};
}

}  // namespace cann::ops
