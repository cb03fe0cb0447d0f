// See the header. _foreach_norm gives numbers, so it allocates for itself.
#include "torch_npu/csrc/dispatch/foreach.h"

#include <algorithm>

#include <ATen/ops/_foreach_norm_compositeexplicitautograd_dispatch.h>

#include "functions_foreach.h"
#include "handwritten_foreach.h"
#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu {
namespace lists {
namespace {

bool lies_like(const at::Tensor& t, const at::Tensor& like) {
  if (t.sizes() != like.sizes()) return false;
  for (int64_t d = 0; d < t.dim(); ++d)
    if (t.size(d) != 1 && t.stride(d) != like.stride(d)) return false;
  return true;
}

}  // namespace

bool alike(std::initializer_list<at::TensorList> lists) {
  const at::TensorList first = *lists.begin();
  if (first.empty() || !at::isFloatingType(first[0].scalar_type())) return false;
  const at::ScalarType type = first[0].scalar_type();
  const at::Device device = first[0].device();
  for (const at::TensorList& list : lists) {
    if (list.size() != first.size()) return false;
    for (size_t i = 0; i < list.size(); ++i) {
      const at::Tensor& t = list[i];
      if (t.scalar_type() != type || t.device() != device || !t.is_non_overlapping_and_dense()) return false;
      if (list.data() != first.data() && !lies_like(t, first[i])) return false;
    }
  }
  return true;
}

bool keeps_type(at::TensorList list, at::ArrayRef<at::Scalar> numbers) {
  return numbers.size() == list.size() &&
         std::none_of(numbers.begin(), numbers.end(), [](const at::Scalar& number) { return number.isComplex(); });
}

std::vector<at::Tensor> empty_like(at::TensorList list) {
  std::vector<at::Tensor> result;
  result.reserve(list.size());
  for (const at::Tensor& t : list) result.push_back(torch_npu::empty_like(t));
  return result;
}

}  // namespace lists

namespace op {

std::vector<at::Tensor> _foreach_norm_Scalar(at::TensorList self, const at::Scalar& ord,
                                             std::optional<at::ScalarType> dtype) {
  // A negative or infinite order of an empty tensor is an error, in PyTorch's words.
  const bool any_empty = std::any_of(self.begin(), self.end(), [](const at::Tensor& t) { return t.numel() == 0; });
  if (!aclnn::ForeachNorm.available() || any_empty || !lists::alike({self}) || ord.isComplex() ||
      dtype.value_or(self[0].scalar_type()) != self[0].scalar_type())
    return at::compositeexplicitautograd::_foreach_norm(self, ord, dtype);
  std::vector<at::Tensor> out;
  out.reserve(self.size());
  for (const at::Tensor& t : self) out.push_back(empty({}, t.scalar_type(), t.device()));
  launch(aclnn::ForeachNorm, self, ord, out);
  return out;
}

}  // namespace op
}  // namespace torch_npu
