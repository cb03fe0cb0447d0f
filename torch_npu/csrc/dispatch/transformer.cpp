// What torch.nn.MultiheadAttention and TransformerEncoderLayer call in inference: composed of the device's operators,
// as CANN has one for no more than parts of them. A row that is masked out entirely gives NaN, as on the CPU.
#include <cmath>
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include "handwritten_transformer.h"

namespace torch_npu::op {
namespace {

using OptionalTensor = std::optional<at::Tensor>;
using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

enum MaskType : int64_t { kSource = 0, kPadding = 1, kFull = 2 };

// The mask seen in the shape of the scores [batch, heads, queries, keys]. Of a two-dimensional one the type says
// whether it is [queries, keys] or [batch, keys]; any other must have the scores' shape.
at::Tensor mask_for(const at::Tensor& scores, const at::Tensor& mask, std::optional<int64_t> given) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "Mask should be a boolean tensor");
  int64_t type = given.value_or(kFull);
  TORCH_CHECK(type == kSource || type == kPadding || type == kFull,
              "Mask Type should be 0 (src_mask) or 1 (src_key_padding_mask), or 2 (default_mask)");
  if (mask.dim() != 2 || scores.dim() != 4) type = kFull;
  if (type == kFull) {
    TORCH_CHECK(scores.sizes() == mask.sizes(), "For mask_type == 2 mask shape should match input shape");
    return mask;
  }
  const int64_t length = scores.size(2);
  if (type == kSource) {
    TORCH_CHECK(mask.size(0) == length && mask.size(1) == length, "For mask_type == 0 mask shape should be (L, L)");
    return mask.view({1, 1, length, length}).expand_as(scores);
  }
  TORCH_CHECK(mask.size(0) == scores.size(0) && mask.size(1) == length,
              "For mask_type == 1 mask shape should be (B, L)");
  return mask.view({mask.size(0), 1, 1, length}).expand_as(scores);
}

void check_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, int64_t embed_dim,
                     int64_t num_head, const at::Tensor& qkv_weight, const at::Tensor& qkv_bias,
                     const OptionalTensor& mask, std::optional<int64_t> mask_type) {
  TORCH_CHECK(!mask.has_value() || !mask->defined() || mask_type.has_value(), "Mask Type should be defined");
  TORCH_CHECK(query.dim() == 3, "expected 3-D `query`, got ", query.dim(), "-D tensor");
  TORCH_CHECK(query.sizes() == key.sizes() && key.sizes() == value.sizes(),
              "expected `query`/`key`/`value` shapes to match");
  TORCH_CHECK(embed_dim == query.size(2), "passed-in embed_dim ", embed_dim, " didn't match last dim of query ",
              query.size(2));
  TORCH_CHECK(qkv_weight.dim() == 2, "expected 2-D `qkv_weight`, got ", qkv_weight.dim(), "-D tensor");
  TORCH_CHECK(embed_dim * 3 == qkv_weight.size(0), "expected `qkv_weight` first dim to be 3x embed_dim");
  TORCH_CHECK(embed_dim == qkv_weight.size(1), "expected `qkv_weight` second dim to be embed_Dim");
  TORCH_CHECK(qkv_bias.dim() == 1, "expected 1-D `qkv_bias`, got ", qkv_bias.dim(), "-D tensor");
  TORCH_CHECK(qkv_bias.size(0) == 3 * embed_dim, "expected `qkv_bias` first dim and first dim of query to be equal");
  TORCH_CHECK(num_head > 0 && embed_dim % num_head == 0, "`embed_dim` must divide evenly by `num_heads`");
}

// [batch, length, embed] -> [batch, heads, length, embed / heads]
at::Tensor by_head(const at::Tensor& t, int64_t heads) {
  return t.view({t.size(0), t.size(1), heads, t.size(2) / heads}).transpose(1, 2);
}

// Query, key and value by head: one product where the three are the same tensor.
Three project(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, int64_t heads,
              const at::Tensor& weight, const at::Tensor& bias) {
  const int64_t embed = query.size(2);
  if (query.is_same(key) && key.is_same(value)) {
    const at::Tensor all = at::linear(query, weight, bias).view({query.size(0), query.size(1), 3, heads, -1});
    const at::Tensor apart = all.permute({2, 0, 3, 1, 4});
    return {apart.select(0, 0), apart.select(0, 1), apart.select(0, 2)};
  }
  auto one = [&](const at::Tensor& t, int64_t k) {
    return by_head(at::linear(t, weight.narrow(0, k * embed, embed), bias.narrow(0, k * embed, embed)), heads);
  };
  return {one(query, 0), one(key, 1), one(value, 2)};
}

}  // namespace

at::Tensor _masked_softmax(const at::Tensor& self, const at::Tensor& mask, std::optional<int64_t> dim,
                           std::optional<int64_t> mask_type) {
  const at::Tensor masked = self.masked_fill(mask_for(self, mask, mask_type), -std::numeric_limits<double>::infinity());
  return at::_softmax(masked, dim.value_or(self.dim() - 1), /*half_to_float=*/false);
}

at::Tensor _masked_softmax_backward(const at::Tensor& grad_output, const at::Tensor& output, const at::Tensor& mask,
                                    std::optional<int64_t> dim) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "Mask should be a boolean tensor");
  // The masked outputs are 0, or NaN where nothing else was left: neither may reach the gradient.
  return at::_softmax_backward_data(grad_output, output.masked_fill(mask, 0), dim.value_or(output.dim() - 1),
                                    output.scalar_type());
}

Three _transform_bias_rescale_qkv(const at::Tensor& qkv, const at::Tensor& qkv_bias, int64_t num_heads) {
  TORCH_CHECK(qkv.dim() == 3, "_transform_bias_rescale_qkv: qkv ", qkv.sizes(), ": three dimensions are needed");
  TORCH_CHECK(qkv.size(2) % 3 == 0 && num_heads > 0 && qkv.size(2) / 3 % num_heads == 0,
              "_transform_bias_rescale_qkv: qkv ", qkv.sizes(), ", num_heads ", num_heads,
              ": the last size must be three times a multiple of the heads");
  const at::Tensor biased = (qkv + qkv_bias).view({qkv.size(0), qkv.size(1), 3, num_heads, -1});
  const at::Tensor apart = biased.permute({2, 0, 3, 1, 4});
  const double scale = 1 / std::sqrt(static_cast<double>(apart.size(4)));
  return {(apart.select(0, 0) * scale).contiguous(), apart.select(0, 1).contiguous(), apart.select(0, 2).contiguous()};
}

std::tuple<at::Tensor, at::Tensor> _native_multi_head_attention(
    const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, int64_t embed_dim, int64_t num_head,
    const at::Tensor& qkv_weight, const at::Tensor& qkv_bias, const at::Tensor& proj_weight,
    const at::Tensor& proj_bias, const OptionalTensor& mask, bool need_weights, bool average_attn_weights,
    std::optional<int64_t> mask_type) {
  check_attention(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, mask, mask_type);
  const auto [q, k, v] = project(query, key, value, num_head, qkv_weight, qkv_bias);
  const bool masked = mask.has_value() && mask->defined();
  at::Tensor weights, heads;
  if (!masked && !need_weights) {
    heads = at::scaled_dot_product_attention(q, k, v);
  } else {
    const at::Tensor scores = at::matmul(q * (1 / std::sqrt(static_cast<double>(q.size(3)))), k.transpose(2, 3));
    weights = masked ? op::_masked_softmax(scores, mask->to(at::kBool), 3, mask_type) : at::_softmax(scores, 3, false);
    heads = at::matmul(weights, v);
  }
  const at::Tensor joined = heads.transpose(1, 2).reshape(query.sizes());
  if (!need_weights) weights = at::Tensor();
  if (need_weights && average_attn_weights) weights = weights.mean(1);
  return {at::linear(joined, proj_weight, proj_bias), weights};
}

at::Tensor _transformer_encoder_layer_fwd(const at::Tensor& src, int64_t embed_dim, int64_t num_heads,
                                          const at::Tensor& qkv_weight, const at::Tensor& qkv_bias,
                                          const at::Tensor& proj_weight, const at::Tensor& proj_bias, bool use_gelu,
                                          bool norm_first, double eps, const at::Tensor& norm_weight_1,
                                          const at::Tensor& norm_bias_1, const at::Tensor& norm_weight_2,
                                          const at::Tensor& norm_bias_2, const at::Tensor& ffn_weight_1,
                                          const at::Tensor& ffn_bias_1, const at::Tensor& ffn_weight_2,
                                          const at::Tensor& ffn_bias_2, const OptionalTensor& mask,
                                          std::optional<int64_t> mask_type) {
  auto first_norm = [&](const at::Tensor& x) {
    return at::layer_norm(x, {embed_dim}, norm_weight_1, norm_bias_1, eps);
  };
  auto second_norm = [&](const at::Tensor& x) {
    return at::layer_norm(x, {embed_dim}, norm_weight_2, norm_bias_2, eps);
  };
  auto attention = [&](const at::Tensor& x) {
    return std::get<0>(op::_native_multi_head_attention(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias,
                                                        proj_weight, proj_bias, mask, /*need_weights=*/false,
                                                        /*average_attn_weights=*/true, mask_type));
  };
  auto feed_forward = [&](const at::Tensor& x) {
    const at::Tensor inner = at::linear(x, ffn_weight_1, ffn_bias_1);
    return at::linear(use_gelu ? at::gelu(inner) : at::relu(inner), ffn_weight_2, ffn_bias_2);
  };
  if (norm_first) {
    const at::Tensor x = attention(first_norm(src)) + src;
    return feed_forward(second_norm(x)) + x;
  }
  const at::Tensor x = first_norm(attention(src) + src);
  return second_norm(feed_forward(x) + x);
}

}  // namespace torch_npu::op
