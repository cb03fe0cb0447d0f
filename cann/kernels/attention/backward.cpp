// The gradients of attention, recomputing the probabilities block by block from the forward's log of sums:
//   P = e^(scores - log_sum),  dV = P^T dO,  dP = dO V^T,  dS = P (dP - sum(dO * O)),  dQ = scale dS K,  dK = scale
//   dS^T Q.
// One key-value head a call, blocks of keys outside: the order of the sums is always the same. A query that sees no key
// (log_sum inf) gets and gives zeros.
#include "cann/kernels/attention/table.h"
#include "cann/kernels/attention/tile.h"

namespace cann::kernels::CANN_ISA {
namespace {

// What a block of queries needs; every array is float32.
struct QueryBlock {
  float *q_columns, *q_rows, *d_out_columns, *d_out_rows;
  float log_sum[kQueryBlock], delta[kQueryBlock];
};

template <class S>
void read_query_block(const AttentionGradient& g, int64_t begin, int64_t end, int64_t d_stride, int64_t v_stride,
                      QueryBlock& b, float* line) {
  const AttentionHead& h = g.head;
  read_columns<S>(h, h.q, h.q_head, h.q_row, h.q_col, begin, end, h.head_dim, h.scale, b.q_columns, line);
  read_columns<S>(h, g.d_out, g.d_out_head, g.d_out_row, g.d_out_col, begin, end, h.value_dim, 1.0f, b.d_out_columns,
                  line);
  for (int64_t c = 0; c < kQueryBlock; ++c) {
    b.log_sum[c] = __builtin_inff();
    b.delta[c] = 0;
    if (begin + c >= end) continue;
    const GroupRow at = group_row(h, begin + c);
    float* q = b.q_rows + c * d_stride;
    for (int64_t d = h.head_dim; d < d_stride; ++d) q[d] = 0;
    read_row<S>(h.q, at.head * h.q_head + at.query * h.q_row, h.q_col, q, h.head_dim);
    float* d_out = b.d_out_rows + c * v_stride;
    for (int64_t d = h.value_dim; d < v_stride; ++d) d_out[d] = 0;
    read_row<S>(g.d_out, at.head * g.d_out_head + at.query * g.d_out_row, g.d_out_col, d_out, h.value_dim);
    read_row<S>(h.out, at.head * h.out_head + at.query * h.out_row, h.out_col, line, h.value_dim);
    float lanes[16] = {};
    for (int64_t d = 0; d < h.value_dim; ++d) lanes[d % 16] += d_out[d] * line[d];
    for (int i = 0; i < 16; ++i) b.delta[c] += lanes[i];
    b.log_sum[c] = h.log_sum.data[at.head * h.log_sum.head + at.query * h.log_sum.row];
  }
}

template <class S>
void write_rows(const float* rows, int64_t stride, int64_t count, int64_t n, float factor, void* base, int64_t row,
                int64_t col, float* line) {
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t d = 0; d < n; ++d) line[d] = rows[r * stride + d] * factor;
    S* to = static_cast<S*>(base) + r * row;
    if (col == 1)
      narrow(line, to, n);
    else
      for (int64_t d = 0; d < n; ++d) narrow(line[d], to[d * col]);
  }
}

template <class S>
void backward_head(const AttentionGradient& g, void* scratch) {
  const AttentionHead& h = g.head;
  const int64_t d_stride = round_up(h.head_dim, kPadding), v_stride = round_up(h.value_dim, kPadding);
  float* next = static_cast<float*>(scratch);
  auto take = [&](int64_t n) { return next += n, next - n; };
  float* k_rows = take(kKeyBlock * d_stride);
  float* v_rows = take(kKeyBlock * v_stride);
  float* d_k = take(kKeyBlock * d_stride);
  float* d_v = take(kKeyBlock * v_stride);
  float* p = take(kKeyBlock * kQueryBlock);
  float* d_s = take(kKeyBlock * kQueryBlock);
  QueryBlock b;
  b.q_columns = take(kQueryBlock * d_stride);
  b.q_rows = take(kQueryBlock * d_stride);
  b.d_out_columns = take(kQueryBlock * v_stride);
  b.d_out_rows = take(kQueryBlock * v_stride);
  float* line = take(d_stride + v_stride);

  const int64_t rows = h.group * h.queries;
  for (int64_t i = 0; i < rows * d_stride; ++i) g.d_q_sums[i] = 0;
  for (int64_t first = 0; first < h.keys; first += kKeyBlock) {
    const int64_t keys = lesser(kKeyBlock, h.keys - first);
    read_rows<S>(h.k, h.k_row, h.k_col, first, keys, h.head_dim, k_rows, d_stride);
    read_rows<S>(h.v, h.v_row, h.v_col, first, keys, h.value_dim, v_rows, v_stride);
    for (int64_t i = 0; i < kKeyBlock * d_stride; ++i) d_k[i] = 0;
    for (int64_t i = 0; i < kKeyBlock * v_stride; ++i) d_v[i] = 0;
    for (int64_t begin = 0; begin < rows; begin += kQueryBlock) {
      const int64_t end = lesser(begin + kQueryBlock, rows), count = end - begin, used = round_up(count, kCols);
      const KeyRange range = visible_keys(h, begin, end);
      if (range.end <= first || range.begin >= first + keys) continue;
      read_query_block<S>(g, begin, end, d_stride, v_stride, b, line);
      score_block<S>(h, begin, end, first, keys, k_rows, d_stride, b.q_columns, p);
      multiply(keys, h.value_dim, used, v_rows, v_stride, 1, b.d_out_columns, kQueryBlock, d_s, kQueryBlock, true);
      for (int64_t k = 0; k < keys; ++k)
        for (int64_t c = 0; c < used; ++c) {
          const float x = math::exp_below(p[k * kQueryBlock + c] - b.log_sum[c]);
          p[k * kQueryBlock + c] = x;
          d_s[k * kQueryBlock + c] = x * (d_s[k * kQueryBlock + c] - b.delta[c]);
        }
      multiply(keys, count, v_stride, p, kQueryBlock, 1, b.d_out_rows, v_stride, d_v, v_stride, false);
      multiply(keys, count, d_stride, d_s, kQueryBlock, 1, b.q_rows, d_stride, d_k, d_stride, false);
      multiply(count, keys, d_stride, d_s, 1, kQueryBlock, k_rows, d_stride, g.d_q_sums + begin * d_stride, d_stride,
               false);
    }
    const auto at = [first](void* base, int64_t row) {
      return static_cast<void*>(static_cast<S*>(base) + first * row);
    };
    if (g.d_k)
      write_rows<S>(d_k, d_stride, keys, h.head_dim, h.scale, at(g.d_k, g.d_k_row), g.d_k_row, g.d_k_col, line);
    if (g.d_v) write_rows<S>(d_v, v_stride, keys, h.value_dim, 1.0f, at(g.d_v, g.d_v_row), g.d_v_row, g.d_v_col, line);
  }
  if (!g.d_q) return;
  for (int64_t head = 0; head < h.group; ++head)
    write_rows<S>(g.d_q_sums + head * h.queries * d_stride, d_stride, h.queries, h.head_dim, h.scale,
                  static_cast<S*>(g.d_q) + head * g.d_q_head, g.d_q_row, g.d_q_col, line);
}

}  // namespace

void backward(DType dtype, const AttentionGradient& g, void* scratch) {
  if (dtype == DType::Float16)
    backward_head<Half>(g, scratch);
  else if (dtype == DType::BFloat16)
    backward_head<BFloat16>(g, scratch);
  else
    backward_head<float>(g, scratch);
}

}  // namespace cann::kernels::CANN_ISA
