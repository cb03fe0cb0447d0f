// scaled_dot_product_attention: which calls the fused operator takes (the others are composed from products and softmax
// by PyTorch), and that operator with its gradient.
#include <algorithm>
#include <array>
#include <cmath>

#include <ATen/Context.h>
#include <ATen/SDPBackend.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>

#include "functions_attention.h"
#include "handwritten_attention.h"
#include "torch_npu/csrc/diagnostics/events.h"

namespace torch_npu {
namespace {

bool fits_fused(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                const std::optional<at::Tensor>& mask, double dropout_p) {
  if (dropout_p != 0.0 || !at::globalContext().userEnabledOverrideableSDP()) return false;
  if (query.dim() != 4 || key.dim() != 4 || value.dim() != 4) return false;
  const at::ScalarType dtype = query.scalar_type();
  if ((dtype != at::kFloat && dtype != at::kHalf && dtype != at::kBFloat16) || key.scalar_type() != dtype ||
      value.scalar_type() != dtype)
    return false;
  if (query.size(0) != key.size(0) || query.size(0) != value.size(0) || query.size(3) != key.size(3) ||
      key.size(2) != value.size(2) || key.size(1) != value.size(1) || key.size(1) == 0 ||
      query.size(1) % key.size(1) != 0)
    return false;
  if (mask.has_value() && mask->defined() &&
      (mask->requires_grad() || mask->dim() > 4 || (mask->scalar_type() != at::kBool && mask->scalar_type() != dtype)))
    return false;
  return aclnn::Attention.available();
}

// Why CANN's fused attention (npu_fusion_attention) does not take a call; empty if it does. Ours takes more masks and
// sizes, CANN's takes dropout.
std::string refusal_of_cann(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const std::optional<at::Tensor>& mask) {
  constexpr int64_t kMostHeads = 2048, kLargestHead = 512;
  const auto number = [](int64_t n) { return std::to_string(n); };
  const auto name = [](at::ScalarType type) { return std::string(c10::getDtypeNames(type).first); };
  if (query.dim() != 4 || key.dim() != 4 || value.dim() != 4)
    return "query, key and value need 4 dimensions, query has " + number(query.dim());
  const at::ScalarType dtype = query.scalar_type();
  if (dtype != at::kFloat && dtype != at::kHalf && dtype != at::kBFloat16)
    return "dtype " + name(dtype) + ": float16, bfloat16 or float32 is needed";
  const int64_t head = query.size(3), heads = query.size(1), key_heads = key.size(1);
  if (dtype == at::kFloat && head % 4 != 0)
    return "head size " + number(head) + ": in float32 it must be a multiple of 4";
  if (head > kLargestHead || value.size(3) > kLargestHead) return "head size " + number(head) + ": at most 512";
  if (mask.has_value() && mask->defined() && mask->scalar_type() != at::kBool)
    return "a mask of dtype " + name(mask->scalar_type()) + ": it must be bool";
  if (heads > kMostHeads) return number(heads) + " heads: at most 2048";
  if (key_heads == 0 || heads % key_heads != 0)
    return number(heads) + " query heads: a multiple of the " + number(key_heads) + " key heads is needed";
  if (!at::globalContext().userEnabledOverrideableSDP()) return "switched off by sdpa_kernel()";
  return {};
}

void note_fusion(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                 const std::optional<at::Tensor>& mask) {
  const std::string refusal = refusal_of_cann(query, key, value, mask);
  events::record(refusal.empty() ? events::Kind::Fused : events::Kind::Unfused, "aten::scaled_dot_product_attention",
                 {.reason = refusal, .operands = events::operands_of({query, key, value}), .op_name = {}});
}

int64_t choose(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
               const std::optional<at::Tensor>& mask, double dropout_p, bool /*is_causal*/,
               std::optional<double> /*scale*/, bool enable_gqa) {
  note_fusion(query, key, value, mask);
  const bool fused = fits_fused(query, key, value, mask, dropout_p) && (enable_gqa || query.size(1) == key.size(1));
  return static_cast<int64_t>(fused ? at::SDPBackend::overrideable : at::SDPBackend::math);
}

double scale_or_default(std::optional<double> scale, const at::Tensor& query) {
  return scale.has_value() ? *scale : 1.0 / std::sqrt(static_cast<double>(query.size(3)));
}

// Of the given sizes, in the order of query's strides: the layout the model's next transpose wants, and the one
// PyTorch's meta says.
at::Tensor empty_in_order_of(const at::Tensor& query, at::IntArrayRef sizes) {
  if (query.sizes() == sizes) return empty_like(query);
  std::array<int64_t, 4> order{0, 1, 2, 3}, strides{};
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return query.stride(a) > query.stride(b); });
  int64_t stride = 1;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    strides[*d] = stride;
    stride *= sizes[*d];
  }
  return empty_strided(sizes, strides, query.scalar_type(), query.device());
}

}  // namespace

namespace op {

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor, at::Tensor, at::Tensor>
_scaled_dot_product_fused_attention_overrideable(const at::Tensor& query, const at::Tensor& key,
                                                 const at::Tensor& value, const std::optional<at::Tensor>& attn_bias,
                                                 double dropout_p, bool is_causal, bool /*return_debug_mask*/,
                                                 std::optional<double> scale) {
  TORCH_CHECK(dropout_p == 0.0,
              "the NPU's fused attention has no dropout; scaled_dot_product_attention composes it instead");
  TORCH_CHECK(query.dim() == 4 && key.dim() == 4 && value.dim() == 4,
              "fused attention: query, key and value need 4 dimensions, got ", query.dim(), ", ", key.dim(), " and ",
              value.dim());
  const int64_t sizes[] = {query.size(0), query.size(1), query.size(2), value.size(3)};
  at::Tensor out = empty_in_order_of(query, sizes);
  at::Tensor log_sum = empty({sizes[0], sizes[1], sizes[2]}, at::kFloat, query.device());
  launch(aclnn::Attention, query, key, value, attn_bias, scale_or_default(scale, query), is_causal, out, log_sum);
  at::Tensor seed = empty({}, at::kLong, query.device()),
             offset = empty({}, at::kLong, query.device());  // no dropout: never read
  return {out, log_sum, at::Tensor(), at::Tensor(), query.size(2), key.size(2), seed, offset, at::Tensor()};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> _scaled_dot_product_fused_attention_overrideable_backward(
    const at::Tensor& grad_out, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
    const at::Tensor& attn_bias, std::array<bool, 4> grad_input_mask, const at::Tensor& out,
    const at::Tensor& logsumexp, const at::Tensor& /*cum_seq_q*/, const at::Tensor& /*cum_seq_k*/, int64_t /*max_q*/,
    int64_t /*max_k*/, double /*dropout_p*/, bool is_causal, const at::Tensor& /*philox_seed*/,
    const at::Tensor& /*philox_offset*/, std::optional<double> scale) {
  if (!grad_out.defined()) return {};
  const auto wanted = [&](int i, const at::Tensor& like) {
    return grad_input_mask[i] ? empty_like(like) : at::Tensor();
  };
  at::Tensor grad_query = wanted(0, query), grad_key = wanted(1, key), grad_value = wanted(2, value);
  launch(aclnn::AttentionGrad, grad_out, query, key, value, attn_bias, out, logsumexp, scale_or_default(scale, query),
         is_causal, grad_query, grad_key, grad_value);
  return {grad_query, grad_key, grad_value, at::Tensor()};
}

}  // namespace op
}  // namespace torch_npu

namespace at::native {
// PyTorch asks this stub, not the operator _fused_sdp_choice.
REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &torch_npu::choose)
}  // namespace at::native
