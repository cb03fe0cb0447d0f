// Shape rules and checks of the operators that read through indices, and what reading and writing share in advanced
// indexing.
#pragma once

#include <optional>
#include <vector>

#include <ATen/core/List.h>

#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu {

shape::Spec index_select_spec(const at::Tensor& self, int64_t dim, const at::Tensor& index);
shape::Spec index_select_spec(const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& out);
shape::Spec embedding_spec(const at::Tensor& weight, const at::Tensor& indices);
shape::Spec take_spec(const at::Tensor& self, const at::Tensor& index);
shape::Spec take_spec(const at::Tensor& self, const at::Tensor& index, const at::Tensor& out);

using OptionalTensors = c10::List<std::optional<at::Tensor>>;

// self[indices], checked: masks have become positions (which waits for the device), all indices are on self's device.
struct AdvancedIndexing {
  std::vector<at::Tensor> indices;     // undefined where a dimension is taken whole
  c10::SmallVector<int64_t, 6> sizes;  // of the result
  bool selects = false;                // at least one index is given
};
AdvancedIndexing advanced_indexing(const at::Tensor& self, const OptionalTensors& indices);

}  // namespace torch_npu
