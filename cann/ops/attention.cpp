#include "cann/ops/attention.h"

#include <cstring>
#include <optional>
#include <string>

#include "cann/ops/attention_call.h"

namespace cann::ops {
namespace {

// A tensor of CANN's layout as [B, N, S, D]; heads is the tensor's own number.
Result<TensorView> as_bnsd(const TensorView& t, const char* layout, int64_t heads) {
  auto refuse = [&](const char* why) {
    return bad_parameter("flash_attention: layout " + std::string(layout) + ", " + describe(t) + ": " + why);
  };
  TensorView v = t;
  auto set = [&](int d, int64_t size, int64_t stride) { v.sizes[d] = size, v.strides[d] = stride; };
  if (!std::strcmp(layout, "BNSD") || !std::strcmp(layout, "BSND")) {
    if (t.ndim != 4) return refuse("four dimensions are needed");
    if (layout[1] == 'S') {
      set(1, t.sizes[2], t.strides[2]);
      set(2, t.sizes[1], t.strides[1]);
    }
    return v;
  }
  const bool bsh = !std::strcmp(layout, "BSH");
  if (!bsh && std::strcmp(layout, "SBH")) return refuse("BNSD, BSND, BSH or SBH is needed");
  if (t.ndim != 3 || heads <= 0 || t.sizes[2] % heads)
    return refuse("three dimensions, the last a multiple of the heads, are needed");
  v.ndim = 4;
  const int64_t size = t.sizes[2] / heads;
  set(0, t.sizes[bsh ? 0 : 1], t.strides[bsh ? 0 : 1]);
  set(1, heads, t.strides[2] * size);
  set(2, t.sizes[bsh ? 1 : 0], t.strides[bsh ? 1 : 0]);
  set(3, size, t.strides[2]);
  return v;
}

struct LaidOut {
  AttentionCall call;
  int64_t kv_heads;
};

// Everything of a CANN call but its row values.
Result<LaidOut> lay_out(const FlashAttention& f, const TensorView* out) {
  if (f.drop_mask || f.keep_prob != 1)
    return bad_parameter("flash_attention: keepProb " + std::to_string(f.keep_prob) + ": dropout is not supported");
  const bool flat = std::strlen(f.layout) == 3;
  int64_t kv_heads = f.heads;
  if (flat && f.heads > 0 && f.query.ndim == 3 && f.key.ndim == 3) {
    const int64_t size = f.query.sizes[2] / f.heads;
    kv_heads = size ? f.key.sizes[2] / size : f.heads;
  }
  ASSIGN_OR_RETURN(TensorView q, as_bnsd(f.query, f.layout, f.heads));
  ASSIGN_OR_RETURN(TensorView k, as_bnsd(f.key, f.layout, kv_heads));
  ASSIGN_OR_RETURN(TensorView v, as_bnsd(f.value, f.layout, kv_heads));
  std::optional<TensorView> o;
  if (out) {
    ASSIGN_OR_RETURN(TensorView view, as_bnsd(*out, f.layout, f.heads));
    o = view;
  }
  ASSIGN_OR_RETURN(AttentionCall c, attention_call(q, k, v, o ? &*o : nullptr, f.scale));
  const int64_t shorter_by = c.head.keys - c.head.queries;
  bool band_only = false;  // the mask is CANN's fixed 2048 x 2048 triangle, or none
  switch (f.sparse_mode) {
    case 0:  // a band, where given, beside the mask
      if (f.mask) c.head.before = f.before, c.head.after = f.after;
      break;
    case 1: break;
    case 2: c.head.after = 0, band_only = true; break;
    case 3: c.head.after = shorter_by, band_only = true; break;
    case 4: c.head.before = f.before - shorter_by, c.head.after = f.after + shorter_by, band_only = true; break;
    default:
      return bad_parameter("flash_attention: sparseMode " + std::to_string(f.sparse_mode) + ": 0 to 4 are supported");
  }
  if (f.mask && !band_only) RETURN_IF_ERROR(set_mask(c, *f.mask, false));
  if (f.shift) {
    if (c.head.mask_kind != kernels::MaskKind::None)
      return bad_parameter("flash_attention: a shift beside a mask is not supported");
    RETURN_IF_ERROR(set_mask(c, *f.shift, false));
  }
  return LaidOut{c, kv_heads};
}

}  // namespace

Result<Launch> attention(const TensorView& query, const TensorView& key, const TensorView& value,
                         const TensorView* mask, double scale, bool is_causal, const TensorView& out,
                         const TensorView& log_sum) {
  ASSIGN_OR_RETURN(AttentionCall c, attention_call(query, key, value, &out, scale));
  if (is_causal) c.head.after = 0;
  if (mask) RETURN_IF_ERROR(set_mask(c, *mask, true));
  RETURN_IF_ERROR(set_row_values(c, log_sum, c.head.log_sum, c.log_sum));
  return launch_forward("attention", c);
}

Result<Launch> attention_grad(const TensorView& grad_out, const TensorView& query, const TensorView& key,
                              const TensorView& value, const TensorView* mask, const TensorView& out,
                              const TensorView& log_sum, double scale, bool is_causal, const TensorView* grad_query,
                              const TensorView* grad_key, const TensorView* grad_value) {
  ASSIGN_OR_RETURN(AttentionCall c, attention_call(query, key, value, &out, scale));
  if (is_causal) c.head.after = 0;
  if (mask) RETURN_IF_ERROR(set_mask(c, *mask, true));
  RETURN_IF_ERROR(set_row_values(c, log_sum, c.head.log_sum, c.log_sum));
  return launch_backward("attention_grad", c, {grad_out, grad_query, grad_key, grad_value});
}

Result<Launch> flash_attention(const FlashAttention& f, const TensorView* max, const TensorView* sum,
                               const TensorView& out) {
  ASSIGN_OR_RETURN(LaidOut l, lay_out(f, &out));
  if (max) RETURN_IF_ERROR(set_row_values(l.call, *max, l.call.head.max, l.call.max));
  if (sum) RETURN_IF_ERROR(set_row_values(l.call, *sum, l.call.head.sum, l.call.sum));
  return launch_forward("flash_attention", l.call);
}

Result<Launch> flash_attention_grad(const FlashAttention& f, const TensorView& grad_out, const TensorView* max,
                                    const TensorView* sum, const TensorView* out, const TensorView& grad_query,
                                    const TensorView& grad_key, const TensorView& grad_value) {
  if (!max || !sum || !out)
    return bad_parameter("flash_attention_grad: softmaxMax, softmaxSum and attentionIn are needed");
  ASSIGN_OR_RETURN(LaidOut l, lay_out(f, out));
  RETURN_IF_ERROR(set_row_values(l.call, *max, l.call.head.max, l.call.max));
  RETURN_IF_ERROR(set_row_values(l.call, *sum, l.call.head.sum, l.call.sum));
  ASSIGN_OR_RETURN(TensorView d_out, as_bnsd(grad_out, f.layout, f.heads));
  ASSIGN_OR_RETURN(TensorView d_q, as_bnsd(grad_query, f.layout, f.heads));
  ASSIGN_OR_RETURN(TensorView d_k, as_bnsd(grad_key, f.layout, l.kv_heads));
  ASSIGN_OR_RETURN(TensorView d_v, as_bnsd(grad_value, f.layout, l.kv_heads));
  return launch_backward("flash_attention_grad", l.call, {d_out, &d_q, &d_k, &d_v});
}

}  // namespace cann::ops
