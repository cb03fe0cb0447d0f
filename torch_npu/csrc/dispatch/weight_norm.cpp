// Weight normalisation where PyTorch's composition asks for one operator: composed here, as CANN has none.
#include <ATen/TensorOperators.h>
#include <ATen/ops/norm_except_dim.h>

#include "handwritten_norm.h"

namespace torch_npu::op {

// v g / |v|, the norm taken over all dimensions but one.
std::tuple<at::Tensor, at::Tensor> _weight_norm_interface(const at::Tensor& v, const at::Tensor& g, int64_t dim) {
  at::Tensor norms = at::norm_except_dim(v, 2, dim);
  return {v * (g / norms), norms};
}

std::tuple<at::Tensor, at::Tensor> _weight_norm_interface_backward(const at::Tensor& grad_w, const at::Tensor& saved_v,
                                                                   const at::Tensor& saved_g,
                                                                   const at::Tensor& saved_norms, int64_t dim) {
  const int64_t kept = dim < 0 ? saved_v.dim() - 1 : dim;
  at::DimVector summed;
  for (int64_t d = 0; d < saved_v.dim(); ++d)
    if (d != kept) summed.push_back(d);
  const at::Tensor along = (grad_w * saved_v).sum(summed, /*keepdim=*/true);  // of the gradient, the part along v
  const at::Tensor grad_v = (saved_g / saved_norms) * (grad_w - saved_v * (along / (saved_norms * saved_norms)));
  return {grad_v, along / saved_norms};
}

}  // namespace torch_npu::op
