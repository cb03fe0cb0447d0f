// Embedding bags: the forward is one operator; the backward is composed of row selection and embedding_dense_backward.
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/_embedding_bag_dense_backward.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/zeros.h>

#include "functions_embedding_bag.h"
#include "handwritten_embedding_bag.h"
#include "torch_npu/csrc/dispatch/creation.h"
#include "torch_npu/csrc/dispatch/launch.h"

namespace torch_npu::op {

namespace {

enum Mode : int64_t { kSum = 0, kMean = 1, kMax = 2 };

using FourTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

// Indices and offsets in one type: int64 unless both are int32.
std::pair<at::Tensor, at::Tensor> promoted(const at::Tensor& indices, const at::Tensor& offsets) {
  const auto type = c10::promoteTypes(indices.scalar_type(), offsets.scalar_type());
  return {indices.to(type).contiguous(), offsets.to(type).contiguous()};
}

void check_arguments(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets, int64_t mode,
                     const std::optional<at::Tensor>& per_sample_weights, bool include_last_offset) {
  TORCH_CHECK(indices.dim() == 1 || indices.dim() == 2,
              "input has to be a 1D or 2D Tensor, but got Tensor of dimension ", indices.dim());
  if (indices.dim() == 1)
    TORCH_CHECK(offsets.dim() == 1, "offsets has to be a 1D Tensor, but got Tensor of dimension ", offsets.dim());
  TORCH_CHECK(weight.dim() == 2, "weight has to be a 2D Tensor, but got Tensor of dimension ", weight.dim());
  for (const at::Tensor* t : {&indices, &offsets})
    TORCH_CHECK(t->scalar_type() == at::kLong || t->scalar_type() == at::kInt,
                "Expected tensor for argument 'indices' or 'offsets' to have one of the following scalar types: Long, "
                "Int; but got ",
                t->toString(), " instead (while checking arguments for embedding_bag)");
  TORCH_CHECK(at::isFloatingType(weight.scalar_type()), "embedding_bag: weight must be of a floating type, but got ",
              weight.toString());
  if (per_sample_weights.has_value() && per_sample_weights->defined()) {
    TORCH_CHECK(mode == kSum, "embedding_bag: per_sample_weights only supported with mode='sum'");
    TORCH_CHECK(per_sample_weights->scalar_type() == weight.scalar_type(), "expected scalar type ",
                weight.scalar_type(), " for per_sample_weights but found ", per_sample_weights->scalar_type());
    TORCH_CHECK(per_sample_weights->dim() == 1 && per_sample_weights->numel() == indices.numel(),
                "per_sample_weights must be a vector of as many elements as indices");
  }
  if (include_last_offset)
    TORCH_CHECK(offsets.size(0) >= 1, "include_last_offset: number of offset should be at least 1");
}

FourTensors forward(const at::Tensor& weight, const at::Tensor& indices_given, const at::Tensor& offsets_given,
                    bool scale_grad_by_freq, int64_t mode, bool sparse,
                    const std::optional<at::Tensor>& per_sample_weights, bool include_last_offset,
                    int64_t padding_idx) {
  check_arguments(weight, indices_given, offsets_given, mode, per_sample_weights, include_last_offset);
  const auto [indices, offsets] = promoted(indices_given, offsets_given);
  const auto type = indices.scalar_type();
  const int64_t bags = offsets.size(0) - (include_last_offset ? 1 : 0);
  const at::Tensor out = empty({bags, weight.size(1)}, weight.scalar_type(), weight.device());
  const at::Tensor offset2bag = empty({indices.size(0)}, type, weight.device());
  const at::Tensor bag_size = empty({bags}, type, weight.device());
  const at::Tensor max_indices =
      mode == kMax ? empty(out.sizes(), type, weight.device()) : empty({0}, type, weight.device());
  std::optional<at::Tensor> samples;
  if (per_sample_weights.has_value() && per_sample_weights->defined()) samples = per_sample_weights->contiguous();
  launch(aclnn::EmbeddingBag, weight, indices, offsets, scale_grad_by_freq, mode, sparse, samples, include_last_offset,
         padding_idx, out, offset2bag, bag_size, max_indices);
  return {out, offset2bag, bag_size, max_indices};
}

}  // namespace

FourTensors _embedding_bag(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets,
                           bool scale_grad_by_freq, int64_t mode, bool sparse,
                           const std::optional<at::Tensor>& per_sample_weights, bool include_last_offset,
                           int64_t padding_idx) {
  return forward(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
                 padding_idx);
}

FourTensors _embedding_bag_forward_only(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets,
                                        bool scale_grad_by_freq, int64_t mode, bool sparse,
                                        const std::optional<at::Tensor>& per_sample_weights, bool include_last_offset,
                                        int64_t padding_idx) {
  return forward(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
                 padding_idx);
}

at::Tensor _embedding_bag_dense_backward(const at::Tensor& grad, const at::Tensor& indices,
                                         const at::Tensor& offset2bag, const at::Tensor& bag_size,
                                         const at::Tensor& max_indices, int64_t num_weights, bool scale_grad_by_freq,
                                         int64_t mode, const std::optional<at::Tensor>& per_sample_weights,
                                         int64_t padding_idx) {
  if (mode == kMax) {
    TORCH_CHECK(!per_sample_weights.has_value() || !per_sample_weights->defined(),
                "embedding_bag: per_sample_weights only supported with mode='sum'");
    // An empty bag names no row.
    const at::Tensor reaching = grad.masked_fill(bag_size.eq(0).unsqueeze(1), 0);
    return at::zeros({num_weights, grad.size(1)}, grad.options()).scatter_add_(0, max_indices.to(at::kLong), reaching);
  }
  at::Tensor of_bags = grad;
  if (mode == kMean) of_bags = grad.div(bag_size.clamp_min(1).unsqueeze(1).to(grad.scalar_type()));
  at::Tensor rows = of_bags.index_select(0, offset2bag);
  if (per_sample_weights.has_value() && per_sample_weights->defined())
    rows = rows.mul(per_sample_weights->unsqueeze(1));
  return at::embedding_dense_backward(rows, indices, num_weights, padding_idx, scale_grad_by_freq);
}

at::Tensor _embedding_bag_backward(const at::Tensor& grad, const at::Tensor& indices_given,
                                   const at::Tensor& offsets_given, const at::Tensor& offset2bag,
                                   const at::Tensor& bag_size, const at::Tensor& max_indices, int64_t num_weights,
                                   bool scale_grad_by_freq, int64_t mode, bool sparse,
                                   const std::optional<at::Tensor>& per_sample_weights, int64_t padding_idx) {
  TORCH_CHECK(!sparse, "embedding_bag: sparse gradients are not supported on npu; use sparse=False");
  const auto [indices, offsets] = promoted(indices_given, offsets_given);
  return at::_embedding_bag_dense_backward(grad, indices, offset2bag, bag_size, max_indices, num_weights,
                                           scale_grad_by_freq, mode, per_sample_weights, padding_idx);
}

at::Tensor _embedding_bag_per_sample_weights_backward(const at::Tensor& grad, const at::Tensor& weight,
                                                      const at::Tensor& indices, const at::Tensor& /*offsets*/,
                                                      const at::Tensor& offset2bag, int64_t mode, int64_t padding_idx) {
  TORCH_CHECK(mode == kSum, "embedding_bag_backward: per_sample_weights only supported for mode='sum'");
  const at::Tensor products = grad.index_select(0, offset2bag).mul(weight.index_select(0, indices));
  const at::Tensor result = products.sum(1);
  return padding_idx < 0 ? result : result.masked_fill(indices.eq(padding_idx), 0);
}

at::Tensor& embedding_renorm_(at::Tensor& self, const at::Tensor& indices, double max_norm, double norm_type) {
  TORCH_CHECK(self.dim() == 2, "Expected 2-dimensional tensor, but got ", self.dim(),
              "-dimensional tensor for argument #1 'self' (while checking arguments for embedding_renorm_)");
  TORCH_CHECK(
      indices.scalar_type() == at::kLong || indices.scalar_type() == at::kInt,
      "Expected tensor for argument #2 'indices' to have one of the following scalar types: Long, Int; but got ",
      indices.toString(), " instead (while checking arguments for embedding_renorm_)");
  if (indices.numel() > 0) launch(aclnn::EmbeddingRenorm, self, indices.contiguous(), max_norm, norm_type);
  return self;
}

}  // namespace torch_npu::op
