// Reading through indices: the checks that PyTorch's CPU kernels make, in their words, and advanced indexing.
#include "torch_npu/csrc/dispatch/index.h"

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/IndexingUtils.h>
#include <ATen/native/Resize.h>

#include "functions_index.h"
#include "handwritten_index.h"
#include "torch_npu/csrc/dispatch/launch.h"

namespace torch_npu {

namespace {

bool is_index(const at::Tensor& t) { return t.scalar_type() == at::kLong || t.scalar_type() == at::kInt; }

// An out= tensor of the same type, apart from what is read.
void check_out(const char* op, const at::Tensor& self, const at::Tensor& index, const at::Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), op, "(): self and result must have the same scalar type");
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  at::assert_no_overlap(out, index);
}

std::string shapes_of(const std::vector<at::Tensor>& tensors) {
  std::ostringstream text;
  for (const at::Tensor& t : tensors)
    if (t.defined()) text << (text.tellp() > 0 ? ", " : "") << t.sizes();
  return text.str();
}

}  // namespace

shape::Spec index_select_spec(const at::Tensor& self, int64_t dim, const at::Tensor& index) {
  dim = at::maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  TORCH_CHECK(!(self.dim() == 0 && index.numel() != 1), "index_select(): Index to scalar can have only 1 value, got ",
              index.numel(), " value(s)");
  TORCH_CHECK(is_index(index), "index_select(): Expected dtype int32 or int64 for index");
  shape::Spec spec = shape::sized(self.sizes(), self);
  if (self.dim() > 0) spec.sizes[dim] = index.numel();
  return spec;
}

shape::Spec embedding_spec(const at::Tensor& weight, const at::Tensor& indices) {
  TORCH_CHECK(weight.dim() == 2, "'weight' must be 2-D");
  TORCH_CHECK(
      is_index(indices),
      "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got ",
      indices.toString(), " instead (while checking arguments for embedding)");
  shape::Spec spec = shape::sized(indices.sizes(), weight);
  spec.sizes.push_back(weight.size(1));
  return spec;
}

shape::Spec take_spec(const at::Tensor& self, const at::Tensor& index) {
  TORCH_CHECK(index.scalar_type() == at::kLong, "take(): Expected a long tensor for index, but got ",
              index.scalar_type());
  TORCH_CHECK_INDEX(!(self.numel() == 0 && index.numel() != 0), "take(): tried to take from an empty tensor");
  return shape::sized(index.sizes(), self);
}

shape::Spec index_select_spec(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& out) {
  check_out("index_select", self, index, out);
  return index_select_spec(self, dim, index);
}

shape::Spec take_spec(const at::Tensor& self, const at::Tensor& index, const at::Tensor& out) {
  check_out("take", self, index, out);
  return take_spec(self, index);
}

AdvancedIndexing advanced_indexing(const at::Tensor& self, const OptionalTensors& indices) {
  TORCH_CHECK_INDEX(static_cast<int64_t>(indices.size()) <= self.dim(), "too many indices for tensor of dimension ",
                    self.dim(), " (got ", indices.size(), ")");
  at::native::checkIndexTensorTypes(indices, /*allow_int=*/true);
  AdvancedIndexing result;
  result.indices = at::native::expandTensors(self, indices, /*ensure_same_device=*/true);
  TORCH_CHECK_INDEX(static_cast<int64_t>(result.indices.size()) <= self.dim(),
                    "too many indices for tensor of dimension ", self.dim(), " (got ", result.indices.size(), ")");
  at::DimVector broadcast;
  int64_t first = -1, last = -1, given = 0;
  for (size_t d = 0; d < result.indices.size(); ++d) {
    const at::Tensor& index = result.indices[d];
    if (!index.defined()) continue;
    try {
      broadcast = given == 0 ? at::DimVector(index.sizes()) : at::infer_size_dimvector(broadcast, index.sizes());
    } catch (const std::exception&) {
      TORCH_CHECK_INDEX(false, "shape mismatch: indexing tensors could not be broadcast together with shapes ",
                        shapes_of(result.indices));
    }
    if (first < 0) first = static_cast<int64_t>(d);
    last = static_cast<int64_t>(d);
    ++given;
  }
  result.selects = given > 0;
  // The indices' dimensions stand where the indices do if these are side by side, else in front.
  const bool adjacent = given > 0 && last - first + 1 == given;
  if (given > 0 && !adjacent) result.sizes.append(broadcast.begin(), broadcast.end());
  const bool picks_something = c10::multiply_integers(broadcast) != 0;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (d >= static_cast<int64_t>(result.indices.size()) || !result.indices[d].defined()) {
      result.sizes.push_back(self.size(d));
      continue;
    }
    TORCH_CHECK_INDEX(self.size(d) != 0 || !picks_something, "index is out of bounds for dimension with size 0");
    if (adjacent && d == first) result.sizes.append(broadcast.begin(), broadcast.end());
  }
  return result;
}

namespace {

void index_into(const at::Tensor& self, const AdvancedIndexing& indexing, const at::Tensor& out) {
  if (!indexing.selects) {
    out.copy_(self);
    return;
  }
  if (out.numel() > 0) launch(aclnn::Index, self, indexing.indices, out);
}

}  // namespace

namespace op {

at::Tensor index_Tensor(const at::Tensor& self, const OptionalTensors& indices) {
  const AdvancedIndexing indexing = advanced_indexing(self, indices);
  at::Tensor out = empty(indexing.sizes, self.scalar_type(), self.device());
  index_into(self, indexing, out);
  return out;
}

at::Tensor& index_Tensor_out(const at::Tensor& self, const OptionalTensors& indices, at::Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "index_out: self (", self.scalar_type(), ") and result (",
              out.scalar_type(), ") must have the same scalar type");
  const AdvancedIndexing indexing = advanced_indexing(self, indices);
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  for (const at::Tensor& index : indexing.indices)
    if (index.defined()) at::assert_no_overlap(out, index);
  at::native::resize_output(out, indexing.sizes);
  index_into(self, indexing, out);
  return out;
}

}  // namespace op

}  // namespace torch_npu
