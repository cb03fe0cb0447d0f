// Allocation of tensors. `torch.empty` and every operator's output pass here, so it is kept short.
#include "torch_npu/csrc/dispatch/creation.h"

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/native/TensorFactories.h>
#include <torch/library.h>

#include "torch_npu/csrc/device/allocator.h"
#include "torch_npu/csrc/diagnostics/float64.h"

namespace torch_npu {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

at::Tensor make(int64_t bytes, at::ScalarType dtype, c10::Device device) {
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), static_cast<size_t>(bytes),
                                                       memory::allocate(static_cast<size_t>(bytes), device.index()),
                                                       memory::allocator(), /*resizable=*/true);
  return at::detail::make_tensor<c10::TensorImpl>(std::move(storage), kKeys, c10::scalarTypeToTypeMeta(dtype));
}

c10::Device resolved(c10::Device device) {
  return device.has_index() && device.index() < device::count()
             ? device
             : c10::Device(c10::DeviceType::PrivateUse1, device::resolve(device.index()));
}

}  // namespace

at::Tensor empty(at::IntArrayRef sizes, at::ScalarType dtype, c10::Device device) {
  at::detail::check_size_nonnegative(sizes);
  const size_t bytes = at::detail::computeStorageNbytesContiguous(sizes, c10::elementSize(dtype));
  at::Tensor result = make(static_cast<int64_t>(bytes), dtype, resolved(device));
  // A fresh TensorImpl has the sizes [0].
  if (sizes.size() != 1 || sizes[0] != 0) result.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return result;
}

at::Tensor empty(at::IntArrayRef sizes, at::ScalarType dtype, c10::Device device, c10::MemoryFormat format) {
  at::Tensor result = empty(sizes, dtype, device);
  if (format != c10::MemoryFormat::Contiguous) result.unsafeGetTensorImpl()->empty_tensor_restride(format);
  return result;
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype, c10::Device device) {
  at::detail::check_size_nonnegative(sizes);
  const size_t bytes = at::detail::computeStorageNbytes(sizes, strides, c10::elementSize(dtype));
  at::Tensor result = make(static_cast<int64_t>(bytes), dtype, resolved(device));
  result.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  return result;
}

at::Tensor empty_like(const at::Tensor& like, at::ScalarType dtype) {
  if (like.is_contiguous()) return empty(like.sizes(), dtype, like.device());
  if (like.is_non_overlapping_and_dense()) return empty_strided(like.sizes(), like.strides(), dtype, like.device());
  const auto strides = at::infer_dense_strides(like.sizes(), like.strides());
  return empty_strided(like.sizes(), strides, dtype, like.device());
}

at::Tensor empty_like(const at::Tensor& like) { return empty_like(like, like.scalar_type()); }

namespace {

void check_options(std::optional<at::Layout> layout, std::optional<bool> pin_memory) {
  TORCH_CHECK(layout.value_or(at::kStrided) == at::kStrided, "empty: an NPU tensor is strided, but got layout ",
              *layout);
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
}

// torch.use_deterministic_algorithms with fill_uninitialized_memory: what nobody wrote is NaN, or the largest number.
at::Tensor filled_if_asked(at::Tensor tensor) {
  const auto& context = at::globalContext();
  if (context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory()) [[unlikely]] {
    at::native::fill_empty_deterministic_(tensor);
  }
  return tensor;
}

at::Tensor empty_memory_format(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                               std::optional<at::Layout> layout, std::optional<at::Device> device,
                               std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format) {
  check_options(layout, pin_memory);
  return filled_if_asked(empty(sizes, float64::stored(c10::dtype_or_default(dtype)), c10::device_or_default(device),
                               format.value_or(c10::MemoryFormat::Contiguous)));
}

at::Tensor empty_strided_registered(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> dtype,
                                    std::optional<at::Layout> layout, std::optional<at::Device> device,
                                    std::optional<bool> pin_memory) {
  check_options(layout, pin_memory);
  return filled_if_asked(
      empty_strided(sizes, strides, float64::stored(c10::dtype_or_default(dtype)), c10::device_or_default(device)));
}

void record_stream(at::Tensor& self, c10::Stream stream) {
  memory::allocator()->recordStream(self.storage().data_ptr(), stream);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty_memory_format);
  m.impl("empty_strided", &empty_strided_registered);
  m.impl("record_stream", &record_stream);
}

}  // namespace torch_npu
