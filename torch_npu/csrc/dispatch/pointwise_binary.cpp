// Binary operators without a structured meta of their own: they are forms of structured ones.
#include <ATen/ops/div.h>
#include <ATen/ops/sub.h>

#include "handwritten_pointwise_binary.h"

namespace torch_npu::op {

at::Tensor floor_divide(const at::Tensor& self, const at::Tensor& other) { return at::div(self, other, "floor"); }
at::Tensor& floor_divide_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  return at::div_out(out, self, other, "floor");
}
at::Tensor& floor_divide__Tensor(at::Tensor& self, const at::Tensor& other) { return self.div_(other, "floor"); }

at::Tensor rsub_Tensor(const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  return at::sub(other, self, alpha);
}

}  // namespace torch_npu::op
