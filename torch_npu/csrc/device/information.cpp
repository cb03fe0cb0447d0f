// Questions to CANN that only Python asks.
#include "torch_npu/csrc/device/information.h"

#include <mutex>
#include <unordered_map>

#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu::information {
namespace {

struct Kept {
  std::mutex mutex;
  std::unordered_map<uintptr_t, c10::DataPtr> by_address;
};

Kept& kept() {
  static auto& instance = *new Kept();
  return instance;
}

int64_t attribute(c10::DeviceIndex device, aclrtDevAttr attribute) {
  int64_t value = 0;
  const auto query = acl::device_info.try_get();
  return query != nullptr && query(static_cast<uint32_t>(device), attribute, &value) == ACL_SUCCESS ? value : 0;
}

}  // namespace

std::string soc_name() {
  device::bind(device::current());
  const char* name = acl::soc_name();
  return name != nullptr ? name : "unknown";
}

std::string runtime_version() {
  int32_t major = 0;
  int32_t minor = 0;
  int32_t patch = 0;
  acl::check(acl::version(&major, &minor, &patch), "aclrtGetVersion");
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::pair<int64_t, int64_t> core_counts(c10::DeviceIndex device) {
  device = device::resolve(device);
  return {attribute(device, ACL_DEV_ATTR_CUBE_CORE_NUM), attribute(device, ACL_DEV_ATTR_VECTOR_CORE_NUM)};
}

bool can_access_peer(int device, int peer) {
  int32_t can = 0;
  acl::check(acl::can_access_peer(&can, device::resolve(static_cast<c10::DeviceIndex>(device)),
                                  device::resolve(static_cast<c10::DeviceIndex>(peer))),
             "aclrtDeviceCanAccessPeer");
  return can != 0;
}

double elapsed_time(uintptr_t start, uintptr_t end) {
  TORCH_CHECK(start != 0 && end != 0, "Both events must be recorded before calculating elapsed time.");
  float milliseconds = 0;
  acl::check(
      acl::event_elapsed_time(&milliseconds, reinterpret_cast<aclrtEvent>(start), reinterpret_cast<aclrtEvent>(end)),
      "aclrtEventElapsedTime");
  return milliseconds;
}

void keep(c10::DataPtr data) {
  std::lock_guard lock(kept().mutex);
  const auto address = reinterpret_cast<uintptr_t>(data.get());
  if (address != 0) kept().by_address.insert_or_assign(address, std::move(data));
}

void release(uintptr_t address) {
  std::lock_guard lock(kept().mutex);
  TORCH_CHECK(kept().by_address.erase(address) == 1 || address == 0,
              "caching_allocator_delete: ", reinterpret_cast<void*>(address),
              " was not given out by caching_allocator_alloc");
}

}  // namespace torch_npu::information
