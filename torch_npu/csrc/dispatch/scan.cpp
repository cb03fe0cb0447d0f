// Scans whose results ATen has allocated already.
#include "aclnn_functions.h"
#include "handwritten_scan.h"

namespace torch_npu::op {

void _cummax_helper(const at::Tensor& self, at::Tensor& values, at::Tensor& indices, int64_t dim) {
  launch(aclnn::Cummax, self, dim, values, indices);
}

void _cummin_helper(const at::Tensor& self, at::Tensor& values, at::Tensor& indices, int64_t dim) {
  launch(aclnn::Cummin, self, dim, values, indices);
}

}  // namespace torch_npu::op
