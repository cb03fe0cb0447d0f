// Sparse tensors on an NPU: member tensors (indices, values) that live on the device, and nothing else. Building,
// copying and looking inside are done here; operators over them are the CPU fallback's (fallback.h).
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace torch_npu {

// The CPU fallback (fallback.h) for the keys of sparse tensors: COO, and the compressed layouts. Arguments and results
// cross with their layout kept.
void sparse_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack);
void sparse_compressed_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace torch_npu

namespace torch_npu::sparse {

inline bool is_sparse(const at::Tensor& t) { return t.layout() != at::kStrided; }
inline bool is_coo(const at::Tensor& t) { return t.layout() == at::kSparse; }
inline bool is_compressed(const at::Tensor& t) { return is_sparse(t) && !is_coo(t); }

// The same tensor on `device`, either way: its members are copied. COO, CSR, CSC, BSR and BSC.
at::Tensor to(const at::Tensor& t, c10::Device device);

// Makes `dst` equal `src` in sizes and members, on its own device and in its own dtype. pre: one layout.
void assign(const at::Tensor& dst, const at::Tensor& src);

// What the members hold together.
size_t nbytes(const at::Tensor& t);

}  // namespace torch_npu::sparse
