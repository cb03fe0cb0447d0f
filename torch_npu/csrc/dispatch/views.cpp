// Views, set_ and resize_: sizes, strides and storages only, so PyTorch's own functions serve; no element is touched.
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu {
namespace {

// set_() without a source: an empty storage of the tensor's own device.
at::Tensor& set_to_nothing(at::Tensor& self) {
  const at::Tensor nothing = empty({0}, self.scalar_type(), self.device());
  return at::native::set_storage_cpu_(self, nothing.storage(), 0, {0}, {});
}

// May `self` take over `from`'s storage, sizes and device and stay the same Python object (tensor.data = ...)? Between
// CPU and NPU it may, as between CPU and CUDA: Module.to("npu") then keeps its Parameters, so that tied weights stay
// tied and an optimizer made before still holds them.
bool has_compatible_shallow_copy_type(const at::Tensor& self, const at::Tensor& from) {
  auto plain = [](const at::Tensor& t) {
    return t.layout() == at::kStrided && t.key_set().has_any(c10::DispatchKeySet(c10::DispatchKey::Dense)) &&
           (t.is_cpu() || t.is_privateuseone());
  };
  return self.key_set() == from.key_set() || (plain(self) && plain(from));
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("view", &at::native::view);
  m.impl("_reshape_alias", &at::native::_reshape_alias);
  m.impl("alias", &at::native::alias);
  m.impl("unfold", &at::native::unfold);
  m.impl("view_as_real", &at::native::view_as_real);
  m.impl("view_as_complex", &at::native::view_as_complex);
  m.impl("resize_", &at::native::resize_);
  m.impl("set_.source_Storage", &at::native::set_);
  m.impl("set_.source_Storage_storage_offset", &at::native::set_storage_cpu_);
  m.impl("set_.source_Tensor", &at::native::set_tensor_);
  m.impl("set_", &set_to_nothing);
  m.impl("_has_compatible_shallow_copy_type", &has_compatible_shallow_copy_type);
}

}  // namespace torch_npu
