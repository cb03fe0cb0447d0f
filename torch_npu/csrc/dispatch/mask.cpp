// masked_select, which must know on the host how many elements the mask picks, and masked_scatter_.
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/sum.h>

#include "functions_mask.h"
#include "handwritten_mask.h"
#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/dispatch/creation.h"
#include "torch_npu/csrc/dispatch/launch.h"

namespace torch_npu::op {

namespace {

template <class Allocate>
void select_into(const at::Tensor& self, const at::Tensor& mask, Allocate&& allocate) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "masked_select: expected BoolTensor for mask");
  const auto [mask_given, self_given] = at::expand_outplace(mask, self);
  const events::Cause cause("masked_select");
  const int64_t selected = mask_given->numel() == 0 ? 0 : at::sum(*mask_given).item<int64_t>();
  const at::Tensor& out = allocate(selected);
  if (selected > 0) launch(aclnn::MaskedSelect, *self_given, *mask_given, out);
}

}  // namespace

at::Tensor masked_select(const at::Tensor& self, const at::Tensor& mask) {
  at::Tensor out;
  select_into(self, mask,
              [&](int64_t n) -> const at::Tensor& { return out = empty({n}, self.scalar_type(), self.device()); });
  return out;
}

at::Tensor& masked_select_out(const at::Tensor& self, const at::Tensor& mask, at::Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(),
              "masked_select(): self and result must have the same scalar type");
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  at::assert_no_overlap(out, mask);
  at::Tensor dense;
  select_into(self, mask, [&](int64_t n) -> const at::Tensor& {
    at::native::resize_output(out, {n});
    return dense = out.is_contiguous() ? out : empty({n}, out.scalar_type(), out.device());
  });
  if (!dense.is_same(out)) out.copy_(dense);
  return out;
}

at::Tensor& masked_scatter_(at::Tensor& self, const at::Tensor& mask, const at::Tensor& source) {
  at::assert_no_internal_overlap(self);
  TORCH_CHECK(self.scalar_type() == source.scalar_type(),
              "masked_scatter_: expected self and source to have same dtypes but got ", self.scalar_type(), " and ",
              source.scalar_type());
  TORCH_CHECK(mask.scalar_type() == at::kBool, "masked_scatter_ only supports boolean masks, but got mask with dtype ",
              mask.dtype());
  const auto mask_given = at::expand_inplace(self, mask, "masked_scatter_");
  at::assert_no_overlap(self, source);
  if (self.numel() > 0) launch(aclnn::InplaceMaskedScatter, self, *mask_given, source);
  return self;
}

}  // namespace torch_npu::op
