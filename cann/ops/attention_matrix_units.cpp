// Attention of bfloat16 on CPUs with matrix units, a block of queries at a time.
#include <algorithm>

#include "cann/ops/attention_call.h"
#include "cann/ops/onednn.h"
#include "cann/ops/scratch.h"

namespace cann::ops {
namespace {

constexpr double kMacsPerUs = 1.5e5;  // of one core, the softmax included

}  // namespace

std::optional<Launch> launch_forward_with_matrix_units(const char* name, const AttentionCall& c) {
  const kernels::AttentionHead& h = c.head;
  const int64_t rows = h.group * h.queries;
  const auto kernel = kernels::attention().forward_units;
  if (c.dtype != DType::BFloat16 || !kernel || rows < 16 || h.keys < 16 || h.head_dim > 512 || h.value_dim > 512 ||
      (h.k_col != 1 && h.k_row != 1) || (h.v_col != 1 && h.v_row != 1) || !onednn::has_matrix_units())
    return std::nullopt;
  const int64_t blocks = (rows + kernels::kUnitQueries - 1) / kernels::kUnitQueries;
  const int64_t items = c.batch * c.kv_heads * blocks;
  const double item_us = 1 + static_cast<double>(std::min(rows, kernels::kUnitQueries) * h.keys) *
                                 static_cast<double>(h.head_dim + h.value_dim) / kMacsPerUs;
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(40 / item_us));
  return Launch{Task(name, static_cast<float>(item_us * items),
                     [c, kernel, rows, blocks, items, grain](TaskContext& context) {
                       context.team.for_ranges(items, grain, [&](int64_t from, int64_t to) {
                         void* scratch =
                             thread_scratch(kernels::attention_units_scratch_bytes(c.head.head_dim, c.head.value_dim));
                         for (int64_t i = from; i < to; ++i) {
                           const int64_t begin = i % blocks * kernels::kUnitQueries;
                           kernel(c.at(i / blocks / c.kv_heads, i / blocks % c.kv_heads), begin,
                                  std::min(begin + kernels::kUnitQueries, rows), scratch);
                         }
                       });
                     }),
                0};
}

}  // namespace cann::ops
