// The products that no row can say: torch.matmul and linear, whole, with their derivatives; dot; addbmm. Anything
// unusual is left to the operators PyTorch composes them from, which also gives PyTorch's errors.
#include <ATen/ExpandUtils.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sum.h>
#include <torch/csrc/autograd/node.h>

#include "functions_matmul.h"
#include "handwritten_matmul.h"
#include "torch_npu/csrc/diagnostics/events.h"

namespace torch_npu::op {
namespace {

using Sizes = c10::SmallVector<int64_t, 6>;

// CANN's products take rows or columns that lie densely, with gaps between them where need be. Another operand it
// copies first. Not told inside a backward pass, whose layouts are autograd's choice.
void note_layout(const char* op, const at::Tensor& t, bool columns_are_fine) {
  if (t.is_contiguous() || t.dim() < 2 || t.size(-1) == 1 || t.stride(-1) == 1) [[likely]]
    return;
  if ((columns_are_fine && (t.stride(-2) == 1 || t.size(-2) == 1)) || t.numel() <= 1) return;
  if (torch::autograd::get_current_node() != nullptr) return;
  events::record(events::Kind::Contiguous, op,
                 {.reason = "the elements of its input's rows are not neighbours in memory: CANN copies it first",
                  .operands = events::operands_of(t),
                  .op_name = {}},
                 t.nbytes());
}

bool same_device_and_dtype(const at::Tensor& a, const at::Tensor& b) {
  return a.device() == b.device() && a.scalar_type() == b.scalar_type();
}

// The result's sizes, if self @ other is a plain case; nothing for PyTorch's errors to say.
std::optional<Sizes> matmul_sizes(const at::Tensor& self, const at::Tensor& other) {
  const int64_t a = self.dim(), b = other.dim();
  if (a == 0 || b == 0 || !same_device_and_dtype(self, other)) return std::nullopt;
  if (self.size(a - 1) != other.size(std::max<int64_t>(b - 2, 0))) return std::nullopt;
  Sizes sizes;
  const int64_t batch_a = std::max<int64_t>(a - 2, 0), batch_b = std::max<int64_t>(b - 2, 0),
                batch = std::max(batch_a, batch_b);
  for (int64_t d = 0; d < batch; ++d) {
    const int64_t i = d - (batch - batch_a), j = d - (batch - batch_b);
    const int64_t x = i < 0 ? 1 : self.size(i), y = j < 0 ? 1 : other.size(j);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    sizes.push_back(x == 1 ? y : x);
  }
  if (a > 1) sizes.push_back(self.size(a - 2));
  if (b > 1) sizes.push_back(other.size(b - 1));
  return sizes;
}

// As PyTorch composes it; reached for calls that end in an error.
at::Tensor composed_matmul(const at::Tensor& self, const at::Tensor& other) {
  const int64_t a = self.dim(), b = other.dim();
  TORCH_CHECK(a != 0 && b != 0, "both arguments to matmul need to be at least 1D, but they are ", a, "D and ", b, "D");
  if (a == 1 && b == 1) return at::dot(self, other);
  if (a == 2 && b == 1) return at::mv(self, other);
  if (a == 1 && b == 2) return at::mm(self.unsqueeze(0), other).squeeze(0);
  if (a == 2 && b == 2) return at::mm(self, other);
  if (b <= 2) {  // the leading dimensions of self are rows
    const at::Tensor rows = self.reshape({-1, self.size(a - 1)});
    return b == 1 ? at::mv(rows, other) : at::mm(rows, other);
  }
  if (a <= 2) {
    const at::Tensor rows = other.transpose(-1, -2).reshape({-1, other.size(b - 2)});
    return a == 1 ? at::mv(rows, self) : at::mm(rows, self.t());
  }
  const auto batch = at::infer_size(self.sizes().slice(0, a - 2), other.sizes().slice(0, b - 2));
  const auto expanded = [&](const at::Tensor& t, int64_t dim) {
    std::vector<int64_t> sizes(batch.begin(), batch.end());
    sizes.insert(sizes.end(), {t.size(dim - 2), t.size(dim - 1)});
    return t.expand(sizes).reshape({-1, t.size(dim - 2), t.size(dim - 1)});
  };
  return at::bmm(expanded(self, a), expanded(other, b));
}

// [..., n] as [rows, n]
at::Tensor as_rows(const at::Tensor& t) {
  if (t.dim() == 2) return t;
  int64_t rows = 1;
  for (const int64_t size : t.sizes().slice(0, t.dim() - 1)) rows *= size;  // not -1: a tensor may be empty
  return t.reshape({rows, t.size(-1)});
}

}  // namespace

at::Tensor matmul(const at::Tensor& self, const at::Tensor& other) {
  const std::optional<Sizes> sizes = matmul_sizes(self, other);
  if (!sizes) return composed_matmul(self, other);
  note_layout("aten::matmul", self, /*columns_are_fine=*/true);
  note_layout("aten::matmul", other, /*columns_are_fine=*/true);
  at::Tensor out = empty(*sizes, self.scalar_type(), self.device());
  launch(aclnn::Matmul, resolved(self), resolved(other), out, 0);
  return out;
}

at::Tensor& matmul_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  const std::optional<Sizes> sizes = matmul_sizes(self, other);
  if (!sizes) {
    composed_matmul(self, other);
    return out;
  }
  TORCH_CHECK(out.scalar_type() == self.scalar_type(), "Expected out tensor to have dtype ", self.dtype(), ", but got ",
              out.dtype(), " instead");
  shape::resize(shape::sized(*sizes, self), out);
  if (out.is_conj() || out.is_neg() || out.storage().is_alias_of(self.storage()) ||
      out.storage().is_alias_of(other.storage()))
    out.copy_(op::matmul(self, other));
  else
    launch(aclnn::Matmul, resolved(self), resolved(other), out, 0);
  return out;
}

// d/dself = grad other^H, d/dother = self^H grad, summed over what was broadcast.
std::tuple<at::Tensor, at::Tensor> matmul_backward(const at::Tensor& grad, const at::Tensor& self,
                                                   const at::Tensor& other, std::array<bool, 2> mask) {
  if (!grad.defined()) return {};
  const int64_t a = self.dim(), b = other.dim();
  const at::Tensor x = a == 1 ? self.unsqueeze(0) : self;    // [..., m, k]
  const at::Tensor y = b == 1 ? other.unsqueeze(1) : other;  // [..., k, n]
  at::Tensor g = b == 1 ? grad.unsqueeze(-1) : grad;         // [..., m, n]
  if (a == 1) g = g.unsqueeze(-2);
  at::Tensor grad_self, grad_other;
  if (mask[0]) grad_self = at::sum_to(at::matmul(g, y.mH()), x.sizes()).view(self.sizes());
  if (mask[1]) {
    const bool fold = y.dim() == 2 && x.dim() > 2;  // the batch is part of the sum: one product
    grad_other = fold ? at::mm(as_rows(x).mH(), as_rows(g)) : at::sum_to(at::matmul(x.mH(), g), y.sizes());
    grad_other = grad_other.view(other.sizes());
  }
  return {grad_self, grad_other};
}

at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias) {
  const bool has_bias = bias.has_value() && bias->defined();
  const int64_t dims = input.dim();
  const bool plain = weight.dim() == 2 && dims >= 1 && input.size(dims - 1) == weight.size(1) &&
                     same_device_and_dtype(input, weight) &&
                     (!has_bias || (bias->dim() == 1 && (bias->size(0) == weight.size(0) || bias->size(0) == 1) &&
                                    same_device_and_dtype(input, *bias)));
  if (!plain || !aclnn::Linear.available()) {
    if (!has_bias) return at::matmul(input, weight.t());
    if (dims == 2 && weight.dim() == 2) return at::addmm(*bias, input, weight.t());
    return at::add(at::matmul(input, weight.t()), *bias);
  }
  note_layout("aten::linear", input, /*columns_are_fine=*/false);
  Sizes sizes(input.sizes().begin(), input.sizes().end());
  sizes.back() = weight.size(0);
  at::Tensor out = empty(sizes, input.scalar_type(), input.device());
  if (input.is_complex()) {
    launch(aclnn::Linear, resolved(input), resolved(weight), has_bias ? std::optional(resolved(*bias)) : std::nullopt,
           out);
  } else {
    launch(aclnn::Linear, input, weight, bias, out);
  }
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> linear_backward(const at::Tensor& self, const at::Tensor& grad_output,
                                                               const at::Tensor& weight,
                                                               std::array<bool, 3> output_mask) {
  const bool vector = weight.dim() == 1;  // linear(x, w) with one output that has no dimension
  const at::Tensor w = vector ? weight.unsqueeze(0) : weight;
  const at::Tensor grad = vector ? grad_output.unsqueeze(-1) : grad_output;
  at::Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) grad_input = at::matmul(grad, w.conj());
  if (output_mask[1]) {
    grad_weight = at::mm(as_rows(grad).t(), as_rows(self).conj());
    if (vector) grad_weight = grad_weight.squeeze(0);
  }
  if (output_mask[2]) grad_bias = as_rows(grad).sum(0);
  return {grad_input, grad_weight, grad_bias};
}

at::Tensor dot(const at::Tensor& self, const at::Tensor& tensor) {
  at::Tensor out = empty({}, self.scalar_type(), self.device());
  launch(aclnn::Dot, resolved(self), resolved(tensor), out);
  return out;
}

at::Tensor vdot(const at::Tensor& self, const at::Tensor& other) {
  return self.is_complex() ? op::dot(self.conj(), other) : op::dot(self, other);
}

namespace {

// The number as an element of the type would hold it.
at::Scalar held_in(const at::Scalar& value, at::ScalarType type) {
  if (type == at::kHalf) return static_cast<float>(value.to<at::Half>());
  if (type == at::kBFloat16) return static_cast<float>(value.to<at::BFloat16>());
  return value;
}

}  // namespace

// Half types round where PyTorch's CPU kernel does: both factors, alpha with vec1, that with vec2, beta with self, the
// sum.
at::Tensor addr(const at::Tensor& self, const at::Tensor& vec1, const at::Tensor& vec2, const at::Scalar& beta,
                const at::Scalar& alpha) {
  TORCH_CHECK(vec1.dim() == 1, "addr: Expected 1-D argument vec1, but got ", vec1.dim(), "-D");
  TORCH_CHECK(vec2.dim() == 1, "addr: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  const at::ScalarType type =
      c10::promoteTypes(c10::promoteTypes(self.scalar_type(), vec1.scalar_type()), vec2.scalar_type());
  for (const auto& [name, factor] : {std::pair("beta", &beta), std::pair("alpha", &alpha)}) {
    TORCH_CHECK(!factor->isBoolean() || type == at::kBool, "Boolean ", name, " only supported for Boolean results.");
    TORCH_CHECK(!at::isIntegralType(type, true) || factor->isIntegral(true), "For integral input tensors, argument ",
                name, " must not be a floating point number.");
  }
  const int64_t sizes[] = {vec1.size(0), vec2.size(0)};
  const at::Tensor rows = self.expand(sizes);
  const auto scaled = [&](const at::Tensor& t, const at::Scalar& by) {
    return by.equal(1) ? t : at::mul(t, held_in(by, type));
  };
  const at::Tensor product = at::mul(scaled(vec1, alpha).unsqueeze(1), vec2);
  return (beta.equal(0) ? product : at::add(scaled(rows, beta), product)).to(type);
}

at::Tensor& addbmm_out(const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2,
                       const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
  if (batch1.dim() != 3 || batch2.dim() != 3) throw Refusal("addbmm: batches of matrices are needed");
  const int64_t sizes[] = {batch1.size(1), batch2.size(2)};
  if (!out.is_same(self)) shape::resize(shape::sized(sizes, self), out);
  launch(aclnn::Addbmm, self, batch1, batch2, beta, alpha, out, 0);
  return out;
}

at::Tensor addbmm(const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2, const at::Scalar& beta,
                  const at::Scalar& alpha) {
  at::Tensor out = empty({0}, self.scalar_type(), self.device());
  return addbmm_out(self, batch1, batch2, beta, alpha, out);
}

// The activation follows the product's rounding, as the two operators apart.
at::Tensor _addmm_activation(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                             const at::Scalar& beta, const at::Scalar& alpha, bool use_gelu) {
  at::Tensor sum = at::addmm(self, mat1, mat2, beta, alpha);
  return use_gelu ? at::gelu_(sum) : at::relu_(sum);
}

at::Tensor& _addmm_activation_out(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                                  const at::Scalar& beta, const at::Scalar& alpha, bool use_gelu, at::Tensor& out) {
  at::addmm_out(out, self, mat1, mat2, beta, alpha);
  return use_gelu ? at::gelu_(out) : at::relu_(out);
}

at::Tensor& addbmm_(at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2, const at::Scalar& beta,
                    const at::Scalar& alpha) {
  return addbmm_out(self, batch1, batch2, beta, alpha, self);
}

namespace {

// Products whose derivatives PyTorch has in every mode: vectors as matrices, batches broadcast.
at::Tensor matmul_by_parts(const at::Tensor& self, const at::Tensor& other) {
  const std::optional<Sizes> sizes = matmul_sizes(self, other);
  if (!sizes) return composed_matmul(self, other);
  const at::Tensor a = self.dim() == 1 ? self.unsqueeze(0) : self, b = other.dim() == 1 ? other.unsqueeze(1) : other;
  if (a.dim() == 2 && b.dim() == 2) return at::mm(a, b).view(*sizes);
  const auto batch = at::infer_size(a.sizes().slice(0, a.dim() - 2), b.sizes().slice(0, b.dim() - 2));
  const auto matrices = [&](const at::Tensor& t) {
    std::vector<int64_t> expanded(batch.begin(), batch.end());
    expanded.insert(expanded.end(), {t.size(-2), t.size(-1)});
    return t.expand(expanded).reshape({c10::multiply_integers(batch), t.size(-2), t.size(-1)});
  };
  return at::bmm(matrices(a), matrices(b)).view(*sizes);
}

bool has_tangent(const at::Tensor& t) { return t._fw_grad(/*level=*/0).defined(); }

// PyTorch has a formula for matmul's gradient but none for forward mode, where it is composed instead. All else goes on
// to PyTorch's own autograd kernel, which stands under AutogradOther too.
at::Tensor matmul_under_autograd(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other) {
  if (has_tangent(self) || has_tangent(other)) return matmul_by_parts(self, other);
  // Nothing that stands above: Dynamo's Python dispatcher would send the call here again.
  const c10::DispatchKeySet others = (keys & c10::after_autograd_keyset).add(c10::DispatchKey::AutogradOther);
  return at::_ops::matmul::redispatch(others, self, other);
}

}  // namespace

// PyTorch has no derivative for matmul_backward: under autograd it is its parts, so that gradients of gradients exist.
TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  m.impl("matmul_backward", TORCH_FN(matmul_backward));
  m.impl("matmul", TORCH_FN(matmul_under_autograd));
}

}  // namespace torch_npu::op
