// Start, end, errors, versions.
#include <cstring>
#include <fstream>

#include "acl/acl.h"
#include "cann/capi/acl/guarded.h"
#include "cann/runtime/runtime.h"

using namespace cann;
using capi::guarded;

namespace {
constexpr const char* kVersion = CANN_VERSION;  // cmake/cann_version.txt
}

aclError aclInit(const char* configPath) {
  return guarded("aclInit", [&]() -> Status {
    Runtime& runtime = Runtime::get();
    if (!runtime.options_status().ok()) return {runtime.options_status().code(), runtime.options_status().message()};
    if (configPath && *configPath && !std::ifstream(configPath).good())
      return {error::kInvalidFile, std::string("configuration file '") + configPath + "' cannot be read"};
    if (runtime.initializations.fetch_add(1) > 0) return {error::kRepeatInitialize, "AscendCL is initialized already"};
    return {};
  });
}

aclError aclFinalize() {
  return guarded("aclFinalize", [&]() -> Status {
    if (Runtime::forked()) return {};
    Runtime& runtime = Runtime::get();
    if (runtime.initializations.exchange(0) == 0) return {error::kRepeatFinalize, "AscendCL is not initialized"};
    for (Device* device : runtime.devices()) RETURN_IF_ERROR(device->drain());
    return {};
  });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return guarded("aclFinalizeReference", [&]() -> Status {
    Runtime& runtime = Runtime::get();
    const int left = runtime.initializations.fetch_sub(1) - 1;
    if (left < 0) {
      runtime.initializations = 0;
      return {error::kRepeatFinalize, "AscendCL is not initialized"};
    }
    if (refCount) *refCount = static_cast<uint64_t>(left);
    return {};
  });
}

const char* aclGetRecentErrMsg() { return recent_error_message(); }
aclError aclrtGetLastError(aclrtLastErrLevel) { return recent_error_code(true); }
aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return recent_error_code(false); }

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return guarded("aclrtGetVersion", [&]() -> Status {
    CANN_REQUIRE(majorVersion);
    CANN_REQUIRE(minorVersion);
    CANN_REQUIRE(patchVersion);
    *majorVersion = 1;  // of the interface, not of CANN
    *minorVersion = 17;
    *patchVersion = 0;
    return {};
  });
}

const char* aclrtGetSocName() {
  Runtime& runtime = Runtime::get();
  return runtime.options().soc_name.c_str();
}

aclError aclsysGetCANNVersion(aclCANNPackageName, aclCANNPackageVersion* version) {
  return guarded("aclsysGetCANNVersion", [&]() -> Status {
    CANN_REQUIRE(version);
    *version = {};
    std::strcpy(version->version, kVersion);
    const std::string text = kVersion;
    const size_t first = text.find('.'), second = text.find('.', first + 1);
    std::strcpy(version->majorVersion, text.substr(0, first).c_str());
    std::strcpy(version->minorVersion, text.substr(first + 1, second - first - 1).c_str());
    std::strcpy(version->releaseVersion, text.substr(second + 1).c_str());
    return {};
  });
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return guarded("aclsysGetVersionStr", [&]() -> Status {
    CANN_REQUIRE(pkgName);
    CANN_REQUIRE(versionStr);
    std::strcpy(versionStr, kVersion);
    return {};
  });
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  return guarded("aclsysGetVersionNum", [&]() -> Status {
    CANN_REQUIRE(pkgName);
    CANN_REQUIRE(versionNum);
    int major = 0, minor = 0, patch = 0;
    std::sscanf(kVersion, "%d.%d.%d", &major, &minor, &patch);
    *versionNum = major * 10000000 + minor * 100000 + patch * 1000;
    return {};
  });
}
