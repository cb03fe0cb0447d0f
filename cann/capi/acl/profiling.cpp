// aclprof*: what ran when, written as trace_view.json into the folder of aclprofInit.
#include <sys/stat.h>

#include <fstream>
#include <mutex>

#include "acl/acl.h"
#include "cann/capi/acl/guarded.h"
#include "cann/trace/trace.h"

using namespace cann;
using capi::guarded;
using capi::not_supported;

struct aclprofConfig {
  uint64_t what;
};

namespace {

struct Profile {
  std::mutex mutex;
  std::string folder;
  int started = 0;  // and not stopped: others than aclprof* may trace too
};

Profile& profile() {
  static Profile* const value = new Profile;
  return *value;
}

}  // namespace

aclError aclprofInit(const char* profilerResultPath, size_t length) {
  return guarded("aclprofInit", [&]() -> Status {
    CANN_REQUIRE(profilerResultPath);
    const std::string folder(profilerResultPath, length);
    struct stat info;
    if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
      return {error::kInvalidFile, "'" + folder + "' is not a folder"};
    std::lock_guard lock(profile().mutex);
    profile().folder = folder;
    return {};
  });
}

aclError aclprofFinalize() {
  return guarded("aclprofFinalize", [&]() -> Status {
    std::lock_guard lock(profile().mutex);
    if (profile().folder.empty()) return {100043, "profiling was not begun (aclprofInit)"};
    for (; profile().started > 0; --profile().started) trace::stop();
    std::ofstream file(profile().folder + "/trace_view.json");
    file << trace::to_chrome_json(trace::records());
    trace::clear();
    const std::string folder = std::exchange(profile().folder, "");
    if (!file.flush()) return {error::kInvalidFile, "cannot write into '" + folder + "'"};
    return {};
  });
}

aclprofConfig* aclprofCreateConfig(uint32_t*, uint32_t, aclprofAicoreMetrics, const aclprofAicoreEvents*,
                                   uint64_t dataTypeConfig) {
  return new (std::nothrow) aclprofConfig{dataTypeConfig};
}

aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig) {
  delete profilerConfig;
  return ACL_SUCCESS;
}

aclError aclprofStart(const aclprofConfig* profilerConfig) {
  return guarded("aclprofStart", [&]() -> Status {
    CANN_REQUIRE(profilerConfig);
    std::lock_guard lock(profile().mutex);
    ++profile().started;
    trace::start();
    return {};
  });
}

aclError aclprofStop(const aclprofConfig* profilerConfig) {
  return guarded("aclprofStop", [&]() -> Status {
    CANN_REQUIRE(profilerConfig);
    std::lock_guard lock(profile().mutex);
    if (profile().started == 0) return {};
    --profile().started;
    trace::stop();
    return {};
  });
}

aclError aclprofSetConfig(aclprofConfigType, const char*, size_t) { return ACL_SUCCESS; }

// Marks of the application: not kept.
void* aclprofCreateStamp() { return nullptr; }
void aclprofDestroyStamp(void*) {}
aclError aclprofSetStampTraceMessage(void*, const char*, uint32_t) {
  return not_supported("aclprofSetStampTraceMessage");
}
aclError aclprofMark(void*) { return not_supported("aclprofMark"); }
aclError aclprofMarkEx(const char*, size_t, aclrtStream) { return ACL_SUCCESS; }
aclError aclprofPush(void*) { return not_supported("aclprofPush"); }
aclError aclprofPop() { return not_supported("aclprofPop"); }
aclError aclprofRangeStart(void*, uint32_t*) { return not_supported("aclprofRangeStart"); }
aclError aclprofRangeStop(uint32_t) { return not_supported("aclprofRangeStop"); }
