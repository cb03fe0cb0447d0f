// Sparse tensors on an NPU: what needs no arithmetic. PyTorch's own kernels for it are registered for its own backends
// only, and its composite ones would answer for strided tensors.
#include "torch_npu/csrc/dispatch/sparse.h"

#include <string>
#include <unordered_set>
#include <vector>

#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/ops/_sparse_compressed_tensor_unsafe.h>
#include <ATen/ops/_sparse_coo_tensor_unsafe.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include "torch_npu/csrc/device/device.h"

namespace torch_npu::sparse {
namespace {

using Coo = at::SparseTensorImpl;
using Compressed = at::SparseCsrTensorImpl;

Coo* coo(const at::Tensor& t) { return static_cast<Coo*>(t.unsafeGetTensorImpl()); }
Compressed* compressed(const at::Tensor& t) { return static_cast<Compressed*>(t.unsafeGetTensorImpl()); }

// No elements yet, members on `device`.
at::Tensor make_coo(int64_t sparse_dim, int64_t dense_dim, at::IntArrayRef sizes, at::ScalarType dtype,
                    c10::Device device) {
  const c10::DeviceGuard guard(device);  // the constructor allocates its members on the current device
  at::Tensor t = at::detail::make_tensor<Coo>(c10::DispatchKeySet(c10::DispatchKey::SparsePrivateUse1),
                                              c10::scalarTypeToTypeMeta(dtype));
  coo(t)->resize_and_clear_(sparse_dim, dense_dim, sizes);
  return t;
}

// A member must carry no autograd metadata: the sparse tensor has its own.
at::Tensor without_history(const at::Tensor& t) {
  return at::Tensor(t.unsafeGetTensorImpl()->shallow_copy_and_detach(t.unsafeGetTensorImpl()->version_counter(),
                                                                     /*allow_tensor_metadata_change=*/true));
}

void set_members(const at::Tensor& t, const at::Tensor& indices, const at::Tensor& values, bool coalesced) {
  coo(t)->set_indices_and_values_unsafe(indices, values);
  coo(t)->set_coalesced(coalesced || values.size(0) < 2);
}

c10::Device resolved(std::optional<at::Device> device) {
  const c10::Device given = c10::device_or_default(device);
  return given.is_privateuseone() ? c10::Device(given.type(), device::resolve(given.index())) : given;
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                 std::optional<at::Device> device, std::optional<bool> pin_memory,
                 std::optional<at::MemoryFormat> format) {
  TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
  TORCH_CHECK(!format.has_value() || *format == at::MemoryFormat::Contiguous || *format == at::MemoryFormat::Preserve,
              "empty: a sparse tensor has no memory format, but got ", *format);
  const auto kind = layout.value_or(at::kStrided);
  if (kind == at::kSparse)
    return make_coo(static_cast<int64_t>(sizes.size()), 0, sizes, c10::dtype_or_default(dtype), resolved(device));
  return to(at::empty(sizes, at::TensorOptions().dtype(dtype).layout(kind).device(at::kCPU)), resolved(device));
}

at::Tensor with_dims_and_tensors(int64_t sparse_dim, int64_t dense_dim, at::IntArrayRef sizes,
                                 const at::Tensor& indices, const at::Tensor& values,
                                 std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                                 std::optional<at::Device>, std::optional<bool>, std::optional<bool> is_coalesced) {
  at::Tensor t = make_coo(sparse_dim, dense_dim, sizes, dtype.value_or(values.scalar_type()), values.device());
  set_members(t, without_history(indices), without_history(values), is_coalesced.value_or(false));
  return t;
}

at::Tensor with_dims(int64_t sparse_dim, int64_t dense_dim, at::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                     std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>) {
  return make_coo(sparse_dim, dense_dim, sizes, c10::dtype_or_default(dtype), resolved(device));
}

at::Tensor& copy_(at::Tensor& self, const at::Tensor& src, bool) {
  TORCH_CHECK(self.layout() == src.layout(), "copy_: self has layout ", self.layout(), ", src ", src.layout(),
              ": a sparse tensor is copied from one of the same layout; use to_sparse() or to_dense()");
  if (!self.is_same(src)) assign(self, src);
  return self;
}

at::Tensor clone(const at::Tensor& self, std::optional<at::MemoryFormat> format) {
  TORCH_CHECK(!format.has_value() || *format == at::MemoryFormat::Preserve, "unsupported memory format option ",
              format.value_or(at::MemoryFormat::Preserve));
  if (!is_coo(self)) {
    const Compressed& t = *compressed(self);
    return at::_sparse_compressed_tensor_unsafe(t.compressed_indices().clone(), t.plain_indices().clone(),
                                                t.values().clone(), self.sizes(), self.options());
  }
  at::Tensor result =
      make_coo(coo(self)->sparse_dim(), coo(self)->dense_dim(), self.sizes(), self.scalar_type(), self.device());
  set_members(result, coo(self)->indices().clone(), coo(self)->values().clone(), coo(self)->coalesced());
  return result;
}

at::Tensor empty_like(const at::Tensor& self, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                      std::optional<at::Device> device, std::optional<bool> pin_memory,
                      std::optional<at::MemoryFormat> format) {
  const auto kind = layout.value_or(self.layout());
  const auto where = device.has_value() ? resolved(device) : self.device();
  const auto options = at::TensorOptions().dtype(dtype.value_or(self.scalar_type())).layout(kind).device(where);
  if (kind == at::kStrided) return at::empty(self.sizes(), options.pinned_memory(pin_memory), format);
  if (kind == at::kSparse && is_coo(self) && where.is_privateuseone())
    return make_coo(coo(self)->sparse_dim(), coo(self)->dense_dim(), self.sizes(),
                    c10::typeMetaToScalarType(options.dtype()), where);
  return at::empty(self.sizes(), options);
}

at::Tensor& set_coalesced(at::Tensor& self, bool coalesced) {
  coo(self)->set_coalesced(coalesced);
  return self;
}

void check_coalesced(const at::Tensor& t, const char* what) {
  TORCH_CHECK(coo(t)->coalesced(), "Cannot get ", what, " on an uncoalesced tensor, please call .coalesce() first");
}

at::Tensor indices(const at::Tensor& self) {
  check_coalesced(self, "indices");
  return coo(self)->indices().alias();
}

at::Tensor values(const at::Tensor& self) {
  check_coalesced(self, "values");
  return coo(self)->values().alias();
}

// The indices along the compressed dimension (`of_rows` in a CSR or BSR tensor) or along the plain one.
template <bool kOfRows, bool kCompressedDim>
at::Tensor compressed_indices(const at::Tensor& self) {
  const bool rows = self.layout() == at::kSparseCsr || self.layout() == at::kSparseBsr;
  TORCH_CHECK(rows == kOfRows, "expected a tensor compressed by ", kOfRows ? "rows" : "columns", ", but got layout ",
              self.layout());
  const Compressed& t = *compressed(self);
  return (kCompressedDim ? t.compressed_indices() : t.plain_indices()).alias();
}

// Registers the fallback for each operator of which the CPU has a sparse kernel of its own: PyTorch's composite
// kernel, made for strided tensors, would come before the fallback of the whole key.
template <auto* kFallback>
void prefer_fallback(torch::Library& m, c10::DispatchKey cpu, const std::unordered_set<std::string>& native) {
  for (const auto& name : c10::Dispatcher::singleton().getRegistrationsForDispatchKey(cpu)) {
    const std::string full = c10::toString(name);
    if (full.rfind("aten::", 0) != 0 || native.count(full.substr(6)) != 0) continue;
    m.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<kFallback>());
  }
}

}  // namespace

at::Tensor to(const at::Tensor& t, c10::Device device) {
  const auto options = t.options().device(device);
  if (is_coo(t))
    return at::_sparse_coo_tensor_unsafe(coo(t)->indices().to(device), coo(t)->values().to(device), t.sizes(), options,
                                         coo(t)->coalesced());
  const Compressed& members = *compressed(t);
  return at::_sparse_compressed_tensor_unsafe(members.compressed_indices().to(device),
                                              members.plain_indices().to(device), members.values().to(device),
                                              t.sizes(), options);
}

void assign(const at::Tensor& dst, const at::Tensor& src) {
  const auto moved = [&](const at::Tensor& member) { return member.to(dst.device(), /*non_blocking=*/false, true); };
  const auto valued = [&](const at::Tensor& member) { return moved(member).to(dst.scalar_type()); };
  if (is_coo(dst)) {
    coo(dst)->raw_resize_(coo(src)->sparse_dim(), coo(src)->dense_dim(), src.sizes());
    set_members(dst, moved(coo(src)->indices()), valued(coo(src)->values()), coo(src)->coalesced());
    return;
  }
  const Compressed& from = *compressed(src);
  compressed(dst)->set_member_tensors(moved(from.compressed_indices()), moved(from.plain_indices()),
                                      valued(from.values()), src.sizes());
}

size_t nbytes(const at::Tensor& t) {
  if (is_coo(t)) return coo(t)->indices().nbytes() + coo(t)->values().nbytes();
  const Compressed& members = *compressed(t);
  return members.compressed_indices().nbytes() + members.plain_indices().nbytes() + members.values().nbytes();
}

TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_like", &empty_like);
  m.impl("clone", &clone);
  m.impl("copy_", &copy_);
  m.impl("_sparse_coo_tensor_with_dims", &with_dims);
  m.impl("_sparse_coo_tensor_with_dims_and_tensors", &with_dims_and_tensors);
  m.impl("sparse_dim", [](const at::Tensor& t) { return coo(t)->sparse_dim(); });
  m.impl("dense_dim", [](const at::Tensor& t) { return coo(t)->dense_dim(); });
  m.impl("_nnz", [](const at::Tensor& t) { return coo(t)->nnz(); });
  m.impl("is_coalesced", [](const at::Tensor& t) { return coo(t)->coalesced(); });
  m.impl("_coalesced_", &set_coalesced);
  m.impl("_indices", [](const at::Tensor& t) { return coo(t)->indices(); });
  m.impl("_values", [](const at::Tensor& t) { return coo(t)->values(); });
  m.impl("indices", &indices);
  m.impl("values", &values);
  prefer_fallback<&sparse_fallback>(
      m, c10::DispatchKey::SparseCPU,
      {"empty.memory_format", "empty_like", "clone", "copy_", "_sparse_coo_tensor_with_dims",
       "_sparse_coo_tensor_with_dims_and_tensors", "sparse_dim", "dense_dim", "_nnz", "is_coalesced", "_coalesced_",
       "_indices", "_values", "indices", "values"});
}

TORCH_LIBRARY_IMPL(aten, SparseCsrPrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_like", &empty_like);
  m.impl("clone", &clone);
  m.impl("copy_", &copy_);
  m.impl("sparse_dim", [](const at::Tensor& t) { return compressed(t)->sparse_dim(); });
  m.impl("dense_dim", [](const at::Tensor& t) { return compressed(t)->dense_dim(); });
  m.impl("_nnz", [](const at::Tensor& t) { return compressed(t)->nnz(); });
  m.impl("values", [](const at::Tensor& t) { return compressed(t)->values().alias(); });
  m.impl("crow_indices", &compressed_indices<true, true>);
  m.impl("col_indices", &compressed_indices<true, false>);
  m.impl("ccol_indices", &compressed_indices<false, true>);
  m.impl("row_indices", &compressed_indices<false, false>);
  prefer_fallback<&sparse_compressed_fallback>(
      m, c10::DispatchKey::SparseCsrCPU,
      {"empty.memory_format", "empty_like", "clone", "copy_", "sparse_dim", "dense_dim", "_nnz", "values",
       "crow_indices", "col_indices", "ccol_indices", "row_indices"});
}

}  // namespace torch_npu::sparse
