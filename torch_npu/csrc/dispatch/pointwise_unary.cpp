// nan_to_num: its defaults depend on the dtype, and CANN takes float32 replacements.
#include <cfloat>

#include <ATen/native/Resize.h>
#include <ATen/ops/where.h>

#include "functions_pointwise_unary.h"
#include "handwritten_pointwise_unary.h"

namespace torch_npu::op {

at::Tensor& nan_to_num_out(const at::Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                           std::optional<double> neginf, at::Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "nan_to_num: dtype of out: ", out.scalar_type(),
              " should be same as input: ", self.scalar_type());
  at::native::resize_output(out, self.sizes());
  auto inexact = [](std::optional<double> v) {
    return v.has_value() && double{static_cast<float>(*v)} != *v && *v == *v;
  };
  if (self.scalar_type() == at::kDouble && (inexact(nan) || inexact(posinf) || inexact(neginf)))
    throw Refusal("nan_to_num: the replacements are no float32 numbers");
  // FLT_MAX stands for the largest number of the dtype.
  launch(aclnn::NanToNum, self, nan.value_or(0), posinf.value_or(FLT_MAX), neginf.value_or(-FLT_MAX), out);
  return out;
}

}  // namespace torch_npu::op
