// Scaled dot product attention, a block of queries at a time, with an online softmax (FlashAttention, Dao et al. 2022):
// the matrix of scores never exists. Query heads that share a key-value head form a group; their rows are the columns
// of one block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cann/base/dtype.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

enum class MaskKind : int8_t { None, Keep, Drop, Additive };  // bool true keeps, bool true drops, added to the scores

// Numbers of one row of scores, stored `copies` times side by side; null: not wanted.
struct RowValues {
  float* data = nullptr;
  int64_t head = 0, row = 0;  // strides, in elements
  int copies = 1;
};

// One key-value head of one batch entry. Strides in elements; the last dimension of q, k, v and out may have any.
struct AttentionHead {
  int64_t queries, keys, group, head_dim, value_dim;
  const void *q, *k, *v;
  void* out;
  int64_t q_head, q_row, q_col;
  int64_t k_row, k_col, v_row, v_col;
  int64_t out_head, out_row, out_col;
  MaskKind mask_kind = MaskKind::None;
  DType mask_dtype = DType::Undefined;  // of an additive mask: float32 or the operands'
  const void* mask = nullptr;
  int64_t mask_head = 0, mask_row = 0, mask_col = 0;
  float scale = 1;
  int64_t before = INT64_MAX / 4, after = INT64_MAX / 4;  // query i sees keys from i - before to i + after
  RowValues log_sum, max, sum;                            // log_sum is inf where a row sees no key
};

// The gradients of one key-value head. d_k and d_v are this head's alone; d_q accumulates in `d_q_sums` [group *
// queries][head_dim rounded up to kPadding], float32.
struct AttentionGradient {
  AttentionHead head;  // out: the forward's; log_sum: the forward's
  const void* d_out;
  int64_t d_out_head, d_out_row, d_out_col;
  void *d_q, *d_k, *d_v;  // null: not wanted
  int64_t d_q_head, d_q_row, d_q_col;
  int64_t d_k_row, d_k_col, d_v_row, d_v_col;
  float* d_q_sums;
};

inline constexpr int64_t kQueryBlock = 64, kKeyBlock = 128, kPadding = 32;

constexpr size_t attention_scratch_bytes(int64_t head_dim, int64_t value_dim) {
  return sizeof(float) *
         static_cast<size_t>((kQueryBlock + kKeyBlock + 1) * (head_dim + value_dim + 2 * (kPadding + 16)) +
                             kKeyBlock * kQueryBlock);
}
constexpr size_t attention_gradient_scratch_bytes(int64_t head_dim, int64_t value_dim) {
  return sizeof(float) *
         static_cast<size_t>((2 * kQueryBlock + 2 * kKeyBlock + 1) * (head_dim + value_dim + 2 * kPadding) +
                             2 * kKeyBlock * kQueryBlock);
}
// For few_queries. pre: v_col == 1
constexpr size_t few_queries_scratch_bytes(int64_t rows, int64_t keys, int64_t head_dim) {
  return sizeof(float) * static_cast<size_t>(rows * (keys + head_dim + 256) + head_dim + 256);
}

// For forward_units: its queries and keys of a block.
inline constexpr int64_t kUnitQueries = 128, kUnitKeys = 256;
constexpr size_t attention_units_scratch_bytes(int64_t head_dim, int64_t value_dim) {
  const int64_t dim = head_dim + 64, value = value_dim + 32;
  return static_cast<size_t>(2 * (kUnitQueries * dim + kUnitKeys * (dim + value)) +
                             kUnitQueries * (6 * kUnitKeys + 4 * value));
}

struct AttentionKernels {
  // Columns [begin, end) of the group's rows (head of the group * queries + query); at most kQueryBlock of them.
  void (*forward)(DType, const AttentionHead&, int64_t begin, int64_t end, void* scratch);
  void (*backward)(DType, const AttentionGradient&, void* scratch);
  // All columns, at most kFewQueries; v_col == 1.
  void (*few_queries)(DType, const AttentionHead&, void* scratch);
  // bfloat16 columns [begin, end), at most kUnitQueries, on the CPU's matrix units; null at levels without. pre: the
  // CPU has them; k and v each have a dimension of step 1.
  void (*forward_units)(const AttentionHead&, int64_t begin, int64_t end, void* scratch);
};
inline constexpr int64_t kFewQueries = 8;

CANN_KERNEL_TABLE(AttentionKernels, attention)

}  // namespace cann::kernels
