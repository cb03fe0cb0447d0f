// Devices and contexts.
#include <unistd.h>

#include <atomic>
#include <vector>

#include "acl/acl.h"
#include "cann/capi/acl/guarded.h"
#include "cann/runtime/runtime.h"

using namespace cann;
using capi::guarded;
using capi::not_supported;

namespace {

// Settings that a real device obeys and an embedded one only remembers: its arithmetic is IEEE's, deterministic, never
// timed out.
std::atomic<int> g_saturation_mode{ACL_RT_OVERFLOW_MODE_INFNAN};
std::atomic<int64_t> g_system_options[8];
std::atomic<uint32_t> g_op_timeout_ms{0};

Status get_option(aclSysParamOpt opt, int64_t* value) {
  CANN_REQUIRE(value);
  if (static_cast<unsigned>(opt) >= std::size(g_system_options)) return {error::kInvalidParam, "unknown option"};
  *value = g_system_options[opt].load();
  return {};
}

Status set_option(aclSysParamOpt opt, int64_t value) {
  if (static_cast<unsigned>(opt) >= std::size(g_system_options)) return {error::kInvalidParam, "unknown option"};
  g_system_options[opt].store(value);
  return {};
}

Status check_device(int32_t device) {
  Result<Device*> found = Runtime::get().device(device);
  return found.ok() ? Status() : std::move(found.status());
}

}  // namespace

aclError aclrtSetDevice(int32_t deviceId) {
  return guarded("aclrtSetDevice", [&] { return Runtime::get().set_device(deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return guarded("aclrtResetDevice", [&] { return Runtime::get().reset_device(deviceId, false); });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return guarded("aclrtResetDeviceForce", [&] { return Runtime::get().reset_device(deviceId, true); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return guarded("aclrtGetDevice", [&]() -> Status {
    CANN_REQUIRE(deviceId);
    ASSIGN_OR_RETURN(Device * device, Runtime::get().current_device());
    *deviceId = device->id();
    return {};
  });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  return guarded("aclrtGetDeviceCount", [&]() -> Status {
    CANN_REQUIRE(count);
    Runtime& runtime = Runtime::get();
    if (!runtime.options_status().ok()) return {runtime.options_status().code(), runtime.options_status().message()};
    *count = static_cast<uint32_t>(runtime.device_count());
    return {};
  });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return guarded("aclrtGetRunMode", [&]() -> Status {
    CANN_REQUIRE(runMode);
    *runMode = ACL_HOST;
    return {};
  });
}

aclError aclrtSynchronizeDevice() { return aclrtSynchronizeDeviceWithTimeout(-1); }

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return guarded("aclrtSynchronizeDevice", [&]() -> Status {
    ASSIGN_OR_RETURN(Device * device, Runtime::get().current_device());
    return device->synchronize(deadline_after_ms(timeout));
  });
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return guarded("aclrtQueryDeviceStatus", [&]() -> Status {
    CANN_REQUIRE(deviceStatus);
    RETURN_IF_ERROR(check_device(deviceId));
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return {};
  });
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return guarded("aclrtGetDeviceInfo", [&]() -> Status {
    CANN_REQUIRE(value);
    ASSIGN_OR_RETURN(Device * device, Runtime::get().device(static_cast<int>(deviceId)));
    switch (attr) {
      case ACL_DEV_ATTR_AICORE_CORE_NUM:
      case ACL_DEV_ATTR_CUBE_CORE_NUM:
      case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      case ACL_DEV_ATTR_AICPU_CORE_NUM: *value = Runtime::get().team().threads(); return {};
      case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: *value = static_cast<int64_t>(device->memory.budget_bytes()); return {};
      case ACL_DEV_ATTR_PHY_CHIP_ID: *value = device->physical_id(); return {};
      case ACL_DEV_ATTR_IS_VIRTUAL: *value = 1; return {};
      default:
        return {error::kFeatureNotSupport,
                "attribute " + std::to_string(attr) + " has no meaning on an embedded device"};
    }
  });
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return guarded("aclGetDeviceCapability", [&]() -> Status {
    CANN_REQUIRE(value);
    RETURN_IF_ERROR(check_device(static_cast<int32_t>(deviceId)));
    if (deviceInfo == ACL_DEVICE_INFO_AI_CORE_NUM || deviceInfo == ACL_DEVICE_INFO_VECTOR_CORE_NUM)
      *value = Runtime::get().team().threads();
    else if (deviceInfo == ACL_DEVICE_INFO_L2_SIZE)
      *value = sysconf(_SC_LEVEL2_CACHE_SIZE);
    else
      return {error::kInvalidParam, "unknown kind of information"};
    return {};
  });
}

aclError aclrtGetDeviceCapability(int32_t deviceId, int32_t, int32_t* value) {
  return guarded("aclrtGetDeviceCapability", [&]() -> Status {
    CANN_REQUIRE(value);
    RETURN_IF_ERROR(check_device(deviceId));
    *value = 0;  // ACL_DEV_FEATURE_NOT_SUPPORT
    return {};
  });
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
  return guarded("aclrtGetDeviceUtilizationRate", [&]() -> Status {
    CANN_REQUIRE(utilizationInfo);
    ASSIGN_OR_RETURN(Device * device, Runtime::get().device(deviceId));
    const auto& memory = device->memory;
    *utilizationInfo = {};
    utilizationInfo->memoryUtilization =
        static_cast<int32_t>(100 * memory.used_bytes() / std::max<size_t>(memory.budget_bytes(), 1));
    for (Stream* stream : device->streams())
      if (!stream->idle()) utilizationInfo->cubeUtilization = utilizationInfo->vectorUtilization = 100;
    return {};
  });
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return guarded("aclrtDeviceGetStreamPriorityRange", [&]() -> Status {
    if (leastPriority) *leastPriority = 7;
    if (greatestPriority) *greatestPriority = 0;
    return {};
  });
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  return guarded("aclrtDeviceGetBareTgid", [&]() -> Status {
    CANN_REQUIRE(pid);
    *pid = getpid();
    return {};
  });
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  g_saturation_mode = mode;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  return guarded("aclrtGetDeviceSatMode", [&]() -> Status {
    CANN_REQUIRE(mode);
    *mode = static_cast<aclrtFloatOverflowMode>(g_saturation_mode.load());
    return {};
  });
}

// All embedded devices live in one address space.
aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return guarded("aclrtDeviceCanAccessPeer", [&]() -> Status {
    CANN_REQUIRE(canAccessPeer);
    RETURN_IF_ERROR(check_device(deviceId));
    RETURN_IF_ERROR(check_device(peerDeviceId));
    *canAccessPeer = deviceId != peerDeviceId;
    return {};
  });
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t) {
  return guarded("aclrtDeviceEnablePeerAccess", [&] { return check_device(peerDeviceId); });
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return guarded("aclrtDeviceDisablePeerAccess", [&] { return check_device(peerDeviceId); });
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
  return aclrtDeviceCanAccessPeer(status, deviceId, peerDeviceId);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t* phyDevId) {
  return guarded("aclrtGetPhyDevIdByLogicDevId", [&]() -> Status {
    CANN_REQUIRE(phyDevId);
    ASSIGN_OR_RETURN(Device * device, Runtime::get().device(logicDevId));
    *phyDevId = device->physical_id();
    return {};
  });
}

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t* logicDevId) {
  return guarded("aclrtGetLogicDevIdByPhyDevId", [&]() -> Status {
    CANN_REQUIRE(logicDevId);
    for (Device* device : Runtime::get().devices()) {
      if (device->physical_id() != phyDevId) continue;
      *logicDevId = device->id();
      return {};
    }
    return {error::kInvalidDevice, "no visible device is physical device " + std::to_string(phyDevId)};
  });
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return guarded("aclrtGetPrimaryCtxState", [&]() -> Status {
    CANN_REQUIRE(active);
    ASSIGN_OR_RETURN(Device * device, Runtime::get().device(deviceId));
    if (flags) *flags = 0;
    *active = device->users.load() > 0;
    return {};
  });
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) { return aclrtSetOpExecuteTimeOutWithMs(timeout * 1000); }

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  g_op_timeout_ms = static_cast<uint32_t>(timeout / 1000);  // given in microseconds
  if (actualTimeout) *actualTimeout = timeout;
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) {
  g_op_timeout_ms = timeout;
  return ACL_SUCCESS;
}

aclError aclrtGetOpExecuteTimeout(uint32_t* timeoutMs) {
  return guarded("aclrtGetOpExecuteTimeout", [&]() -> Status {
    CANN_REQUIRE(timeoutMs);
    *timeoutMs = g_op_timeout_ms;
    return {};
  });
}

aclError aclrtGetOpTimeOutInterval(uint64_t* interval) {
  return guarded("aclrtGetOpTimeOutInterval", [&]() -> Status {
    CANN_REQUIRE(interval);
    *interval = 1000;
    return {};
  });
}

aclError aclrtSetOpWaitTimeout(uint32_t) { return ACL_SUCCESS; }

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return guarded("aclrtSetSysParamOpt", [&] { return set_option(opt, value); });
}
aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return guarded("aclrtGetSysParamOpt", [&] { return get_option(opt, value); });
}
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return guarded("aclrtCtxSetSysParamOpt", [&] { return set_option(opt, value); });
}
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return guarded("aclrtCtxGetSysParamOpt", [&] { return get_option(opt, value); });
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType, uint32_t* value) {
  return guarded("aclrtGetDeviceResLimit", [&]() -> Status {
    CANN_REQUIRE(value);
    RETURN_IF_ERROR(check_device(deviceId));
    *value = static_cast<uint32_t>(Runtime::get().team().threads());
    return {};
  });
}
aclError aclrtSetDeviceResLimit(int32_t, aclrtDevResLimitType, uint32_t) {
  return not_supported("aclrtSetDeviceResLimit");
}
aclError aclrtResetDeviceResLimit(int32_t) { return ACL_SUCCESS; }

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return guarded("aclrtCreateContext", [&]() -> Status {
    CANN_REQUIRE(context);
    ASSIGN_OR_RETURN(*context, Runtime::get().create_context(deviceId));
    return {};
  });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return guarded("aclrtDestroyContext", [&] { return Runtime::get().destroy_context(static_cast<Context*>(context)); });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return guarded("aclrtSetCurrentContext", [&] { return Runtime::get().set_current(static_cast<Context*>(context)); });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return guarded("aclrtGetCurrentContext", [&]() -> Status {
    CANN_REQUIRE(context);
    *context = Runtime::get().current();
    if (!*context) return {error::kContextNull, "this thread has set no device"};
    return {};
  });
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return guarded("aclrtCtxGetCurrentDefaultStream", [&]() -> Status {
    CANN_REQUIRE(stream);
    ASSIGN_OR_RETURN(*stream, Runtime::get().stream(nullptr));
    return {};
  });
}
