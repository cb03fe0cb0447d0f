// What forward and backward share: blocks of q, k, v widened to float32, and the transposed scores of a block, masked.
// Scores are kept transposed, a row for each key and a column for each query, so that the softmax runs down the
// columns, lanes side by side, and every product finds its operands without a transposition. For kernel files only: it
// needs CANN_ISA.
#pragma once

#include "cann/kernels/attention/attention.h"
#include "cann/kernels/half.h"
#include "cann/kernels/math.h"
#include "cann/kernels/matmul/panel.h"

namespace cann::kernels::CANN_ISA {

inline constexpr int kCols = kPanelCols<float>;
static_assert(kQueryBlock % kCols == 0 && kPadding % kCols == 0);

template <class S>
static inline void read_row(const void* base, int64_t offset, int64_t step, float* to, int64_t n) {
  const S* from = static_cast<const S*>(base) + offset;
  if (step == 1) return widen(from, to, n);
  for (int64_t i = 0; i < n; ++i) to[i] = widen(from[i * step]);
}

// rows[r, 0..n), rows `stride` apart, zeros up to the stride.
template <class S>
static void read_rows(const void* base, int64_t row, int64_t col, int64_t first, int64_t count, int64_t n, float* rows,
                      int64_t stride) {
  for (int64_t r = 0; r < count; ++r) {
    read_row<S>(base, (first + r) * row, col, rows + r * stride, n);
    for (int64_t i = n; i < stride; ++i) rows[r * stride + i] = 0;
  }
}

// The rows [begin, end) of a group: row c is query c % queries of head c / queries. zero beyond.
struct GroupRow {
  int64_t head, query;
};
static inline GroupRow group_row(const AttentionHead& h, int64_t c) { return {c / h.queries, c % h.queries}; }

// columns[d, 0..kQueryBlock): the rows of q (or d_out) as columns, times `factor`.
template <class S>
static void read_columns(const AttentionHead& h, const void* base, int64_t head, int64_t row, int64_t col,
                         int64_t begin, int64_t end, int64_t n, float factor, float* columns, float* line) {
  for (int64_t c = 0; c < kQueryBlock; ++c) {
    if (begin + c < end) {
      const GroupRow at = group_row(h, begin + c);
      read_row<S>(base, at.head * head + at.query * row, col, line, n);
      for (int64_t d = 0; d < n; ++d) columns[d * kQueryBlock + c] = line[d] * factor;
    } else {
      for (int64_t d = 0; d < n; ++d) columns[d * kQueryBlock + c] = 0;
    }
  }
}

// out[r, 0..cols) (+)= sum over p of a[r, p] b[p, 0..cols), cols rounded up to a panel; sums_row as wide.
static inline void multiply(int64_t rows, int64_t depth, int64_t cols, const float* a, int64_t a_row, int64_t a_col,
                            const float* b, int64_t b_row, float* sums, int64_t sums_row, bool first) {
  for (int64_t j = 0; j < cols; j += kCols)
    for (int64_t r = 0; r < rows; r += kRegisterRows)
      multiply_rows<float>(lesser(kRegisterRows, rows - r), depth, a + r * a_row, a_row, a_col, b + j, b_row,
                           sums + r * sums_row + j, sums_row, first);
}

// The first and one past the last key that any of the queries in [begin, end) may see.
struct KeyRange {
  int64_t begin, end;
};
static inline KeyRange visible_keys(const AttentionHead& h, int64_t begin, int64_t end) {
  const GroupRow a = group_row(h, begin), b = group_row(h, end - 1);
  int64_t low = a.query, high = b.query;
  if (a.head != b.head) low = 0, high = h.queries - 1;
  KeyRange r{low - h.before, high + h.after + 1};
  if (r.begin < 0) r.begin = 0;
  if (r.end > h.keys) r.end = h.keys;
  return r;
}

template <class S>
static inline float mask_value(const AttentionHead& h, int64_t offset) {
  if (h.mask_kind == MaskKind::Additive)
    return h.mask_dtype == DType::Float32 ? static_cast<const float*>(h.mask)[offset]
                                          : widen(static_cast<const S*>(h.mask)[offset]);
  const bool set = static_cast<const uint8_t*>(h.mask)[offset] != 0;
  return set == (h.mask_kind == MaskKind::Keep) ? 0.0f : -__builtin_inff();
}

// scores[key, column] += mask; -inf where the band ends.
template <class S>
static void mask_scores(const AttentionHead& h, int64_t begin, int64_t end, int64_t first_key, int64_t keys,
                        float* scores) {
  for (int64_t c = begin; c < end; ++c) {
    const GroupRow at = group_row(h, c);
    float* column = scores + (c - begin);
    if (h.mask_kind != MaskKind::None) {
      const int64_t offset = at.head * h.mask_head + at.query * h.mask_row + first_key * h.mask_col;
      for (int64_t k = 0; k < keys; ++k) column[k * kQueryBlock] += mask_value<S>(h, offset + k * h.mask_col);
    }
    const int64_t low = at.query - h.before - first_key, high = at.query + h.after - first_key;
    for (int64_t k = 0; k < lesser(low, keys); ++k) column[k * kQueryBlock] = -__builtin_inff();
    for (int64_t k = high < 0 ? 0 : high + 1; k < keys; ++k) column[k * kQueryBlock] = -__builtin_inff();
  }
}

// scores[key, column] = scale q.k + mask for the keys of a block. k_rows [keys][k_stride], q_columns
// [head_dim][kQueryBlock], scaled.
template <class S>
static void score_block(const AttentionHead& h, int64_t begin, int64_t end, int64_t first_key, int64_t keys,
                        const float* k_rows, int64_t k_stride, const float* q_columns, float* scores) {
  multiply(keys, h.head_dim, round_up(end - begin, kCols), k_rows, k_stride, 1, q_columns, kQueryBlock, scores,
           kQueryBlock, true);
  const GroupRow a = group_row(h, begin), b = group_row(h, end - 1);
  int64_t low = a.query, high = b.query;
  if (a.head != b.head) low = 0, high = h.queries - 1;
  const bool all_visible = first_key >= high - h.before && first_key + keys - 1 <= low + h.after;
  if (h.mask_kind != MaskKind::None || !all_visible) mask_scores<S>(h, begin, end, first_key, keys, scores);
}

static inline void store_row_value(const RowValues& to, GroupRow at, float value) {
  if (!to.data) return;
  float* p = to.data + at.head * to.head + at.query * to.row;
  for (int i = 0; i < to.copies; ++i) p[i] = value;
}

}  // namespace cann::kernels::CANN_ISA
