// The shape rules of operators that have no structured meta: a rule gives a Spec for each output; the generated code
// allocates, resizes or checks by it. Rules throw what PyTorch throws.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include <ATen/core/Tensor.h>
#include <ATen/ops/result_type.h>
#include <c10/core/DefaultDtype.h>
#include <c10/util/SmallVector.h>

#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu::shape {

struct Spec {
  c10::SmallVector<int64_t, 6> sizes;
  at::ScalarType dtype;
  c10::Device device;
  c10::SmallVector<int64_t, 6> strides{};  // empty: contiguous
};

inline Spec sized(at::IntArrayRef sizes, const at::Tensor& like) {
  return {c10::SmallVector<int64_t, 6>(sizes.begin(), sizes.end()), like.scalar_type(), like.device()};
}
inline Spec sized(at::IntArrayRef sizes, at::ScalarType dtype, c10::Device device) {
  return {c10::SmallVector<int64_t, 6>(sizes.begin(), sizes.end()), dtype, device};
}

// Same sizes, dtype and, where it is dense, memory layout.
Spec like(const at::Tensor& self);
Spec like(const at::Tensor& self, at::ScalarType dtype);

// Broadcast of the sizes.
Spec broadcast(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype);

// A loss: one number, or with reduction 0 an element for each of the broadcast.
inline Spec loss(const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
  return reduction == 0 ? broadcast(self, target, self.scalar_type()) : sized({}, self);
}

// self without the dims (all of them if none are given), or with 1 in their place.
Spec reduced(const at::Tensor& self, at::OptionalIntArrayRef dims, bool keepdim, at::ScalarType dtype);

// Integers and bools become the default dtype.
inline at::ScalarType floating_result(at::ScalarType dtype) {
  return c10::isIntegralType(dtype, /*includeBool=*/true) ? c10::typeMetaToScalarType(c10::get_default_dtype()) : dtype;
}

// CANN's number for div's rounding_mode.
inline int rounding_mode_number(std::optional<std::string_view> mode) {
  return !mode.has_value() ? 0 : *mode == "trunc" ? 1 : 2;
}

// CANN's number for gelu's approximate.
inline int64_t gelu_number(std::string_view approximate) {
  TORCH_CHECK(approximate == "none" || approximate == "tanh", "approximate argument must be either none or tanh.");
  return approximate == "tanh" ? 1 : 0;
}

at::Tensor allocate_one(const Spec& spec);
inline std::tuple<at::Tensor> allocate(const Spec& spec) { return {allocate_one(spec)}; }
template <class... Specs>
auto allocate(const std::tuple<Specs...>& specs) {
  return std::apply([](const auto&... s) { return std::make_tuple(allocate_one(s)...); }, specs);
}
template <size_t N>
auto allocate(const std::array<Spec, N>& specs) {
  return std::apply([](const auto&... s) { return std::make_tuple(allocate_one(s)...); }, specs);
}

// out= tensors take the size; their dtype must be able to hold the result.
void resize(const Spec& spec, const at::Tensor& out);
template <size_t N, class... Outs>
void resize(const std::array<Spec, N>& specs, const Outs&... outs) {
  size_t i = 0;
  (resize(specs[i++], outs), ...);
}

// self must already have the result's size.
void check_inplace(const at::Tensor& self, const Spec& spec);

}  // namespace torch_npu::shape
