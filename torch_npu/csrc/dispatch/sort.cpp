#include "torch_npu/csrc/dispatch/sort.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/native/ReduceOpsUtils.h>

#include "aclnn_functions.h"
#include "handwritten_sort.h"

namespace torch_npu {

std::array<shape::Spec, 2> indexed(const char* name, const at::Tensor& self, int64_t dim, bool keepdim) {
  const int64_t wrapped = at::maybe_wrap_dim(dim, self.dim());
  at::native::zero_numel_check_dims(self, wrapped, name);
  const shape::Spec values = shape::reduced(self, wrapped, keepdim, self.scalar_type());
  return {values, shape::sized(values.sizes, at::kLong, self.device())};
}

std::array<shape::Spec, 2> kth_shape(const at::Tensor& self, int64_t k, int64_t dim, bool keepdim) {
  const int64_t wrapped = at::maybe_wrap_dim(dim, self.dim());
  const int64_t n = self.dim() > 0 ? self.size(wrapped) : 1;
  TORCH_CHECK(k >= 1 && k <= n, "kthvalue(): selected number k out of range for dimension ", wrapped);
  return indexed("kthvalue()", self, dim, keepdim);
}

namespace op {
namespace {

template <class Function>
at::Tensor median_of_all(const Function& function, const at::Tensor& self) {
  at::Tensor out = empty({}, self.scalar_type(), self.device());
  if (self.numel() == 0) return out.fill_(at::isFloatingType(self.scalar_type()) ? std::nan("") : 0.0);
  launch(function, self.contiguous(), out);
  return out;
}

}  // namespace

at::Tensor median(const at::Tensor& self) { return median_of_all(aclnn::Median, self); }
at::Tensor nanmedian(const at::Tensor& self) { return median_of_all(aclnn::NanMedian, self); }

}  // namespace op

}  // namespace torch_npu
