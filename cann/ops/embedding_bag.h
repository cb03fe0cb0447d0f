// Embedding bags, and the renormalisation of embedding rows.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// out[b] = sum, mean or maximum (mode 0, 1, 2) of weight's rows at indices[offsets[b] : offsets[b + 1]], without those
// of padding_idx; per_sample_weights scale the rows of a sum. The other outputs: the bag of each index, how many
// indices each bag has, and for the maximum the row that each element came from.
Result<Launch> embedding_bag(const TensorView& weight, const TensorView& indices, const TensorView& offsets,
                             int64_t mode, const TensorView* per_sample_weights, bool include_last_offset,
                             int64_t padding_idx, const TensorView& out, const TensorView& offset2bag,
                             const TensorView& bag_size, const TensorView& max_indices);

// Each row of self that `indices` names is scaled down to max_norm in the norm_type-norm, once, however often it is
// named.
Result<Launch> embedding_renorm(const TensorView& self, const TensorView& indices, double max_norm, double norm_type);

}  // namespace cann::ops
