// Device and host memory, copies, fills.
#include <optional>

#include "acl/acl.h"
#include "cann/capi/acl/guarded.h"
#include "cann/runtime/copy.h"
#include "cann/runtime/runtime.h"
#include "cann/trace/trace.h"

using namespace cann;
using capi::guarded;
using capi::not_supported;

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  return guarded("aclrtMalloc", [&]() -> Status {
    CANN_REQUIRE(devPtr);
    *devPtr = nullptr;
    if (size == 0) return {error::kInvalidParam, "size is 0"};
    ASSIGN_OR_RETURN(Device * device, Runtime::get().current_device());
    ASSIGN_OR_RETURN(*devPtr, device->memory.allocate(size));
    return {};
  });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return aclrtMalloc(devPtr, size, policy);
}
aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return aclrtMalloc(devPtr, size, policy);
}
aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig*) {
  return aclrtMalloc(devPtr, size, policy);
}

// Waits for the device's work: a Task that is under way may use the memory.
aclError aclrtFree(void* devPtr) {
  return guarded("aclrtFree", [&]() -> Status {
    if (Runtime::forked()) return {};  // the memory is the parent's; locks that its threads held would never open
    CANN_REQUIRE(devPtr);
    Device* device = Runtime::get().owner(devPtr);
    if (!device) return {error::kInvalidParam, "this address is no device memory"};
    RETURN_IF_ERROR(device->drain());
    return device->memory.release(devPtr);
  });
}

aclError aclrtFreeWithDevSync(void* devPtr) { return aclrtFree(devPtr); }

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return guarded("aclrtMallocHost", [&]() -> Status {
    CANN_REQUIRE(hostPtr);
    *hostPtr = nullptr;
    if (size == 0) return {error::kInvalidParam, "size is 0"};
    if (Runtime::forked()) return Runtime::fork_error("allocate pinned memory");
    ASSIGN_OR_RETURN(*hostPtr, Runtime::get().host_memory.allocate(size));
    return {};
  });
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig*) { return aclrtMallocHost(ptr, size); }

aclError aclrtFreeHost(void* hostPtr) {
  return guarded("aclrtFreeHost", [&]() -> Status {
    if (Runtime::forked()) return {};
    CANN_REQUIRE(hostPtr);
    for (Device* device : Runtime::get().devices()) RETURN_IF_ERROR(device->drain());
    return Runtime::get().host_memory.release(hostPtr);
  });
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) { return aclrtFreeHost(hostPtr); }

// One coherent memory.
aclError aclrtMemFlush(void*, size_t) { return ACL_SUCCESS; }
aclError aclrtMemInvalidate(void*, size_t) { return ACL_SUCCESS; }

aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free, size_t* total) {
  return guarded("aclrtGetMemInfo", [&]() -> Status {
    CANN_REQUIRE(free);
    CANN_REQUIRE(total);
    ASSIGN_OR_RETURN(Device * device, Runtime::get().current_device());
    *total = device->memory.budget_bytes();
    *free = *total - std::min(*total, device->memory.used_bytes());
    return {};
  });
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return guarded("aclrtPointerGetAttributes", [&]() -> Status {
    CANN_REQUIRE(ptr);
    CANN_REQUIRE(attributes);
    *attributes = {};
    if (Device* device = Runtime::get().owner(ptr))
      attributes->location = {static_cast<uint32_t>(device->id()), ACL_MEM_LOCATION_TYPE_DEVICE};
    else if (Runtime::get().host_memory.owns(ptr))
      attributes->location = {0, ACL_MEM_LOCATION_TYPE_HOST};
    else
      attributes->location = {0, ACL_MEM_LOCATION_TYPE_UNREGISTERED};
    attributes->pageSize = 4096;
    return {};
  });
}

aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  return guarded("aclrtMemGetAddressRange", [&]() -> Status {
    Device* device = Runtime::get().owner(ptr);
    const Block block = device ? device->memory.find(ptr) : Block();
    if (!block.address) return {error::kInvalidParam, "this address lies in no device allocation"};
    if (pbase) *pbase = block.address;
    if (psize) *psize = block.bytes;
    return {};
  });
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType, void** devPtr) {
  return guarded("aclrtHostRegister", [&]() -> Status {
    CANN_REQUIRE(ptr);
    RETURN_IF_ERROR(Runtime::get().host_memory.add(ptr, size));
    if (devPtr) *devPtr = ptr;
    return {};
  });
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t) {
  return aclrtHostRegister(ptr, size, ACL_HOST_REGISTER_MAPPED, nullptr);
}

aclError aclrtHostUnregister(void* ptr) {
  return guarded("aclrtHostUnregister", [&]() -> Status {
    if (Runtime::forked()) return {};
    return Runtime::get().host_memory.remove(ptr);
  });
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t) {
  return guarded("aclrtHostGetDevicePointer", [&]() -> Status {
    CANN_REQUIRE(pDevice);
    if (!Runtime::get().host_memory.owns(pHost))
      return {error::kInvalidParam, "this host memory is neither pinned nor registered"};
    *pDevice = pHost;
    return {};
  });
}

// ---- copies ----------------------------------------------------------------------------------------------

namespace {

// A copy or fill in no stream's order; the trace shows it on stream 0.
class Immediate {
 public:
  Immediate(const char* api, const char* task, const Device& device) : call_(api) {
    if (trace::on()) [[unlikely]]
      span_.emplace(task, device.id(), 0, trace::launch_now());
  }

 private:
  trace::Call call_;
  std::optional<trace::Span> span_;
};

// pre: a device is set. Copies at once, in no stream's order.
aclError copy(const char* name, const Copy& what, size_t dst_max, aclrtMemcpyKind kind) noexcept {
  return guarded(name, [&]() -> Status {
    Runtime& runtime = Runtime::get();
    ASSIGN_OR_RETURN(Device * device, runtime.current_device());
    RETURN_IF_ERROR(check_copy(runtime, "copy", what, dst_max, static_cast<CopyKind>(kind)));
    Immediate immediate(name, copy_name(runtime, what), *device);
    if (what.bytes) copy_now(runtime.team(), what);
    return {};
  });
}

aclError copy_async(const char* name, const Copy& what, size_t dst_max, aclrtMemcpyKind kind,
                    aclrtStream stream) noexcept {
  return guarded(name, [&]() -> Status {
    Runtime& runtime = Runtime::get();
    ASSIGN_OR_RETURN(Stream * s, runtime.stream(stream));
    RETURN_IF_ERROR(check_copy(runtime, "copy", what, dst_max, static_cast<CopyKind>(kind)));
    trace::Call call(name);
    return copy_on(runtime, *s, what);
  });
}

aclError fill(const char* name, void* dst, size_t dst_max, uint32_t pattern, size_t bytes) noexcept {
  return guarded(name, [&]() -> Status {
    Runtime& runtime = Runtime::get();
    ASSIGN_OR_RETURN(Device * device, runtime.current_device());
    RETURN_IF_ERROR(check_fill(runtime, "fill", dst, dst_max, bytes));
    Immediate immediate(name, "fill", *device);
    if (bytes) fill_now(runtime.team(), dst, pattern, bytes);
    return {};
  });
}

aclError fill_async(const char* name, void* dst, size_t dst_max, uint32_t pattern, size_t bytes,
                    aclrtStream stream) noexcept {
  return guarded(name, [&]() -> Status {
    Runtime& runtime = Runtime::get();
    ASSIGN_OR_RETURN(Stream * s, runtime.stream(stream));
    RETURN_IF_ERROR(check_fill(runtime, "fill", dst, dst_max, bytes));
    trace::Call call(name);
    return fill_on(*s, dst, pattern, bytes);
  });
}

uint32_t four_times(int32_t value) { return (static_cast<uint32_t>(value) & 0xFF) * 0x01010101u; }

}  // namespace

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  return copy("aclrtMemcpy", {dst, src, count}, destMax, kind);
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  return copy_async("aclrtMemcpyAsync", {dst, src, count}, destMax, kind, stream);
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream) {
  return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  return copy("aclrtMemcpy2d", {dst, src, width, height, dpitch, spitch}, dpitch, kind);
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
  return copy_async("aclrtMemcpy2dAsync", {dst, src, width, height, dpitch, spitch}, dpitch, kind, stream);
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return fill("aclrtMemset", devPtr, maxCount, four_times(value), count);
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  return fill_async("aclrtMemsetAsync", devPtr, maxCount, four_times(value), count, stream);
}

aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
  return fill("aclrtMemsetD32", ptr, memSize, value, N * 4);
}

aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream) {
  return fill_async("aclrtMemsetD32Async", ptr, memSize, value, N * 4, stream);
}

// ---- between processes: nothing behind it ------------------------------------------------------------

aclError aclrtIpcMemGetExportKey(void*, size_t, char*, size_t, uint64_t) {
  return not_supported("aclrtIpcMemGetExportKey");
}
aclError aclrtIpcMemImportByKey(void**, const char*, uint64_t) { return not_supported("aclrtIpcMemImportByKey"); }
aclError aclrtIpcMemClose(const char*) { return not_supported("aclrtIpcMemClose"); }
aclError aclrtIpcMemSetImportPid(const char*, int32_t*, size_t) { return not_supported("aclrtIpcMemSetImportPid"); }
