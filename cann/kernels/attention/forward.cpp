// softmax(scale q k^T + mask) v for a block of queries: for each block of keys the scores, the running maximum m and
// sum l of each query, and out = out * e^(m_old - m_new) + e^(scores - m_new) v; at the end out / l. float32
// throughout, rounded once. A query that sees no key gives zeros; a NaN among its scores gives NaN.
#include "cann/kernels/attention/table.h"
#include "cann/kernels/attention/tile.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr float kInfinity = __builtin_inff();

struct Running {
  float max[kQueryBlock], sum[kQueryBlock];
};

// For the columns in use: scores become e^(scores - new maximum); the running values and out ([value_dim][kQueryBlock])
// follow.
void softmax_block(int64_t keys, int64_t used, int64_t value_dim, float* scores, Running& running, float* out) {
  for (int64_t panel = 0; panel < used; panel += kCols) {
    float* s = scores + panel;
    float base[kCols], factor[kCols], sum[kCols];
    for (int c = 0; c < kCols; ++c) base[c] = running.max[panel + c];
    for (int64_t k = 0; k < keys; ++k)
      for (int c = 0; c < kCols; ++c) {
        const float x = s[k * kQueryBlock + c];
        base[c] = x > base[c] ? x : base[c];
      }
    bool moved = false;
    for (int c = 0; c < kCols; ++c) {
      const float max = base[c];
      base[c] = max == -kInfinity ? 0.0f : max;  // nothing seen yet: e^(-inf - 0) = 0
      factor[c] = math::exp_below(running.max[panel + c] - base[c]);
      moved |= running.max[panel + c] != max;
      running.max[panel + c] = max;
      sum[c] = 0;
    }
    for (int64_t k = 0; k < keys; ++k)
      for (int c = 0; c < kCols; ++c) {
        const float x = math::exp_below(s[k * kQueryBlock + c] - base[c]);
        s[k * kQueryBlock + c] = x;
        sum[c] += x;
      }
    for (int c = 0; c < kCols; ++c) running.sum[panel + c] = running.sum[panel + c] * factor[c] + sum[c];
    if (moved)
      for (int64_t d = 0; d < value_dim; ++d)
        for (int c = 0; c < kCols; ++c) out[d * kQueryBlock + panel + c] *= factor[c];
  }
}

template <class S>
void forward_block(const AttentionHead& h, int64_t begin, int64_t end, void* scratch) {
  const int64_t k_stride = round_up(h.head_dim, kPadding) + 16, v_stride = round_up(h.value_dim, kPadding) + 16;
  float* q_columns = static_cast<float*>(scratch);    // [head_dim][kQueryBlock]
  float* out = q_columns + h.head_dim * kQueryBlock;  // [value_dim][kQueryBlock]
  float* scores = out + h.value_dim * kQueryBlock;    // [kKeyBlock][kQueryBlock]
  float* k_rows = scores + kKeyBlock * kQueryBlock;   // [kKeyBlock][k_stride]
  float* v_rows = k_rows + kKeyBlock * k_stride;      // [kKeyBlock][v_stride]
  float* line = v_rows + kKeyBlock * v_stride;
  read_columns<S>(h, h.q, h.q_head, h.q_row, h.q_col, begin, end, h.head_dim, h.scale, q_columns, line);
  Running running;
  for (int c = 0; c < kQueryBlock; ++c) running.max[c] = -kInfinity, running.sum[c] = 0;
  for (int64_t i = 0; i < h.value_dim * kQueryBlock; ++i) out[i] = 0;

  const KeyRange range = visible_keys(h, begin, end);
  const int64_t used = round_up(end - begin, kCols);
  for (int64_t first = range.begin; first < range.end; first += kKeyBlock) {
    const int64_t keys = lesser(kKeyBlock, range.end - first);
    read_rows<S>(h.k, h.k_row, h.k_col, first, keys, h.head_dim, k_rows, k_stride);
    read_rows<S>(h.v, h.v_row, h.v_col, first, keys, h.value_dim, v_rows, v_stride);
    score_block<S>(h, begin, end, first, keys, k_rows, k_stride, q_columns, scores);
    softmax_block(keys, used, h.value_dim, scores, running, out);
    multiply(h.value_dim, keys, used, v_rows, 1, v_stride, scores, kQueryBlock, out, kQueryBlock, false);
  }
  for (int64_t c = begin; c < end; ++c) {
    const GroupRow at = group_row(h, c);
    const float sum = running.sum[c - begin], max = running.max[c - begin];
    const float inverse = sum == 0 ? 0.0f : 1.0f / sum;
    for (int64_t d = 0; d < h.value_dim; ++d) line[d] = out[d * kQueryBlock + (c - begin)] * inverse;
    S* to = static_cast<S*>(h.out) + at.head * h.out_head + at.query * h.out_row;
    if (h.out_col == 1)
      narrow(line, to, h.value_dim);
    else
      for (int64_t d = 0; d < h.value_dim; ++d) narrow(line[d], to[d * h.out_col]);
    store_row_value(h.log_sum, at, sum == 0 ? kInfinity : max + math::log(sum));
    store_row_value(h.max, at, max);
    store_row_value(h.sum, at, sum);
  }
}

void forward(DType dtype, const AttentionHead& h, int64_t begin, int64_t end, void* scratch) {
  if (dtype == DType::Float16)
    forward_block<Half>(h, begin, end, scratch);
  else if (dtype == DType::BFloat16)
    forward_block<BFloat16>(h, begin, end, scratch);
  else
    forward_block<float>(h, begin, end, scratch);
}

}  // namespace

#if defined(__AVX512F__)
extern const AttentionKernels attention_table{forward, backward, few_queries, forward_units};
#else
extern const AttentionKernels attention_table{forward, backward, few_queries, nullptr};
#endif

}  // namespace cann::kernels::CANN_ISA
