// Operators on sorted values and on counts, with the checks that PyTorch makes in its kernels.
#include <ATen/Dispatch.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/BucketizationUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/count_nonzero.h>
#include <ATen/ops/scalar_tensor.h>

#include "aclnn_functions.h"
#include "handwritten_search.h"
#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/dispatch/creation.h"
#include "torch_npu/csrc/dispatch/sized_output.h"

namespace torch_npu::op {

// --- searchsorted, bucketize ---

namespace {

void search_into(const at::Tensor& sorted, const at::Tensor& self, bool out_int32, bool right,
                 std::optional<std::string_view> side, const std::optional<at::Tensor>& sorter, const at::Tensor& out) {
  const at::Tensor& order = sorter.has_value() ? *sorter : at::Tensor();
  at::native::searchsorted_pre_check(sorted, self, out, out_int32, right, std::optional<c10::string_view>(side), order);
  at::native::resize_output(out, self.sizes());
  if (self.numel() == 0) return;
  const bool to_the_right = side.has_value() ? *side == "right" : right;
  if (sorted.numel() == 0) {
    out.zero_();
    return;
  }
  const at::Tensor dense = out.is_contiguous() ? out : empty(out.sizes(), out.scalar_type(), out.device());
  launch(aclnn::SearchSorted, sorted.contiguous(), self, out_int32, to_the_right,
         order.defined() ? std::optional<at::Tensor>(order.contiguous()) : std::nullopt, dense);
  if (!dense.is_same(out)) out.copy_(dense);
}

at::Tensor empty_positions(const at::Tensor& like, at::IntArrayRef sizes, bool out_int32) {
  return empty(sizes, out_int32 ? at::kInt : at::kLong, like.device());
}

// A number as a tensor of the device, of the type it is compared in.
at::Tensor number_like(const at::Scalar& number, const at::Tensor& sorted) {
  return at::scalar_tensor(number, at::TensorOptions(sorted.device()).dtype(at::result_type(sorted, number)));
}

}  // namespace

at::Tensor searchsorted_Tensor(const at::Tensor& sorted_sequence, const at::Tensor& self, bool out_int32, bool right,
                               std::optional<std::string_view> side, const std::optional<at::Tensor>& sorter) {
  at::Tensor out = empty_positions(sorted_sequence, {0}, out_int32);
  search_into(sorted_sequence, self, out_int32, right, side, sorter, out);
  return out;
}

at::Tensor& searchsorted_Tensor_out(const at::Tensor& sorted_sequence, const at::Tensor& self, bool out_int32,
                                    bool right, std::optional<std::string_view> side,
                                    const std::optional<at::Tensor>& sorter, at::Tensor& out) {
  search_into(sorted_sequence, self, out_int32, right, side, sorter, out);
  return out;
}

at::Tensor searchsorted_Scalar(const at::Tensor& sorted_sequence, const at::Scalar& self, bool out_int32, bool right,
                               std::optional<std::string_view> side, const std::optional<at::Tensor>& sorter) {
  const at::Tensor number = number_like(self, sorted_sequence);
  return searchsorted_Tensor(sorted_sequence.to(number.scalar_type()), number, out_int32, right, side, sorter);
}

at::Tensor bucketize_Tensor(const at::Tensor& self, const at::Tensor& boundaries, bool out_int32, bool right) {
  at::Tensor out = empty_positions(boundaries, {0}, out_int32);
  return bucketize_Tensor_out(self, boundaries, out_int32, right, out);
}

at::Tensor& bucketize_Tensor_out(const at::Tensor& self, const at::Tensor& boundaries, bool out_int32, bool right,
                                 at::Tensor& out) {
  TORCH_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(), ")");
  search_into(boundaries, self, out_int32, right, std::nullopt, std::nullopt, out);
  return out;
}

at::Tensor bucketize_Scalar(const at::Scalar& self, const at::Tensor& boundaries, bool out_int32, bool right) {
  const at::Tensor number = number_like(self, boundaries);
  return bucketize_Tensor(number, boundaries.to(number.scalar_type()), out_int32, right);
}

// --- isin ---

at::Tensor& isin_Scalar_Tensor_out(const at::Scalar& element, const at::Tensor& test_elements, bool assume_unique,
                                   bool invert, at::Tensor& out) {
  TORCH_CHECK(out.scalar_type() == at::kBool, "Expected out tensor to have dtype bool, but got ", out.scalar_type(),
              " instead");
  at::native::resize_output(out, {});
  launch(aclnn::IsInScalarTensor, element, test_elements, assume_unique, invert, out);
  return out;
}

at::Tensor isin_Scalar_Tensor(const at::Scalar& element, const at::Tensor& test_elements, bool assume_unique,
                              bool invert) {
  at::Tensor out = empty({}, at::kBool, test_elements.device());
  return isin_Scalar_Tensor_out(element, test_elements, assume_unique, invert, out);
}

// --- histc, bincount ---

at::Tensor& histc_out(const at::Tensor& self, int64_t bins, const at::Scalar& min, const at::Scalar& max,
                      at::Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(),
              "torch.histogram: input tensor and hist tensor should have the same dtype, but got input ",
              self.scalar_type(), " and hist ", out.scalar_type());
  TORCH_CHECK(bins > 0, "torch.histogramdd(): bins ", bins, " for dimension 0 must be positive");
  double low = min.toDouble(), high = max.toDouble();
  if (low == high && self.numel() > 0) {  // the range of the data, whose finiteness the host must know
    const events::Cause cause("histc");
    const auto [smallest, largest] = at::aminmax(self);
    low = smallest.item().toDouble();
    high = largest.item().toDouble();
  }
  TORCH_CHECK(std::isfinite(low) && std::isfinite(high), "torch.histogramdd(): dimension 0's range [", low, ", ", high,
              "] is not finite");
  TORCH_CHECK(low <= high, "torch.histogramdd: min should not exceed max, but got min ", low, " max ", high,
              " for dimension 0");
  if (low == high) {
    low -= 1;
    high += 1;
  }
  at::native::resize_output(out, {bins});
  launch(aclnn::Histc, self, bins, at::Scalar(low), at::Scalar(high), out);
  return out;
}

at::Tensor histc(const at::Tensor& self, int64_t bins, const at::Scalar& min, const at::Scalar& max) {
  at::Tensor out = empty({0}, self.scalar_type(), self.device());
  return histc_out(self, bins, min, max, out);
}

at::Tensor bincount(const at::Tensor& self, const std::optional<at::Tensor>& weights, int64_t minlength) {
  TORCH_CHECK(minlength >= 0, "minlength should be >= 0");
  const bool weighted = weights.has_value() && weights->defined();
  const at::ScalarType type = !weighted ? at::kLong : weights->scalar_type() == at::kFloat ? at::kFloat : at::kDouble;
  if (self.dim() == 1 && self.numel() == 0) return empty({minlength}, at::kLong, self.device()).zero_();
  TORCH_CHECK(at::isIntegralType(self.scalar_type(), /*includeBool=*/false),
              "bincount only supports 1-d non-negative integral inputs.");
  const events::Cause cause("bincount");
  const auto [smallest, largest] = at::aminmax(self);
  TORCH_CHECK(self.dim() == 1 && smallest.item<int64_t>() >= 0,
              "bincount only supports 1-d non-negative integral inputs.");
  TORCH_CHECK(!weighted || (weights->dim() == 1 && weights->size(0) == self.size(0)),
              "weights should be 1-d and have the same length as input");
  at::Tensor out = empty({std::max(largest.item<int64_t>() + 1, minlength)}, type, self.device());
  launch(aclnn::Bincount, self, weights, minlength, out);
  return out;
}

// --- equal ---

bool equal(const at::Tensor& self, const at::Tensor& other) {
  TORCH_CHECK(self.dtype() == other.dtype(), "Expected all tensors to have the same dtype, but got ", self.dtype(),
              " and ", other.dtype());
  if (self.sizes() != other.sizes()) return false;
  if (self.numel() == 0) return true;
  const at::Tensor out = empty({}, at::kBool, self.device());
  launch(aclnn::Equal, self, other, out);
  const events::Cause cause("equal");
  return out.item<bool>();
}

// --- nonzero ---

namespace {

int64_t count_of(const at::Tensor& self) {
  TORCH_CHECK(self.dim() <= 8, "nonzero is not supported for tensor with more than 8 dimensions");
  const events::Cause cause("nonzero");
  return self.numel() == 0 ? 0 : at::count_nonzero(self).item<int64_t>();
}

void nonzero_into(const at::Tensor& self, const at::Tensor& out) {
  if (out.numel() > 0) launch(aclnn::Nonzero, self, out);
}

}  // namespace

at::Tensor& nonzero_out(const at::Tensor& self, at::Tensor& out) {
  TORCH_CHECK(out.scalar_type() == at::kLong,
              "Expected object of scalar type Long as out, but got out with scalar type ", out.scalar_type());
  const int64_t count = count_of(self);
  if (at::native::resize_output_check(out, {count, self.dim()})) at::native::resize_output(out, {count, self.dim()});
  nonzero_into(self, out);
  return out;
}

// As on the CPU, each dimension's coordinates stand together: [count, dims] is the transpose of what is allocated.
at::Tensor nonzero(const at::Tensor& self) {
  const int64_t count = count_of(self);
  at::Tensor out = empty({self.dim(), count}, at::kLong, self.device()).t();
  nonzero_into(self, out);
  return out;
}

// Their number is given, so nothing waits for the count.
at::Tensor& nonzero_static_out(const at::Tensor& self, int64_t size, int64_t fill_value, at::Tensor& out) {
  TORCH_CHECK(size >= 0, "nonzero_static: 'size' must be an non-negative integer");
  TORCH_CHECK(out.scalar_type() == at::kLong,
              "nonzero_static: Expected out tensor to have scalar type Long but got scalar type", out.scalar_type());
  if (at::native::resize_output_check(out, {size, self.dim()})) at::native::resize_output(out, {size, self.dim()});
  if (out.numel() > 0) launch(aclnn::NonzeroStatic, self, fill_value, out);
  return out;
}
at::Tensor nonzero_static(const at::Tensor& self, int64_t size, int64_t fill_value) {
  TORCH_CHECK(size >= 0, "nonzero_static: 'size' must be an non-negative integer");
  at::Tensor out = empty({size, self.dim()}, at::kLong, self.device());
  return nonzero_static_out(self, size, fill_value, out);
}

// --- unique ---

namespace {

using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

at::Tensor indices_of(const at::Tensor& self, at::IntArrayRef sizes) { return empty(sizes, at::kLong, self.device()); }

}  // namespace

Three _unique2(const at::Tensor& self, bool sorted, bool return_inverse, bool return_counts) {
  const SizedOutput values(empty({self.numel()}, self.scalar_type(), self.device()));
  const at::Tensor inverse = return_inverse ? indices_of(self, self.sizes()) : indices_of(self, {0});
  const SizedOutput counts(indices_of(self, {return_counts ? self.numel() : 0}));
  launch(aclnn::Unique2, self, sorted, return_inverse, return_counts, values.argument(), inverse, counts.argument());
  wait_for(self);
  return {values.result(), inverse, counts.result()};
}

std::tuple<at::Tensor, at::Tensor> _unique(const at::Tensor& self, bool sorted, bool return_inverse) {
  auto [values, inverse, counts] = op::_unique2(self, sorted, return_inverse, false);
  return {values, inverse};
}

namespace {

// Slices along a dimension; without elements there is nothing to compare.
Three empty_slices(const at::Tensor& self, int64_t dim) {
  TORCH_CHECK(self.size(dim) == 0,
              "There are 0 sized dimensions, and they aren't selected by `dim`, so unique cannot be applied");
  return {empty(self.sizes(), self.scalar_type(), self.device()), indices_of(self, {0}), indices_of(self, {0})};
}

}  // namespace

Three unique_dim(const at::Tensor& self, int64_t dim, bool sorted, bool return_inverse, bool return_counts) {
  const int64_t wrapped = at::maybe_wrap_dim(dim, self.dim());
  if (self.numel() == 0) return empty_slices(self, wrapped);
  const int64_t n = self.size(wrapped);
  const SizedOutput values(empty(self.sizes(), self.scalar_type(), self.device()));
  const at::Tensor inverse = indices_of(self, {return_inverse ? n : 0});
  const SizedOutput counts(indices_of(self, {return_counts ? n : 0}));
  launch(aclnn::UniqueDim, self, sorted, return_inverse, wrapped, values.argument(), inverse, counts.argument());
  wait_for(self);
  return {values.result(), inverse, counts.result()};
}

Three unique_consecutive(const at::Tensor& self, bool return_inverse, bool return_counts, std::optional<int64_t> dim) {
  constexpr int64_t kNoDim = 1000;
  if (dim.has_value() && self.dim() != 0) return op::unique_dim_consecutive(self, *dim, return_inverse, return_counts);
  const SizedOutput values(empty({self.numel()}, self.scalar_type(), self.device()));
  const at::Tensor inverse = return_inverse ? indices_of(self, self.sizes()) : indices_of(self, {0});
  const SizedOutput counts(indices_of(self, {return_counts ? self.numel() : 0}));
  launch(aclnn::UniqueConsecutive, self, return_inverse, return_counts, kNoDim, values.argument(), inverse,
         counts.argument());
  wait_for(self);
  return {values.result(), inverse, counts.result()};
}

Three unique_dim_consecutive(const at::Tensor& self, int64_t dim, bool return_inverse, bool return_counts) {
  const int64_t wrapped = at::maybe_wrap_dim(dim, self.dim());
  if (self.numel() == 0) return empty_slices(self, wrapped);
  const int64_t n = self.size(wrapped);
  const SizedOutput values(empty(self.sizes(), self.scalar_type(), self.device()));
  const at::Tensor inverse = indices_of(self, {return_inverse ? n : 0});
  const SizedOutput counts(indices_of(self, {return_counts ? n : 0}));
  launch(aclnn::UniqueConsecutive, self, return_inverse, return_counts, wrapped, values.argument(), inverse,
         counts.argument());
  wait_for(self);
  return {values.result(), inverse, counts.result()};
}

}  // namespace torch_npu::op
