// The online softmax over scores that somebody else multiplied (oneDNN, with the matrix units of the CPU): a row for
// each query, float32 scores in, bfloat16 probabilities out. Same results for rows that see no key, and for NaN, as
// forward.cpp.
#include "cann/kernels/attention/table.h"
#include "cann/kernels/attention/tile.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr float kInfinity = __builtin_inff();
constexpr int kLanes = 32;

// scores[0..keys) of one query: scaled and masked; -inf from there up to `width`.
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

}  // namespace

void softmax_rows(const AttentionHead& h, const SoftmaxRows& s) {
  for (int64_t r = 0; r < s.end - s.begin; ++r) {
    float* scores = s.scores + r * s.width;
    const int64_t used = round_up(s.keys, kLanes);
    mask_row(h, group_row(h, s.begin + r), s.first_key, s.keys, used, scores);
    float max[kLanes], sum[kLanes];
    for (int i = 0; i < kLanes; ++i) max[i] = s.max[r], sum[i] = 0;
    for (int64_t k = 0; k < used; k += kLanes)
      for (int i = 0; i < kLanes; ++i) max[i] = scores[k + i] > max[i] ? scores[k + i] : max[i];
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int i = 0; i < width; ++i) max[i] = max[i + width] > max[i] ? max[i + width] : max[i];
    const float base = max[0] == -kInfinity ? 0.0f : max[0];
    const float factor = weight_of(s.max[r] - base);
    BFloat16* out = static_cast<BFloat16*>(s.probabilities) + r * s.width;
    for (int64_t k = 0; k < used; k += kLanes)
      for (int i = 0; i < kLanes; ++i) {
        const float x = weight_of(scores[k + i] - base);
        sum[i] += x;
        narrow(x, out[k + i]);
      }
    for (int64_t k = used; k < s.width; ++k) out[k].bits = 0;
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int i = 0; i < width; ++i) sum[i] += sum[i + width];
    s.sum[r] = s.sum[r] * factor + sum[0];
    if (s.max[r] != max[0])
      for (int64_t d = 0; d < s.out_width; ++d) s.out[r * s.out_width + d] *= factor;
    s.max[r] = max[0];
  }
}

void store_rows(const AttentionHead& h, const SoftmaxRows& s) {
  for (int64_t r = 0; r < s.end - s.begin; ++r) {
    const GroupRow at = group_row(h, s.begin + r);
    const float sum = s.sum[r], inverse = sum == 0 ? 0.0f : 1.0f / sum;
    float* row = s.out + r * s.out_width;
    for (int64_t d = 0; d < h.value_dim; ++d) row[d] *= inverse;
    BFloat16* to = static_cast<BFloat16*>(h.out) + at.head * h.out_head + at.query * h.out_row;
    if (h.out_col == 1)
      narrow(row, to, h.value_dim);
    else
      for (int64_t d = 0; d < h.value_dim; ++d) narrow(row[d], to[d * h.out_col]);
    store_row_value(h.log_sum, at, sum == 0 ? kInfinity : s.max[r] + math::log(sum));
    store_row_value(h.max, at, s.max[r]);
    store_row_value(h.sum, at, sum);
  }
}

}  // namespace cann::kernels::CANN_ISA
