// What the generated _foreach_ kernels ask before they hand whole lists to one launch.
#pragma once

#include <initializer_list>
#include <vector>

#include <ATen/core/Tensor.h>

namespace torch_npu::lists {

// One launch can take them: lists of the same length, all of one floating type on one device, and entry i of each list
// has the same sizes and the same dense strides.
bool alike(std::initializer_list<at::TensorList> lists);

// The result has the lists' type, whichever floating type that is.
inline bool keeps_type(at::TensorList, const at::Scalar& number) { return !number.isComplex(); }
// There is a number for each tensor, too.
bool keeps_type(at::TensorList list, at::ArrayRef<at::Scalar> numbers);

// A tensor for each of the list, with its sizes, type and strides.
std::vector<at::Tensor> empty_like(at::TensorList list);

}  // namespace torch_npu::lists
