// Checks the operands; bags, and rows, are shared out by the number of elements they hold on average.
#include "cann/ops/embedding_bag.h"

#include <vector>

#include "cann/kernels/index/embedding_bag.h"
#include "cann/ops/box_copy.h"
#include "cann/ops/index_walk.h"

namespace cann::ops {

namespace {

using kernels::BagMode;
using kernels::Bags;

// Zeros, where no bag holds an index.
void clear(Team& team, const TensorView& view) {
  const ElementBytes zero{};
  CopyBox box = fill_box(view);
  box.from = reinterpret_cast<const char*>(zero.data());
  if (box.numel() > 0) run(team, {&box, 1});
}

}  // namespace

Result<Launch> embedding_bag(const TensorView& weight, const TensorView& indices, const TensorView& offsets,
                             int64_t mode, const TensorView* per_sample_weights, bool include_last_offset,
                             int64_t padding_idx, const TensorView& out, const TensorView& offset2bag,
                             const TensorView& bag_size, const TensorView& max_indices) {
  constexpr const char* kOp = "embedding_bag";
  if (!is_floating(weight.dtype) || out.dtype != weight.dtype || weight.ndim != 2)
    return bad_parameter("embedding_bag: weight " + describe(weight) + ", out " + describe(out) +
                         ": needs one floating type, weight a matrix");
  if (!is_index_type(indices.dtype) || offsets.dtype != indices.dtype || indices.ndim != 1 || offsets.ndim != 1 ||
      !indices.is_contiguous() || !offsets.is_contiguous())
    return bad_parameter("embedding_bag: indices " + describe(indices) + ", offsets " + describe(offsets) +
                         ": needs contiguous vectors of one index type");
  const int64_t bags = offsets.sizes[0] - (include_last_offset ? 1 : 0), columns = weight.sizes[1];
  if (mode < 0 || mode > 2) return bad_parameter("embedding_bag: mode " + std::to_string(mode) + " is unknown");
  if (out.ndim != 2 || out.sizes[0] != bags || out.sizes[1] != columns || !out.is_contiguous())
    return bad_parameter("embedding_bag: out " + to_string(out.shape()) + " must be contiguous [" +
                         std::to_string(bags) + ", " + std::to_string(columns) + "]");
  if (per_sample_weights &&
      (per_sample_weights->dtype != weight.dtype || per_sample_weights->numel() != indices.numel() ||
       !per_sample_weights->is_contiguous() || mode != 0))
    return bad_parameter("embedding_bag: per_sample_weights " + describe(*per_sample_weights) +
                         ": needs mode sum, weight's type, one an index");
  for (const TensorView* side : {&offset2bag, &bag_size, &max_indices})
    if (side->dtype != indices.dtype || !side->is_contiguous())
      return bad_parameter("embedding_bag: " + describe(*side) +
                           ": the other outputs have the indices' type and are contiguous");
  Bags b{};
  b.mode = static_cast<BagMode>(mode);
  b.dtype = weight.dtype;
  b.is_int32 = indices.dtype == DType::Int32;
  b.rows = weight.sizes[0];
  b.columns = columns;
  b.count = indices.sizes[0];
  b.bags = bags;
  b.padding = padding_idx;
  b.weight = weight.as<char>();
  b.row_stride = weight.strides[0];
  b.column_stride = weight.strides[1];
  b.indices = indices.as<char>();
  b.offsets = offsets.as<char>();
  b.sample_weights = per_sample_weights ? per_sample_weights->as<char>() : nullptr;
  b.last_offset = include_last_offset;
  b.out = out.as<char>();
  if (bag_size.numel() >= bags) b.bag_size = bag_size.as<char>();
  if (offset2bag.numel() >= b.count) b.offset2bag = offset2bag.as<char>();
  if (b.mode == BagMode::Max && max_indices.numel() == bags * columns) b.max_indices = max_indices.as<char>();
  const float us = copy_us((b.count * 2 + bags) * columns * size_of(weight.dtype));
  return Launch{Task(kOp, us, [b, offset2bag, bag_size](TaskContext& context) -> Status {
    // What no bag reaches (before the first offset, past the last) belongs to bag 0.
    if (b.offset2bag) clear(context.team, offset2bag);
    if (b.bag_size) clear(context.team, bag_size);
    const int64_t per_bag = (b.count / std::max<int64_t>(1, b.bags) + 1) * b.columns;
    BadIndices bad;
    context.team.for_ranges(b.bags, std::max<int64_t>(1, 16 * 1024 / std::max<int64_t>(1, per_bag)),
                            [&](int64_t begin, int64_t end) {
                              const kernels::BadIndex found = kernels::embedding_bag().bags(b, begin, end);
                              if (found.found) bad.add(found);
                            });
    return bad.worst().found ? index_status(kOp, bad.worst(), IndexFault::RuntimeError) : Status{};
  })};
}

Result<Launch> embedding_renorm(const TensorView& self, const TensorView& indices, double max_norm, double norm_type) {
  constexpr const char* kOp = "embedding_renorm_";
  if (!is_floating(self.dtype) || self.ndim != 2)
    return bad_parameter("embedding_renorm_: self " + describe(self) + ": needs a floating matrix");
  if (!is_index_type(indices.dtype) || !indices.is_contiguous())
    return bad_parameter("embedding_renorm_: indices " + describe(indices) + ": needs contiguous int64 or int32");
  const int64_t n = indices.numel(), rows = self.sizes[0], columns = self.sizes[1], bytes = size_of(self.dtype);
  return Launch{Task(kOp, copy_us(3 * n * columns * bytes), [=](TaskContext& context) -> Status {
    std::vector<bool> named(static_cast<size_t>(rows));
    std::vector<int64_t> once;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = indices.dtype == DType::Int64 ? indices.as<int64_t>()[i] : indices.as<int32_t>()[i];
      if (row < 0 || row >= rows) return index_status(kOp, {true, 0, row, rows}, IndexFault::IndexError);
      if (!named[static_cast<size_t>(row)]) once.push_back(row);
      named[static_cast<size_t>(row)] = true;
    }
    context.team.for_ranges(
        static_cast<int64_t>(once.size()), std::max<int64_t>(1, 8192 / std::max<int64_t>(1, columns)),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            kernels::embedding_bag().renorm(self.dtype,
                                            self.as<char>() + once[static_cast<size_t>(i)] * self.strides[0] * bytes,
                                            columns, self.strides[1], max_norm, norm_type);
        });
    return {};
  })};
}

}  // namespace cann::ops
