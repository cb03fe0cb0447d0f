// copy_: on one device through aclnnInplaceCopy; between devices as bytes, after whichever side can do it has made
// layout and dtype equal. Conjugate and negative bits are taken off both sides here and their difference applied once:
// left to PyTorch's fallbacks, copy_ and clone would call each other for ever.
#include "torch_npu/csrc/dispatch/copies.h"

#include <ATen/Dispatch_v2.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zero.h>
#include <torch/library.h>

#include "torch_npu/csrc/device/stream.h"
#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/dispatch/creation.h"
#include "torch_npu/csrc/dispatch/launch.h"
#include "torch_npu/csrc/dispatch/transfer.h"
#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu {
namespace {

// Not from the generated handles: copies must work whatever the table holds.
const Operator<aclnnStatus(const aclTensor*, const aclTensor*, uint64_t*, aclOpExecutor**)> inplace_copy{
    "aclnnInplaceCopy", "aclnnInplaceCopyGetWorkspaceSize"};
const Operator<aclnnStatus(const aclTensor*, uint64_t*, aclOpExecutor**)> inplace_neg{
    "aclnnInplaceNeg", "aclnnInplaceNegGetWorkspaceSize"};

// What lies in memory, without the bits.
at::Tensor physical(const at::Tensor& t) {
  if (!t.is_conj() && !t.is_neg()) [[likely]]
    return t;
  const at::Tensor plain = t.is_conj() ? t.conj() : t;
  return plain.is_neg() ? plain._neg_view() : plain;
}

// What must be done to src's memory to become dst's.
struct Change {
  bool conjugate = false;
  bool negate = false;
  bool any() const { return conjugate || negate; }
};

at::Tensor apply_on_host(at::Tensor t, Change change) {
  if (change.conjugate) t = t.conj();
  return change.negate ? t._neg_view() : t;
}

bool dense(const at::Tensor& t) { return t.is_non_overlapping_and_dense(); }

bool same_layout(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && a.strides() == b.strides() && dense(a);
}

// pre: t is dense.
at::Tensor host_like(const at::Tensor& t) {
  return at::empty_strided(t.sizes(), t.strides(), t.options().device(at::kCPU));
}

void copy_through_host(const at::Tensor& dst, const at::Tensor& src);

// pre: same device, no bits.
void copy_on_device(const at::Tensor& dst, const at::Tensor& src) {
  if (same_layout(dst, src)) {
    const DeviceSwitch on_device(dst.device().index());
    acl::check(acl::memcpy_async(dst.mutable_data_ptr(), dst.nbytes(), src.const_data_ptr(), dst.nbytes(),
                                 ACL_MEMCPY_DEVICE_TO_DEVICE, current_stream_handle(dst.device().index())),
               "aclrtMemcpyAsync");
    return;
  }
  try {
    launch(inplace_copy, dst, src);
  } catch (const Refusal& refusal) {  // more than 8 dimensions, or a dtype that CANN does not know
    events::record(events::Kind::Contiguous, "copy_ through the host",
                   {.reason = refusal.what(), .operands = events::operands_of({dst, src}), .op_name = {}},
                   dst.nbytes());
    const events::Cause cause("copy_ through the host");
    copy_through_host(dst, src);
  }
}

void negate_on_device(const at::Tensor& t) {
  try {
    launch(inplace_neg, t);
  } catch (const Refusal&) {
    t.neg_();
  }
}

void apply_on_device(const at::Tensor& dst, Change change) {
  if (change.conjugate) negate_on_device(at::view_as_real(dst).select(-1, 1));
  if (change.negate) negate_on_device(dst);
}

// The bytes that a tensor's elements span, as a one-dimensional tensor.
at::Tensor span_of(const at::Tensor& t) {
  int64_t last = 0;
  for (int64_t d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
  return t.as_strided({last + 1}, {1});
}

// The same view on a copy of the span in host memory.
at::Tensor on_host(const at::Tensor& t) {
  const at::Tensor span = span_of(t);
  const at::Tensor copied = at::empty_strided({span.numel()}, {1}, t.options().device(at::kCPU));
  transfer::to_host(copied, span, span.nbytes(), /*non_blocking=*/false);
  return copied.as_strided(t.sizes(), t.strides(), 0);
}

void copy_through_host(const at::Tensor& dst, const at::Tensor& src) {
  const at::Tensor host = on_host(dst);
  host.copy_(on_host(src));
  const at::Tensor span = span_of(dst);
  transfer::to_device(span, host.as_strided({span.numel()}, {1}), span.nbytes(), /*non_blocking=*/false);
}

void host_to_device(const at::Tensor& dst, const at::Tensor& src, Change change, bool non_blocking) {
  const at::Tensor target = dense(dst) ? dst : empty(dst.sizes(), dst.scalar_type(), dst.device());
  at::Tensor host = src;
  if (change.any() || !same_layout(target, src)) {
    host = host_like(target);
    host.copy_(apply_on_host(src, change));
  }
  transfer::to_device(target, host, target.nbytes(), non_blocking);
  if (!target.is_same(dst)) copy_on_device(dst, target);
}

void device_to_host(const at::Tensor& dst, const at::Tensor& src, Change change, bool non_blocking) {
  at::Tensor source = src;
  if (!dense(src)) {
    source = empty(src.sizes(), src.scalar_type(), src.device());
    copy_on_device(source, src);
  }
  if (!change.any() && same_layout(dst, source)) {
    transfer::to_host(dst, source, source.nbytes(), non_blocking);
    return;
  }
  const at::Tensor host = host_like(source);
  transfer::to_host(host, source, source.nbytes(), /*non_blocking=*/false);
  dst.copy_(apply_on_host(host, change));
}

void device_to_device(const at::Tensor& dst, const at::Tensor& src, Change change) {
  if (dst.device() == src.device()) {
    copy_on_device(dst, src);
    apply_on_device(dst, change);
    return;
  }
  // Layout and dtype are settled on src's side, so that the fewest bytes travel.
  const at::Tensor target = dense(dst) ? dst : empty(dst.sizes(), dst.scalar_type(), dst.device());
  at::Tensor source = src;
  if (change.any() || !same_layout(target, src)) {
    source = empty_strided(target.sizes(), target.strides(), target.scalar_type(), src.device());
    copy_on_device(source, src.expand(target.sizes()));
    apply_on_device(source, change);
  }
  transfer::across(target, source, target.nbytes());
  if (!target.is_same(dst)) copy_on_device(dst, target);
}

void check_broadcast(const at::Tensor& dst, const at::Tensor& src) {
  if (dst.sizes() == src.sizes()) [[likely]]
    return;
  const auto common = at::infer_size_dimvector(dst.sizes(), src.sizes());
  TORCH_CHECK(at::IntArrayRef(common) == dst.sizes(), "output with shape ", dst.sizes(),
              " doesn't match the broadcast shape ", at::IntArrayRef(common));
}

}  // namespace

void copy_into(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  check_broadcast(dst, src);
  if (dst.numel() == 0) return;
  at::assert_no_internal_overlap(dst);
  if (dst.is_alias_of(src)) at::assert_no_partial_overlap(dst, src);
  const at::Tensor to = physical(dst);
  const at::Tensor from = physical(src);
  const Change change{dst.is_conj() != src.is_conj() && to.is_complex() && from.is_complex(),
                      dst.is_neg() != src.is_neg()};
  if (!from.is_privateuseone()) {
    host_to_device(to, from.is_cpu() ? from : from.cpu(), change, non_blocking);
  } else if (!to.is_privateuseone()) {
    device_to_host(to, from, change, non_blocking);
  } else {
    device_to_device(to, to.sizes() == from.sizes() ? from : from.expand(to.sizes()), change);
  }
}

namespace {

at::Tensor& copy_(at::Tensor& self, const at::Tensor& src, bool non_blocking) {
  if (self.is_same(src)) return self;
  if (src._is_zerotensor()) return self.zero_();
  copy_into(self, src, non_blocking);
  return self;
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& dst, bool non_blocking) {
  copy_into(dst, self, non_blocking);
  return dst;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& dst) {
  if (dst.sizes() != self.sizes()) dst.resize_(self.sizes());
  copy_into(dst, self, /*non_blocking=*/false);
  return dst;
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  TORCH_CHECK(self.numel() > 0, "_local_scalar_dense: Empty tensor not supported");
  alignas(16) char bytes[16];
  transfer::read(bytes, self.const_data_ptr(), self.element_size(), self.device().index(), "item");
  return AT_DISPATCH_V2(self.scalar_type(), "_local_scalar_dense",
                        AT_WRAP([&] { return at::Scalar(*reinterpret_cast<const scalar_t*>(bytes)); }),
                        AT_EXPAND(AT_ALL_TYPES_AND_COMPLEX), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES), at::kHalf,
                        at::kBFloat16, at::kBool, at::kComplexHalf);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("copy_", &copy_);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("_local_scalar_dense", &local_scalar_dense);
}

// Both honour the bits themselves.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}

}  // namespace torch_npu
