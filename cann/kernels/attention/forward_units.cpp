// forward.cpp's online softmax for bfloat16 on the matrix units: a row for each query, both products in blocks of 32
// x 32. Probabilities are rounded to bfloat16 before the second product; sums stay float32. Same results for rows that
// see no key, and for NaN, as forward.cpp.
#include "cann/kernels/attention/table.h"
#include "cann/kernels/attention/tile.h"
#include "cann/kernels/matmul/matrix_units.h"

#if defined(__AVX512F__)
namespace cann::kernels::CANN_ISA {
namespace {

constexpr float kInfinity = __builtin_inff();
constexpr int kLanes = 32;

// One call's arrays. Rows and both head sizes are rounded up to kUnit.
struct Block {
  int64_t dim, value_dim, q_row;
  BFloat16 *q, *probabilities;  // [kUnitQueries][q_row], [kUnitQueries][kUnitKeys]
  Words *k, *v;                 // packed
  float *scores, *out;          // [kUnitQueries][kUnitKeys], [kUnitQueries][value_dim]
  float max[kUnitQueries], sum[kUnitQueries];

  Block(const AttentionHead& h, void* scratch)
      : dim(round_up(h.head_dim, kUnit)), value_dim(round_up(h.value_dim, kUnit)), q_row(dim + kUnit) {
    char* next = static_cast<char*>(scratch);
    auto take = [&](int64_t bytes) { return next += bytes, next - bytes; };  // each a multiple of 64
    q = reinterpret_cast<BFloat16*>(take(kUnitQueries * q_row * 2));
    probabilities = reinterpret_cast<BFloat16*>(take(kUnitQueries * kUnitKeys * 2));
    k = reinterpret_cast<Words*>(take(kUnitKeys * dim * 2));
    v = reinterpret_cast<Words*>(take(kUnitKeys * value_dim * 2));
    scores = reinterpret_cast<float*>(take(kUnitQueries * kUnitKeys * 4));
    out = reinterpret_cast<float*>(take(kUnitQueries * value_dim * 4));
  }
};

// e^x for x <= 0 within 2^-17: enough for probabilities of 8 bits. As exp_below below e^-87, and for NaN.
inline float near_weight_of(float x) {
  const float y = x < -87.0f ? -87.0f : x;
  const float shifted = math::mad(y, 0x1.715476p+0f, 0x1.8p23f);
  const float r = math::mad(shifted - 0x1.8p23f, -0x1.62e43p-1f, y);
  const float p = math::horner(r, 0x1.111112p-7f, 0x1.555556p-5f, 0x1.555556p-3f, 0.5f, 1.0f, 1.0f);
  const float scaled = bits_as<float>(bits_as<uint32_t>(p) + (bits_as<uint32_t>(shifted) << 23));
  return x < -87.0f ? 0.0f : scaled;
}

// scores[0..width) of one query, scaled and masked; -inf from `keys` on.
void mask_row(const AttentionHead& h, GroupRow at, int64_t first_key, int64_t keys, int64_t width, float* scores) {
  for (int64_t k = 0; k < width; ++k) scores[k] *= h.scale;
  if (h.mask_kind != MaskKind::None) {
    const int64_t offset = at.head * h.mask_head + at.query * h.mask_row + first_key * h.mask_col;
    if (h.mask_kind == MaskKind::Additive && h.mask_dtype == DType::Float32 && h.mask_col == 1) {
      const float* mask = static_cast<const float*>(h.mask) + offset;
      for (int64_t k = 0; k < keys; ++k) scores[k] += mask[k];
    } else if (h.mask_kind == MaskKind::Additive && h.mask_dtype != DType::Float32 && h.mask_col == 1) {
      const BFloat16* mask = static_cast<const BFloat16*>(h.mask) + offset;
      for (int64_t k = 0; k < keys; ++k) scores[k] += widen(mask[k]);
    } else {
      for (int64_t k = 0; k < keys; ++k) scores[k] += mask_value<BFloat16>(h, offset + k * h.mask_col);
    }
  }
  const int64_t low = at.query - h.before - first_key, high = at.query + h.after - first_key;
  for (int64_t k = 0; k < lesser(low, keys); ++k) scores[k] = -kInfinity;
  for (int64_t k = lesser(high < 0 ? 0 : high + 1, keys); k < width; ++k) scores[k] = -kInfinity;
}

// A row's scores become its probabilities, about its running maximum; sum and out follow.
void softmax_row(const AttentionHead& h, GroupRow at, int64_t first_key, int64_t keys, int64_t row, Block& b) {
  float* scores = b.scores + row * kUnitKeys;
  const int64_t width = round_up(keys, kUnit);
  mask_row(h, at, first_key, keys, width, scores);
  float max[kLanes], sum[kLanes];
  for (int i = 0; i < kLanes; ++i) max[i] = b.max[row], sum[i] = 0;
  for (int64_t k = 0; k < width; k += kLanes)
    for (int i = 0; i < kLanes; ++i) max[i] = scores[k + i] > max[i] ? scores[k + i] : max[i];
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) max[i] = max[i + half] > max[i] ? max[i + half] : max[i];
  const float base = max[0] == -kInfinity ? 0.0f : max[0];  // nothing seen yet: e^(-inf - 0) = 0
  BFloat16* out = b.probabilities + row * kUnitKeys;
  for (int64_t k = 0; k < width; k += kLanes)
    for (int i = 0; i < kLanes; ++i) {
      const float x = near_weight_of(scores[k + i] - base);
      sum[i] += x;
      narrow(x, out[k + i]);
    }
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
  const float factor = math::exp_below(b.max[row] - base);
  b.sum[row] = b.sum[row] * factor + sum[0];
  if (b.max[row] != max[0])
    for (int64_t d = 0; d < b.value_dim; ++d) b.out[row * b.value_dim + d] *= factor;
  b.max[row] = max[0];
}

void store_row(const AttentionHead& h, GroupRow at, int64_t row, Block& b) {
  const float sum = b.sum[row], inverse = sum == 0 ? 0.0f : 1.0f / sum;
  float* from = b.out + row * b.value_dim;
  for (int64_t d = 0; d < h.value_dim; ++d) from[d] *= inverse;
  BFloat16* to = static_cast<BFloat16*>(h.out) + at.head * h.out_head + at.query * h.out_row;
  if (h.out_col == 1)
    narrow(from, to, h.value_dim);
  else
    for (int64_t d = 0; d < h.value_dim; ++d) narrow(from[d], to[d * h.out_col]);
  store_row_value(h.log_sum, at, sum == 0 ? kInfinity : b.max[row] + math::log(sum));
  store_row_value(h.max, at, b.max[row]);
  store_row_value(h.sum, at, sum);
}

void read_queries(const AttentionHead& h, int64_t begin, int64_t end, int64_t rows, Block& b) {
  for (int64_t r = 0; r < rows; ++r) {
    BFloat16* to = b.q + r * b.q_row;
    const int64_t used = begin + r < end ? h.head_dim : 0;
    if (used) {
      const GroupRow at = group_row(h, begin + r);
      const BFloat16* from = static_cast<const BFloat16*>(h.q) + at.head * h.q_head + at.query * h.q_row;
      if (h.q_col == 1)
        __builtin_memcpy(to, from, static_cast<size_t>(used) * 2);
      else
        for (int64_t d = 0; d < used; ++d) to[d] = from[d * h.q_col];
    }
    for (int64_t d = used; d < b.dim; ++d) to[d].bits = 0;
    b.max[r] = -kInfinity;
    b.sum[r] = 0;
  }
  for (int64_t i = 0; i < rows * b.value_dim; ++i) b.out[i] = 0;
}

// sums (+)= a times packed panels for `cols` columns.
void multiply_rows_of_units(int64_t depth, int64_t cols, const BFloat16* a, int64_t a_row, const Words* packed,
                            int64_t packed_depth, float* sums, int64_t sums_row, bool first) {
  for (int64_t j = 0; j < cols; j += kUnit)
    multiply_unit(depth, packed_depth, reinterpret_cast<const uint16_t*>(a), a_row,
                  packed + j / kPairCols * (packed_depth / 2), sums + j, sums_row, first);
}

}  // namespace

void forward_units(const AttentionHead& h, int64_t begin, int64_t end, void* scratch) {
  Block b(h, scratch);
  const int64_t rows = round_up(end - begin, kUnit);
  read_queries(h, begin, end, rows, b);
  const KeyRange range = visible_keys(h, begin, end);
  const MatrixUnits units;
  for (int64_t first = range.begin; first < range.end; first += kUnitKeys) {
    const int64_t keys = lesser(kUnitKeys, range.end - first), width = round_up(keys, kUnit);
    pack_pairs(static_cast<const BFloat16*>(h.k) + first * h.k_row, h.k_col, h.k_row, h.head_dim, keys, b.k);
    pack_pairs(static_cast<const BFloat16*>(h.v) + first * h.v_row, h.v_row, h.v_col, keys, h.value_dim, b.v);
    for (int64_t r = 0; r < rows; r += kUnit) {
      const int64_t past = lesser(end - begin, r + kUnit);
      const KeyRange seen = visible_keys(h, begin + r, begin + past);  // by these rows alone
      const int64_t last = round_up(lesser(seen.end - first, keys), kUnit);
      if (last <= 0) continue;
      multiply_rows_of_units(b.dim, last, b.q + r * b.q_row, b.q_row, b.k, b.dim, b.scores + r * kUnitKeys, kUnitKeys,
                             true);
      for (int64_t i = r; i < past; ++i) softmax_row(h, group_row(h, begin + i), first, lesser(keys, last), i, b);
      multiply_rows_of_units(last, b.value_dim, b.probabilities + r * kUnitKeys, kUnitKeys, b.v, width,
                             b.out + r * b.value_dim, b.value_dim, false);
    }
  }
  for (int64_t r = 0; r < end - begin; ++r) store_row(h, group_row(h, begin + r), r, b);
}

}  // namespace cann::kernels::CANN_ISA
#endif
