// A call of attention as both of its forms (PyTorch's and CANN's) reduce to: one description of every head, and where
// each lies.
#pragma once

#include <optional>

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"
#include "cann/kernels/attention/attention.h"

namespace cann::ops {

struct AttentionCall {
  DType dtype = DType::Undefined;
  int64_t batch = 0, kv_heads = 0;
  kernels::AttentionHead head;  // of batch entry 0, key-value head 0
  struct Step {
    int64_t batch = 0, head = 0;  // from one batch entry, one key-value head to the next, in elements
  } q, k, v, out, mask, log_sum, max, sum;

  kernels::AttentionHead at(int64_t batch_entry, int64_t kv_head) const;
};

// From views in the order [B, N, S, D]; out may be null (for a gradient that does not need it).
Result<AttentionCall> attention_call(const TensorView& query, const TensorView& key, const TensorView& value,
                                     const TensorView* out, double scale);
// Adds a mask that broadcasts to [B, N, S, T].
Status set_mask(AttentionCall& call, const TensorView& mask, bool true_keeps);
// Adds a row value [B, N, S] or [B, N, S, copies].
Status set_row_values(const AttentionCall& call, const TensorView& view, kernels::RowValues& values,
                      AttentionCall::Step& step);

// bfloat16 through oneDNN where the CPU has matrix units; nothing where it has none or the call is small.
std::optional<Launch> launch_forward_with_matrix_units(const char* name, const AttentionCall& call);
Result<Launch> launch_forward(const char* name, const AttentionCall& call);

struct GradientViews {  // in the order [B, N, S, D]; null: not wanted
  const TensorView& grad_out;
  const TensorView* query;
  const TensorView* key;
  const TensorView* value;
};
// log_sum of each row is log_sum's, or max + log(sum).
Result<Launch> launch_backward(const char* name, const AttentionCall& call, const GradientViews& views);

}  // namespace cann::ops
