// Symbols below AscendCL that the genuine adapter links: loading and launching binary kernels, the profiler's reports.
// An embedded device runs no Ascend binaries; the profiler's reports are taken and dropped.
#include "cann/capi/acl/kernels.h"

#include <time.h>

#include "cann/capi/acl/guarded.h"

using cann::capi::not_supported;

aclError aclrtBinaryLoadFromData(const void*, size_t, const aclrtBinaryLoadOptions*, aclrtBinHandle*) {
  return not_supported("aclrtBinaryLoadFromData");
}
aclError aclrtBinaryGetFunction(const aclrtBinHandle, const char*, aclrtFuncHandle*) {
  return not_supported("aclrtBinaryGetFunction");
}
aclError aclrtGetFunctionAddr(aclrtFuncHandle, void**, void**) { return not_supported("aclrtGetFunctionAddr"); }

int rtDevBinaryRegister(const void*, void**) { return not_supported("rtDevBinaryRegister"); }
int rtFunctionRegister(void*, const void*, const char*, const void*, uint32_t) {
  return not_supported("rtFunctionRegister");
}
int rtKernelLaunch(const void*, uint32_t, void*, uint32_t, void*, void*) { return not_supported("rtKernelLaunch"); }
int rtGetC2cCtrlAddr(uint64_t*, uint32_t*) { return not_supported("rtGetC2cCtrlAddr"); }

int MsprofRegisterCallback(uint32_t, void*) { return 0; }
int MsprofReportApi(uint32_t, const void*) { return 0; }
int MsprofReportCompactInfo(uint32_t, const void*, uint32_t) { return 0; }
int MsprofReportAdditionalInfo(uint32_t, const void*, uint32_t) { return 0; }

uint64_t MsprofGetHashId(const char* text, size_t length) {  // FNV-1a
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; text && i < length; ++i) hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211u;
  return hash;
}

uint64_t MsprofSysCycleTime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}
