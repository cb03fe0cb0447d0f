// Attention of bfloat16 on CPUs with matrix units: both products of a block go through oneDNN, on tiles of one fixed
// shape (copied and padded, so that a head size needs two primitives in all), the softmax between them through our
// kernel.
#include <algorithm>
#include <cstring>
#include <limits>

#include "cann/ops/attention_call.h"
#include "cann/ops/onednn.h"
#include "cann/ops/scratch.h"

namespace cann::ops {
namespace {

using kernels::AttentionHead;
using kernels::SoftmaxRows;

constexpr int64_t kRows = 128, kKeys = 256;
constexpr double kMacsPerUs = 8e4;

int64_t padded(int64_t n) { return (n + 31) / 32 * 32; }

// Rows of 16-bit elements side by side, zeros beyond.
void copy_rows(const void* base, int64_t row, int64_t col, int64_t count, int64_t n, uint16_t* to, int64_t rows,
               int64_t width) {
  const uint16_t* from = static_cast<const uint16_t*>(base);
  for (int64_t r = 0; r < rows; ++r, to += width) {
    const int64_t used = r < count ? n : 0;
    if (col == 1)
      std::memcpy(to, from + (r < count ? r * row : 0), 2 * static_cast<size_t>(used));
    else
      for (int64_t d = 0; d < used; ++d) to[d] = from[r * row + d * col];
    std::memset(to + used, 0, 2 * static_cast<size_t>(width - used));
  }
}

struct Tiles {  // one thread's
  uint16_t *q, *k, *v, *probabilities;
  float *scores, *out, *max, *sum;
  static size_t bytes(int64_t dim, int64_t value_dim) {
    return 2 * static_cast<size_t>((kRows + kKeys) * dim + kKeys * value_dim + kRows * kKeys) +
           4 * static_cast<size_t>(kRows * (kKeys + value_dim + 2)) + 8 * 64;
  }
  Tiles(void* scratch, int64_t dim, int64_t value_dim) {
    char* next = static_cast<char*>(scratch);
    auto take = [&](int64_t n, int64_t size) {
      char* taken = next;
      next += (n * size + 63) / 64 * 64;
      return taken;
    };
    q = reinterpret_cast<uint16_t*>(take(kRows * dim, 2));
    k = reinterpret_cast<uint16_t*>(take(kKeys * dim, 2));
    v = reinterpret_cast<uint16_t*>(take(kKeys * value_dim, 2));
    probabilities = reinterpret_cast<uint16_t*>(take(kRows * kKeys, 2));
    scores = reinterpret_cast<float*>(take(kRows * kKeys, 4));
    out = reinterpret_cast<float*>(take(kRows * value_dim, 4));
    max = reinterpret_cast<float*>(take(kRows, 4));
    sum = reinterpret_cast<float*>(take(kRows, 4));
  }
};

Status run_block(const AttentionHead& h, int64_t begin, int64_t end, const onednn::Primitive& score,
                 const onednn::Primitive& weigh) {
  const int64_t dim = padded(h.head_dim), value_dim = padded(h.value_dim);
  const Tiles t(thread_scratch(Tiles::bytes(dim, value_dim)), dim, value_dim);
  for (int64_t c = begin; c < end;) {  // a head's rows lie evenly
    const int64_t head = c / h.queries, query = c % h.queries, count = std::min(end - c, h.queries - query);
    const bool is_last = c + count == end;
    copy_rows(static_cast<const uint16_t*>(h.q) + head * h.q_head + query * h.q_row, h.q_row, h.q_col, count,
              h.head_dim, t.q + (c - begin) * dim, is_last ? kRows - (c - begin) : count, dim);
    c += count;
  }
  std::fill_n(t.out, kRows * value_dim, 0.0f);
  std::fill_n(t.max, kRows, -std::numeric_limits<float>::infinity());
  std::fill_n(t.sum, kRows, 0.0f);

  const bool one_head = begin / h.queries == (end - 1) / h.queries;
  const int64_t low = one_head ? begin % h.queries : 0, high = one_head ? (end - 1) % h.queries : h.queries - 1;
  const int64_t first = std::max<int64_t>(0, low - h.before), past = std::min(h.keys, high + h.after + 1);
  SoftmaxRows s{begin, end, 0, 0, kKeys, value_dim, t.scores, t.probabilities, t.max, t.sum, t.out};
  for (s.first_key = first; s.first_key < past; s.first_key += kKeys) {
    s.keys = std::min(kKeys, past - s.first_key);
    copy_rows(static_cast<const uint16_t*>(h.k) + s.first_key * h.k_row, h.k_row, h.k_col, s.keys, h.head_dim, t.k,
              kKeys, dim);
    copy_rows(static_cast<const uint16_t*>(h.v) + s.first_key * h.v_row, h.v_row, h.v_col, s.keys, h.value_dim, t.v,
              kKeys, value_dim);
    RETURN_IF_ERROR(onednn::run_matmul(score, t.q, t.k, nullptr, t.scores));
    kernels::attention().softmax_rows(h, s);
    if (end - begin < kRows)
      std::memset(t.probabilities + (end - begin) * kKeys, 0, 2 * static_cast<size_t>((kRows - (end - begin)) * kKeys));
    RETURN_IF_ERROR(onednn::run_matmul(weigh, t.probabilities, t.v, nullptr, t.out));
  }
  kernels::attention().store_rows(h, s);
  return {};
}

}  // namespace

std::optional<Launch> launch_forward_with_matrix_units(const char* name, const AttentionCall& c) {
  const AttentionHead& h = c.head;
  const int64_t rows = h.group * h.queries;
  if (c.dtype != DType::BFloat16 || rows < 48 || h.keys < 48 || h.head_dim > 512 || h.value_dim > 512 ||
      !onednn::has_matrix_units())
    return std::nullopt;
  const int64_t dim = padded(h.head_dim), value_dim = padded(h.value_dim);
  const onednn::Primitive* score = onednn::matmul({.dtype = DType::BFloat16,
                                                   .out_dtype = DType::Float32,
                                                   .m = kRows,
                                                   .n = kKeys,
                                                   .k = dim,
                                                   .a_row = dim,
                                                   .a_col = 1,
                                                   .b_row = 1,
                                                   .b_col = dim,
                                                   .out_row = kKeys});
  const onednn::Primitive* weigh = onednn::matmul({.dtype = DType::BFloat16,
                                                   .out_dtype = DType::Float32,
                                                   .m = kRows,
                                                   .n = value_dim,
                                                   .k = kKeys,
                                                   .a_row = kKeys,
                                                   .a_col = 1,
                                                   .b_row = value_dim,
                                                   .b_col = 1,
                                                   .out_row = value_dim,
                                                   .accumulate = true});
  if (!score || !weigh) return std::nullopt;
  const int64_t blocks = (rows + kRows - 1) / kRows, items = c.batch * c.kv_heads * blocks;
  const double item_us = 2 + static_cast<double>(std::min(rows, kRows)) * static_cast<double>(h.keys) *
                                 static_cast<double>(dim + value_dim) / kMacsPerUs;
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(40 / item_us));
  return Launch{Task(name, static_cast<float>(item_us * items),
                     [c, rows, blocks, items, grain, score, weigh](TaskContext& context) -> Status {
                       FirstFailure failure;
                       context.team.for_ranges(items, grain, [&](int64_t from, int64_t to) {
                         for (int64_t i = from; i < to; ++i) {
                           const int64_t begin = i % blocks * kRows;
                           failure.note(run_block(c.at(i / blocks / c.kv_heads, i / blocks % c.kv_heads), begin,
                                                  std::min(begin + kRows, rows), *score, *weigh));
                         }
                       });
                       return failure.take();
                     }),
                0};
}

}  // namespace cann::ops
