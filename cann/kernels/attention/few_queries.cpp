// Attention of a few queries over many keys: the decoding step of a language model, bound by reading keys and values,
// each of which is read once, as it lies. Same result for a query that sees no key, and for NaN, as forward.cpp.
#include "cann/kernels/attention/table.h"
#include "cann/kernels/attention/tile.h"
#include "cann/kernels/matmul/few_rows.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr float kInfinity = __builtin_inff();

// scores[r, 0..keys) for kRows queries
template <class S, int kRows = kFewQueries>
void score_keys(const AttentionHead& h, int64_t rows, const float* q, float* scores, float* line) {
  if constexpr (kRows > 0) {
    if (rows != kRows) return score_keys<S, kRows - 1>(h, rows, q, scores, line);
    for (int64_t k = 0; k < h.keys; ++k) {
      const S* key = static_cast<const S*>(h.k) + k * h.k_row;
      if (h.k_col == 1) {
        dot_column<S, float, kRows>(h.head_dim, q, h.head_dim, key, scores + k, h.keys);
      } else {
        read_row<S>(key, 0, h.k_col, line, h.head_dim);
        dot_column<float, float, kRows>(h.head_dim, q, h.head_dim, line, scores + k, h.keys);
      }
    }
  }
}

// scores become e^(scores - max); gives what 1 / sum is, and notes the row's numbers.
template <class S>
float softmax_row(const AttentionHead& h, GroupRow at, float* scores) {
  if (h.mask_kind != MaskKind::None) {
    const int64_t offset = at.head * h.mask_head + at.query * h.mask_row;
    for (int64_t k = 0; k < h.keys; ++k) scores[k] += mask_value<S>(h, offset + k * h.mask_col);
  }
  for (int64_t k = 0; k < lesser(at.query - h.before, h.keys); ++k) scores[k] = -kInfinity;
  for (int64_t k = at.query + h.after < 0 ? 0 : at.query + h.after + 1; k < h.keys; ++k) scores[k] = -kInfinity;

  constexpr int kLanes = 32;
  float max[kLanes], sum[kLanes] = {};
  for (int i = 0; i < kLanes; ++i) max[i] = -kInfinity;
  int64_t k = 0;
  for (; k + kLanes <= h.keys; k += kLanes)
    for (int i = 0; i < kLanes; ++i) max[i] = scores[k + i] > max[i] ? scores[k + i] : max[i];
  for (; k < h.keys; ++k) max[0] = scores[k] > max[0] ? scores[k] : max[0];
  float top = -kInfinity;
  for (int i = 0; i < kLanes; ++i) top = max[i] > top ? max[i] : top;
  const float base = top == -kInfinity ? 0.0f : top;
  for (k = 0; k + kLanes <= h.keys; k += kLanes)
    for (int i = 0; i < kLanes; ++i) {
      const float x = math::exp_below(scores[k + i] - base);
      scores[k + i] = x;
      sum[i] += x;
    }
  for (; k < h.keys; ++k) sum[0] += scores[k] = math::exp_below(scores[k] - base);
  float total = 0;
  for (int i = 0; i < kLanes; ++i) total += sum[i];
  store_row_value(h.log_sum, at, total == 0 ? kInfinity : top + math::log(total));
  store_row_value(h.max, at, top);
  store_row_value(h.sum, at, total);
  return total == 0 ? 0.0f : 1.0f / total;
}

template <class S>
void few(const AttentionHead& h, void* scratch) {
  const int64_t rows = h.group * h.queries;
  float* scores = static_cast<float*>(scratch);  // [rows][keys]
  float* q = scores + rows * h.keys;             // [rows][head_dim]
  float* out = q + rows * h.head_dim;            // [rows][kTileCols]: a piece of the result
  float* line = out + rows * kTileCols;          // one key or value
  float inverse[kFewQueries];
  for (int64_t r = 0; r < rows; ++r) {
    const GroupRow at = group_row(h, r);
    read_row<S>(h.q, at.head * h.q_head + at.query * h.q_row, h.q_col, q + r * h.head_dim, h.head_dim);
    for (int64_t d = 0; d < h.head_dim; ++d) q[r * h.head_dim + d] *= h.scale;
  }
  score_keys<S>(h, rows, q, scores, line);
  for (int64_t r = 0; r < rows; ++r) inverse[r] = softmax_row<S>(h, group_row(h, r), scores + r * h.keys);
  for (int64_t d = 0; d < h.value_dim; d += kTileCols) {
    GemmTile t{};
    t.m = rows;
    t.n = lesser(kTileCols, h.value_dim - d);
    t.k = h.keys;
    t.b = static_cast<const S*>(h.v) + d;
    t.b_row = h.v_row;
    add_rows<S, float>(t, scores, h.keys, out);
    for (int64_t r = 0; r < rows; ++r) {
      const GroupRow at = group_row(h, r);
      for (int64_t j = 0; j < t.n; ++j) line[j] = out[r * kTileCols + j] * inverse[r];
      S* to = static_cast<S*>(h.out) + at.head * h.out_head + at.query * h.out_row + d * h.out_col;
      if (h.out_col == 1)
        narrow(line, to, t.n);
      else
        for (int64_t j = 0; j < t.n; ++j) narrow(line[j], to[j * h.out_col]);
    }
  }
}

}  // namespace

void few_queries(DType dtype, const AttentionHead& h, void* scratch) {
  if (dtype == DType::Float16)
    few<Half>(h, scratch);
  else if (dtype == DType::BFloat16)
    few<BFloat16>(h, scratch);
  else
    few<float>(h, scratch);
}

}  // namespace cann::kernels::CANN_ISA
