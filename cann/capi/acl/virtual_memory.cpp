// Reserved addresses and physical memory mapped into them (what expandable segments are made of).
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "acl/acl.h"
#include "cann/capi/acl/guarded.h"
#include "cann/runtime/runtime.h"

using namespace cann;
using capi::guarded;
using capi::not_supported;

namespace {

constexpr size_t kGranularity = DeviceMemory::kHugePage;

// Behind an aclrtDrvMemHandle: a file without a name, whose pages count in a device's budget.
struct Physical {
  int file;
  size_t bytes;
  Device* device;
};

// What was reserved and what is mapped: address to bytes.
struct Ranges {
  std::mutex mutex;
  std::map<void*, size_t> reserved, mapped;
};

Ranges& ranges() {
  static Ranges* const value = new Ranges;
  return *value;
}

constexpr int kForbidden = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t, void*, uint64_t) {
  return guarded("aclrtReserveMemAddress", [&]() -> Status {
    CANN_REQUIRE(virPtr);
    void* address = mmap(nullptr, size, PROT_NONE, kForbidden, -1, 0);
    if (address == MAP_FAILED)
      return {error::kMemoryAllocation, "no room for " + std::to_string(size) + " bytes of addresses"};
    std::lock_guard lock(ranges().mutex);
    ranges().reserved[*virPtr = address] = size;
    return {};
  });
}

aclError aclrtReleaseMemAddress(void* virPtr) {
  return guarded("aclrtReleaseMemAddress", [&]() -> Status {
    if (Runtime::forked()) return {};
    std::lock_guard lock(ranges().mutex);
    auto range = ranges().reserved.find(virPtr);
    if (range == ranges().reserved.end()) return {error::kInvalidParam, "this address was not reserved"};
    munmap(virPtr, range->second);
    ranges().reserved.erase(range);
    return {};
  });
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t) {
  return guarded("aclrtMallocPhysical", [&]() -> Status {
    CANN_REQUIRE(handle);
    CANN_REQUIRE(prop);
    if (size == 0 || size % kGranularity)
      return {error::kInvalidParam,
              std::to_string(size) + " bytes: needs a multiple of " + std::to_string(kGranularity)};
    ASSIGN_OR_RETURN(Device * device, Runtime::get().device(static_cast<int>(prop->location.id)));
    RETURN_IF_ERROR(device->memory.charge(size));
    const int file = memfd_create("npu memory", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) {
      if (file >= 0) close(file);
      device->memory.discharge(size);
      return {error::kMemoryAllocation, "the system has no " + std::to_string(size) + " bytes"};
    }
    *handle = new Physical{file, size, device};
    return {};
  });
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return guarded("aclrtFreePhysical", [&]() -> Status {
    if (Runtime::forked()) return {};
    CANN_REQUIRE(handle);
    auto* physical = static_cast<Physical*>(handle);
    close(physical->file);
    physical->device->memory.discharge(physical->bytes);
    delete physical;
    return {};
  });
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t) {
  return guarded("aclrtMapMem", [&]() -> Status {
    CANN_REQUIRE(virPtr);
    CANN_REQUIRE(handle);
    const auto* physical = static_cast<const Physical*>(handle);
    if (offset > physical->bytes || size > physical->bytes - offset)
      return {error::kInvalidParam, "offset " + std::to_string(offset) + " and " + std::to_string(size) +
                                        " bytes leave the memory's " + std::to_string(physical->bytes)};
    std::lock_guard lock(ranges().mutex);
    auto after = ranges().reserved.upper_bound(virPtr);
    if (after == ranges().reserved.begin()) return {error::kInvalidParam, "this address was not reserved"};
    const auto& [begin, bytes] = *std::prev(after);
    if (static_cast<std::byte*>(virPtr) + size > static_cast<std::byte*>(begin) + bytes)
      return {error::kInvalidParam, "the mapping leaves the reserved addresses"};
    if (mmap(virPtr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->file,
             static_cast<off_t>(offset)) == MAP_FAILED)
      return {error::kMemoryAllocation, "the system refuses the mapping"};
    ranges().mapped[virPtr] = size;
    physical->device->memory.add_mapping({static_cast<std::byte*>(virPtr), size});
    return {};
  });
}

aclError aclrtUnmapMem(void* virPtr) {
  return guarded("aclrtUnmapMem", [&]() -> Status {
    if (Runtime::forked()) return {};
    std::lock_guard lock(ranges().mutex);
    auto range = ranges().mapped.find(virPtr);
    if (range == ranges().mapped.end()) return {error::kInvalidParam, "nothing is mapped at this address"};
    if (Device* device = Runtime::get().owner(virPtr)) {
      RETURN_IF_ERROR(device->drain());
      device->memory.remove_mapping(virPtr);
    }
    mmap(virPtr, range->second, PROT_NONE, kForbidden | MAP_FIXED, -1, 0);
    ranges().mapped.erase(range);
    return {};
  });
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp*, aclrtMemGranularityOptions, size_t* granularity) {
  return guarded("aclrtMemGetAllocationGranularity", [&]() -> Status {
    CANN_REQUIRE(granularity);
    *granularity = kGranularity;
    return {};
  });
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle, aclrtMemHandleType, uint64_t, uint64_t*) {
  return not_supported("aclrtMemExportToShareableHandle");
}
aclError aclrtMemImportFromShareableHandle(uint64_t, int32_t, aclrtDrvMemHandle*) {
  return not_supported("aclrtMemImportFromShareableHandle");
}
aclError aclrtMemSetPidToShareableHandle(uint64_t, int32_t*, size_t) {
  return not_supported("aclrtMemSetPidToShareableHandle");
}
