#include "torch_npu/csrc/dispatch/geometry.h"

#include <ATen/ExpandUtils.h>

namespace torch_npu {

shape::Spec cdist_spec(const at::Tensor& x1, const at::Tensor& x2) {
  const int64_t a = x1.dim(), b = x2.dim();
  TORCH_CHECK(a > 1 && b > 1, "cdist only supports at least 2D tensors, X1 got: ", a, "D, X2 got: ", b, "D");
  auto sizes = at::infer_size(x1.sizes().slice(0, a - 2), x2.sizes().slice(0, b - 2));
  sizes.insert(sizes.end(), {x1.size(a - 2), x2.size(b - 2)});
  return shape::sized(sizes, x1);
}

shape::Spec cdist_backward_spec(const at::Tensor& x1, const at::Tensor& distances) {
  auto sizes = distances.sizes().vec();
  sizes.back() = x1.size(-1);
  return shape::sized(sizes, x1);
}

shape::Spec pdist_spec(const at::Tensor& self) {
  TORCH_CHECK(self.is_contiguous(), "_pdist_forward requires contiguous input");
  const int64_t n = self.size(0);
  return shape::sized({n <= 1 ? 0 : n * (n - 1) / 2}, self);
}

}  // namespace torch_npu
