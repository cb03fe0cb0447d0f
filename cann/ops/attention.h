// Scaled dot product attention, tiled: no matrix of scores in memory. float32 and the half types, any head size, any
// strides, query heads in groups that share a key-value head (head h of N reads head h * N_kv / N). A query that sees
// no key gives zeros.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// query [B, N, S, D], key [B, N_kv, T, D], value [B, N_kv, T, D_v], out [B, N, S, D_v], log_sum [B, N, S] float32: the
// log of the sum of e^score. mask broadcasts to [B, N, S, T]: bool (true keeps) or added to the scores. Causal: query i
// sees keys 0 to i.
Result<Launch> attention(const TensorView& query, const TensorView& key, const TensorView& value,
                         const TensorView* mask, double scale, bool is_causal, const TensorView& out,
                         const TensorView& log_sum);

// Gradients of the above; a null one is not wanted.
Result<Launch> attention_grad(const TensorView& grad_out, const TensorView& query, const TensorView& key,
                              const TensorView& value, const TensorView* mask, const TensorView& out,
                              const TensorView& log_sum, double scale, bool is_causal, const TensorView* grad_query,
                              const TensorView* grad_key, const TensorView* grad_value);

// CANN's form: layouts BNSD, BSND, BSH and SBH, a bool mask whose true drops, a band (sparse modes 0 to 4), the maximum
// and the sum of each row as [B, N, S, 8]. No dropout (keep_prob 1) and no softmax output.
struct FlashAttention {
  const TensorView& query;
  const TensorView& key;
  const TensorView& value;
  const TensorView* shift;      // added to the scores
  const TensorView* drop_mask;  // must be null
  const TensorView* mask;
  double scale, keep_prob;
  int64_t before, after, heads;  // CANN's preTokens, nextTokens, headNum
  const char* layout;
  int64_t sparse_mode;
};
Result<Launch> flash_attention(const FlashAttention& call, const TensorView* max, const TensorView* sum,
                               const TensorView& out);
Result<Launch> flash_attention_grad(const FlashAttention& call, const TensorView& grad_out, const TensorView* max,
                                    const TensorView* sum, const TensorView* out, const TensorView& grad_query,
                                    const TensorView& grad_key, const TensorView& grad_value);

}  // namespace cann::ops
