// Shape rules and argument conversions of the reductions that have no structured meta, with the errors PyTorch raises
// in its kernels.
#pragma once

#include "torch_npu/csrc/dispatch/arguments.h"
#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu {

inline std::array<shape::Spec, 2> twice(const shape::Spec& spec) { return {spec, spec}; }

// The dtype of a sum or product: as asked, else int64 for integers, else self's.
at::ScalarType sum_type(const at::Tensor& self, std::optional<at::ScalarType> dtype);
at::ScalarType sum_type(const at::Tensor& self, std::optional<at::ScalarType> dtype, const at::Tensor& out);

// One number for all of a tensor that is not empty.
shape::Spec whole(const char* name, const at::Tensor& self);

shape::Spec variance(const char* name, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim);
shape::Spec variance(const char* name, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim,
                     const at::Tensor& out);

// Warns as PyTorch does where the correction leaves no degree of freedom.
void warn_of_freedom(const char* name, double reduced, double correction);

// The correction as aclnn takes it. pre: it is a whole number
int64_t whole_correction(const char* name, const at::Tensor& self, const at::Tensor& out,
                         const std::optional<at::Scalar>& correction);

shape::Spec logsumexp_shape(const at::Tensor& self, at::IntArrayRef dim, bool keepdim);

}  // namespace torch_npu
