#include "torch_npu/csrc/dispatch/shapes.h"

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/native/Resize.h>
#include <c10/util/Exception.h>

namespace torch_npu::shape {

Spec like(const at::Tensor& self) { return like(self, self.scalar_type()); }

Spec like(const at::Tensor& self, at::ScalarType dtype) {
  Spec spec = sized(self.sizes(), dtype, self.device());
  if (!self.is_contiguous() && self.is_non_overlapping_and_dense())
    spec.strides = c10::SmallVector<int64_t, 6>(self.strides().begin(), self.strides().end());
  return spec;
}

Spec broadcast(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype) {
  const auto sizes = at::infer_size_dimvector(a.sizes(), b.sizes());
  return sized(sizes, dtype, a.is_privateuseone() ? a.device() : b.device());
}

Spec reduced(const at::Tensor& self, at::OptionalIntArrayRef dims, bool keepdim, at::ScalarType dtype) {
  const auto mask = dims.has_value() && !dims->empty() ? at::dim_list_to_bitset(*dims, self.dim())
                                                       : std::bitset<at::dim_bitset_size>().set();
  Spec spec{{}, dtype, self.device()};
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!mask[d])
      spec.sizes.push_back(self.size(d));
    else if (keepdim)
      spec.sizes.push_back(1);
  }
  return spec;
}

at::Tensor allocate_one(const Spec& spec) {
  return spec.strides.empty() ? empty(spec.sizes, spec.dtype, spec.device)
                              : empty_strided(spec.sizes, spec.strides, spec.dtype, spec.device);
}

void resize(const Spec& spec, const at::Tensor& out) {
  TORCH_CHECK(c10::canCast(spec.dtype, out.scalar_type()), "result type ", spec.dtype,
              " can't be cast to the desired output type ", out.scalar_type());
  at::native::resize_output(out, spec.sizes);
}

void check_inplace(const at::Tensor& self, const Spec& spec) {
  TORCH_CHECK(c10::canCast(spec.dtype, self.scalar_type()), "result type ", spec.dtype,
              " can't be cast to the desired output type ", self.scalar_type());
  TORCH_CHECK(self.sizes() == at::IntArrayRef(spec.sizes), "output with shape ", self.sizes(),
              " doesn't match the broadcast shape ", at::IntArrayRef(spec.sizes));
}

}  // namespace torch_npu::shape
