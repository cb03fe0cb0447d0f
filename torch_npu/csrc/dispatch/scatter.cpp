// Writing through indices: index_put_, index_fill_, put_, with the checks that PyTorch's CPU kernels make, in their
// words.
#include "torch_npu/csrc/dispatch/scatter.h"

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>

#include "functions_scatter.h"
#include "handwritten_scatter.h"
#include "torch_npu/csrc/dispatch/index.h"
#include "torch_npu/csrc/dispatch/launch.h"

namespace torch_npu {

int64_t scatter_reduction(std::string_view name) {
  if (name == "add" || name == "sum") return 1;
  if (name == "multiply" || name == "prod") return 2;
  if (name == "amax") return 3;
  if (name == "amin") return 4;
  if (name == "mean") return 5;
  TORCH_CHECK(false, "reduce argument must be one of add, multiply, sum, prod, amax, amin, mean, but got ", name);
}

shape::Spec embedding_dense_backward_spec(const at::Tensor& grad_output, const at::Tensor& indices,
                                          int64_t num_weights) {
  TORCH_CHECK(
      indices.scalar_type() == at::kLong || indices.scalar_type() == at::kInt,
      "Expected tensor for argument #2 'indices' to have one of the following scalar types: Long, Int; but got ",
      indices.toString(), " instead (while checking arguments for embedding_backward)");
  return shape::sized({num_weights, grad_output.size(-1)}, grad_output);
}

namespace {

// A single boolean mask and a single value: masked_fill_ does it, and nobody waits to learn how many positions the mask
// has. Undefined if it is something else; else the mask, shaped so that it broadcasts over self.
at::Tensor as_mask(const at::Tensor& self, const OptionalTensors& indices, const at::Tensor& value) {
  if (value.numel() != 1 || value.dim() != 0) return {};
  at::Tensor mask;
  int64_t before = 0, covered = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::optional<at::Tensor> index = indices.get(i);
    if (!index.has_value() || !index->defined()) {
      if (!mask.defined()) ++before;
      continue;
    }
    if (index->scalar_type() != at::kBool || index->device() != self.device() || mask.defined()) return {};
    mask = *index;
    covered = before + mask.dim();
    for (int64_t j = 0; j < mask.dim(); ++j)
      TORCH_CHECK_INDEX(before + j < self.dim() && mask.size(j) == self.size(before + j), "The shape of the mask ",
                        mask.sizes(), " at index ", j, " does not match the shape of the indexed tensor ", self.sizes(),
                        " at index ", before + j);
  }
  for (; mask.defined() && covered < self.dim(); ++covered) mask = mask.unsqueeze(-1);
  return mask;
}

}  // namespace

namespace op {

at::Tensor& _index_put_impl_(at::Tensor& self, const OptionalTensors& indices, const at::Tensor& values,
                             bool accumulate, bool /*unsafe*/) {
  TORCH_CHECK_INDEX(static_cast<int64_t>(indices.size()) <= self.dim(), "too many indices for tensor of dimension ",
                    self.dim(), " (got ", indices.size(), ")");
  if (at::has_internal_overlap(self) == at::MemOverlap::Yes)
    TORCH_WARN(
        "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
        "operation. This also "
        "applies to advanced indexing e.g. tensor[indices] = tensor");
  const bool one_value = values.numel() == 1 && values.dim() == 0;
  TORCH_CHECK(values.device() == self.device() || one_value,
              "expected self and values to be on the same device, but got self on ", self.device(), " and values on ",
              values.device());
  TORCH_CHECK(self.scalar_type() == values.scalar_type(),
              "Index put requires the source and destination dtypes match, got ", self.scalar_type(),
              " for the destination and ", values.scalar_type(), " for the source.");
  if (!accumulate) {
    const at::Tensor mask = as_mask(self, indices, values);
    if (mask.defined()) {
      if (values.is_cpu())
        self.masked_fill_(mask, values.item());
      else
        self.masked_fill_(mask, values);
      return self;
    }
  }
  const at::Tensor source = values.device() == self.device() ? values : values.to(self.device());
  const AdvancedIndexing indexing = advanced_indexing(self, indices);
  at::assert_no_overlap(self, source);
  for (const at::Tensor& index : indexing.indices)
    if (index.defined()) at::assert_no_overlap(self, index);
  TORCH_CHECK(at::is_expandable_to(source.sizes(), indexing.sizes), "shape mismatch: value tensor of shape ",
              source.sizes(), " cannot be broadcast to indexing result of shape ", at::IntArrayRef(indexing.sizes));
  if (!indexing.selects) {
    accumulate ? self.add_(source) : self.copy_(source);
    return self;
  }
  if (c10::multiply_integers(indexing.sizes) > 0)
    launch(aclnn::IndexPutImpl, self, indexing.indices, source, accumulate, false);
  return self;
}

at::Tensor& index_fill__int_Scalar(at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Scalar& value) {
  TORCH_CHECK_INDEX(index.scalar_type() == at::kLong || index.scalar_type() == at::kInt,
                    "index_fill_(): Expected dtype int64 or int32 for index.");
  at::assert_no_overlap(self, index);
  if (at::has_internal_overlap(self) == at::MemOverlap::Yes)
    TORCH_WARN(
        "Use of index_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
        "operation. This also "
        "applies to advanced indexing e.g. tensor[mask] = scalar");
  TORCH_CHECK(self.is_complex() || !value.isComplex(),
              "index_fill_(): Converting complex Scalar to non-complex type is not supported");
  check_fits(value, self.scalar_type());
  dim = at::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(index.dim() <= 1, "Index has to be a vector/scalar");
  if (index.numel() > 0 && self.numel() > 0) launch(aclnn::InplaceIndexFill, self, dim, index, value);
  return self;
}

at::Tensor& index_fill__int_Tensor(at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& value) {
  TORCH_CHECK(value.dim() == 0, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
              value.dim(), " dimension(s).");
  return self.index_fill_(dim, index, value.item());
}

at::Tensor& put_(at::Tensor& self, const at::Tensor& index, const at::Tensor& source, bool accumulate) {
  TORCH_CHECK(index.scalar_type() == at::kLong, "put_(): Expected a long tensor for index, but got ",
              index.scalar_type());
  TORCH_CHECK(self.scalar_type() == source.scalar_type(),
              "put_(): self and source expected to have the same dtype, but got self.dtype = ", self.scalar_type(),
              " and source.dtype = ", source.scalar_type());
  TORCH_CHECK(self.device() == source.device() && self.device() == index.device(),
              "put_(): self, index and source expected to be in the same device, but got self.device = ", self.device(),
              ", index.device = ", index.device(), ", and source.device = ", source.device());
  TORCH_CHECK_INDEX(source.numel() == index.numel(),
                    "put_(): Expected source and index to have the same number of elements, but got ",
                    "source.numel() = ", source.numel(), ", index.numel() = ", index.numel());
  TORCH_CHECK_INDEX(!(self.numel() == 0 && index.numel() != 0), "put_(): Tried to put elements into an empty tensor");
  at::assert_no_internal_overlap(self);
  at::assert_no_overlap(self, index);
  at::assert_no_overlap(self, source);
  if (index.numel() == 0) return self;
  const at::Tensor target = self.contiguous();
  launch(aclnn::InplacePut, target, index.contiguous(), source.contiguous(), accumulate);
  if (!target.is_same(self)) self.copy_(target);
  return self;
}

}  // namespace op

}  // namespace torch_npu
