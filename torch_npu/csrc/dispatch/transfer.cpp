// Copies of plain bytes. A host-to-device copy from ordinary memory is staged through pinned memory while the device is
// busy, so that `torch.tensor(..., device="npu")` in a loop does not drain the stream.
#include "torch_npu/csrc/dispatch/transfer.h"

#include <cstring>

#include "torch_npu/csrc/device/event.h"
#include "torch_npu/csrc/device/host_memory.h"
#include "torch_npu/csrc/device/stream.h"
#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/dispatch/ascend.h"
#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu::transfer {
namespace {

// Beyond it a second copy in host memory costs more than the wait it saves.
constexpr size_t kMaxStagedBytes = size_t{1} << 20;

void enqueue(void* dst, const void* src, size_t bytes, aclrtMemcpyKind kind, aclrtStream stream) {
  acl::check(acl::memcpy_async(dst, bytes, src, bytes, kind, stream), "aclrtMemcpyAsync");
}

void copy_now(void* dst, const void* src, size_t bytes, aclrtMemcpyKind kind) {
  acl::check(acl::memcpy(dst, bytes, src, bytes, kind), "aclrtMemcpy");
}

const char* cause_or(const char* reason) {
  const char* cause = events::Cause::current();
  return cause != nullptr ? cause : reason;
}

// Waits even if the stream is idle: what failed on it earlier is raised here.
void wait(aclrtStream stream, const char* reason, size_t bytes, events::Detail detail = {}) {
  events::Occurrence waiting(events::Kind::Sync, cause_or(reason), std::move(detail));
  waiting.add_bytes(bytes);
  stream::synchronize(stream);
}

// Copies on account of something else (a fallback) are part of that event.
void count_copy(const char* how, const at::Tensor& tensor, size_t bytes) {
  if (events::Cause::current() != nullptr) return;
  events::record(events::Kind::Copy, how, {.reason = {}, .operands = events::operands_of(tensor), .op_name = {}},
                 bytes);
}

}  // namespace

void wait(c10::DeviceIndex device, const char* reason) { wait(stream::current_handle(device), reason, 0); }

void to_device(const at::Tensor& device, const at::Tensor& host, size_t bytes, bool non_blocking) {
  if (bytes == 0) return;
  const auto index = device.device().index();
  const aclrtStream stream = stream::current_handle(index);
  void* const dst = device.mutable_data_ptr();
  const void* const src = host.const_data_ptr();
  // Here a copy from ordinary memory waits only where it must; CANN waits for the stream each time.
  const bool pinned = host_memory::is_pinned(src);
  count_copy(pinned && non_blocking ? "to device, asynchronous"
             : non_blocking         ? "to device, non_blocking from memory that is not pinned"
                                    : "to device",
             host, bytes);
  if (host.scalar_type() == at::kDouble && events::Cause::current() == nullptr)  // where most float64 comes from
    events::record(events::Kind::Float64, "copy to device", {.reason = "float64", .operands = {}, .op_name = {}},
                   bytes);
  if (!non_blocking && ascend::is_imitated()) {
    wait(stream, "copy to device", bytes);  // an Ascend's blocking copy waits for the stream first
    copy_now(dst, src, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  } else if (stream::query(stream)) {
    copy_now(dst, src, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  } else if (pinned) {
    enqueue(dst, src, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    host_memory::record(host.storage().data_ptr(), stream::current(index));
    if (!non_blocking) wait(stream, "copy to device", bytes);
  } else if (bytes <= kMaxStagedBytes) {
    const c10::DataPtr staged = host_memory::allocator()->allocate(bytes);
    std::memcpy(staged.get(), src, bytes);
    enqueue(dst, staged.get(), bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    host_memory::record(staged, stream::current(index));
  } else {
    wait(stream, "copy to device", bytes);
    copy_now(dst, src, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  }
}

void to_host(const at::Tensor& host, const at::Tensor& device, size_t bytes, bool non_blocking) {
  if (bytes == 0) return;
  const auto index = device.device().index();
  const aclrtStream stream = stream::current_handle(index);
  void* const dst = host.mutable_data_ptr();
  const void* const src = device.const_data_ptr();
  const bool asynchronous = non_blocking && host_memory::is_pinned(dst);
  count_copy(asynchronous ? "to host, asynchronous" : "to host", host, bytes);
  if (asynchronous) {
    enqueue(dst, src, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    host_memory::record(host.storage().data_ptr(), stream::current(index));
    return;
  }
  wait(stream, "copy to host", bytes,
       {.reason = non_blocking ? "non_blocking needs pinned memory to copy to" : "",
        .operands = events::operands_of(host),
        .op_name = {}});
  copy_now(dst, src, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
}

void across(const at::Tensor& dst, const at::Tensor& src, size_t bytes) {
  if (bytes == 0) return;
  const aclrtStream dst_stream = stream::current_handle(dst.device().index());
  event::Event dst_ready;
  dst_ready.record(dst_stream);
  const aclrtStream src_stream = stream::current_handle(src.device().index());
  dst_ready.block(src_stream);
  enqueue(dst.mutable_data_ptr(), src.const_data_ptr(), bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, src_stream);
  event::Event copied;
  copied.record(src_stream);
  device::bind(dst.device().index());
  copied.block(dst_stream);
}

void read(void* host, const void* device, size_t bytes, c10::DeviceIndex index, const char* reason) {
  const aclrtStream stream = stream::current_handle(index);
  wait(stream, reason, bytes);
  copy_now(host, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
}

}  // namespace torch_npu::transfer
