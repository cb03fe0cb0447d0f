// hardtanh: a clamp with checks of its own.
#include <ATen/ops/clamp.h>

#include "aclnn_functions.h"
#include "handwritten_pointwise_activation.h"

namespace torch_npu::op {
namespace {

void check_hardtanh(const at::Tensor& self) {
  TORCH_CHECK(self.scalar_type() != at::kBool, "Bool inputs not supported for hardtanh");
}

}  // namespace

at::Tensor& hardtanh_out(const at::Tensor& self, const at::Scalar& min_val, const at::Scalar& max_val,
                         at::Tensor& out) {
  check_hardtanh(self);
  if (at::isIntegralType(self.scalar_type(), /*includeBool=*/false)) {
    const int64_t low = min_val.toLong(), high = max_val.toLong();
    TORCH_CHECK(self.scalar_type() != at::kByte || (low >= 0 && high >= 0),
                "cannot do hardtanh on an unsigned type with negative limits");
    return at::clamp_out(out, self, low, high);
  }
  return at::clamp_out(out, self, min_val, max_val);
}
at::Tensor hardtanh(const at::Tensor& self, const at::Scalar& min_val, const at::Scalar& max_val) {
  at::Tensor out = empty_like(self);
  return hardtanh_out(self, min_val, max_val, out);
}
at::Tensor& hardtanh_(at::Tensor& self, const at::Scalar& min_val, const at::Scalar& max_val) {
  return hardtanh_out(self, min_val, max_val, self);
}

}  // namespace torch_npu::op
