// The symbols below AscendCL that adapters link. No part of the public contract, so they stand here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_rt.h"

extern "C" {
#pragma GCC visibility push(default)

aclError aclrtBinaryLoadFromData(const void* data, size_t length, const aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle);
aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName, aclrtFuncHandle* funcHandle);
aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void** aicAddr, void** aivAddr);

int rtDevBinaryRegister(const void* binary, void** handle);
int rtFunctionRegister(void* binary, const void* stub, const char* stubName, const void* function, uint32_t mode);
int rtKernelLaunch(const void* stub, uint32_t blocks, void* arguments, uint32_t bytes, void* descriptor, void* stream);
int rtGetC2cCtrlAddr(uint64_t* address, uint32_t* length);

int MsprofRegisterCallback(uint32_t module, void* callback);
int MsprofReportApi(uint32_t aging, const void* api);
int MsprofReportCompactInfo(uint32_t aging, const void* data, uint32_t length);
int MsprofReportAdditionalInfo(uint32_t aging, const void* data, uint32_t length);
uint64_t MsprofGetHashId(const char* text, size_t length);
uint64_t MsprofSysCycleTime();

#pragma GCC visibility pop
}
