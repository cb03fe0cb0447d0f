// The acl functions that the adapter calls, resolved at run time, and the translation of their errors.
#pragma once

#include "acl/acl.h"
#include "torch_npu/csrc/loader/library.h"

namespace torch_npu {

// What CANN says about this thread's last error; empty if it says nothing.
std::string recent_error_message();

}  // namespace torch_npu

namespace torch_npu::acl {

// Named as in the contract, without its prefixes: aclrtMalloc is acl::malloc.
template <class Signature>
using Acl = Function<Signature>;

inline const Acl<decltype(aclInit)> init{"aclInit", Library::Ascendcl};
inline const Acl<decltype(aclGetRecentErrMsg)> recent_error{"aclGetRecentErrMsg", Library::Ascendcl};
inline const Acl<decltype(aclrtGetVersion)> version{"aclrtGetVersion", Library::Ascendcl};
inline const Acl<decltype(aclrtGetSocName)> soc_name{"aclrtGetSocName", Library::Ascendcl};

inline const Acl<decltype(aclrtGetDeviceCount)> device_count{"aclrtGetDeviceCount", Library::Ascendcl};
inline const Acl<decltype(aclrtSetDevice)> set_device{"aclrtSetDevice", Library::Ascendcl};
inline const Acl<decltype(aclrtSynchronizeDevice)> synchronize_device{"aclrtSynchronizeDevice", Library::Ascendcl};
inline const Acl<decltype(aclrtGetMemInfo)> memory_info{"aclrtGetMemInfo", Library::Ascendcl};
inline const Acl<decltype(aclrtGetDeviceInfo)> device_info{"aclrtGetDeviceInfo", Library::Ascendcl};
inline const Acl<decltype(aclrtDeviceCanAccessPeer)> can_access_peer{"aclrtDeviceCanAccessPeer", Library::Ascendcl};

inline const Acl<decltype(aclrtMalloc)> malloc{"aclrtMalloc", Library::Ascendcl};
inline const Acl<decltype(aclrtFree)> free{"aclrtFree", Library::Ascendcl};
inline const Acl<decltype(aclrtMallocHost)> malloc_host{"aclrtMallocHost", Library::Ascendcl};
inline const Acl<decltype(aclrtFreeHost)> free_host{"aclrtFreeHost", Library::Ascendcl};
inline const Acl<decltype(aclrtMemcpy)> memcpy{"aclrtMemcpy", Library::Ascendcl};
inline const Acl<decltype(aclrtMemcpyAsync)> memcpy_async{"aclrtMemcpyAsync", Library::Ascendcl};
inline const Acl<decltype(aclrtMemsetAsync)> memset_async{"aclrtMemsetAsync", Library::Ascendcl};

inline const Acl<decltype(aclrtCreateStreamWithConfig)> create_stream{"aclrtCreateStreamWithConfig", Library::Ascendcl};
inline const Acl<decltype(aclrtSynchronizeStream)> synchronize_stream{"aclrtSynchronizeStream", Library::Ascendcl};
inline const Acl<decltype(aclrtStreamQuery)> query_stream{"aclrtStreamQuery", Library::Ascendcl};
inline const Acl<decltype(aclrtStreamWaitEvent)> stream_wait_event{"aclrtStreamWaitEvent", Library::Ascendcl};

inline const Acl<decltype(aclrtCreateEventExWithFlag)> create_event{"aclrtCreateEventExWithFlag", Library::Ascendcl};
inline const Acl<decltype(aclrtDestroyEvent)> destroy_event{"aclrtDestroyEvent", Library::Ascendcl};
inline const Acl<decltype(aclrtRecordEvent)> record_event{"aclrtRecordEvent", Library::Ascendcl};
inline const Acl<decltype(aclrtQueryEventStatus)> query_event{"aclrtQueryEventStatus", Library::Ascendcl};
inline const Acl<decltype(aclrtSynchronizeEvent)> synchronize_event{"aclrtSynchronizeEvent", Library::Ascendcl};
inline const Acl<decltype(aclrtEventElapsedTime)> event_elapsed_time{"aclrtEventElapsedTime", Library::Ascendcl};

inline const Acl<decltype(aclmdlRICaptureBegin)> capture_begin{"aclmdlRICaptureBegin", Library::Ascendcl};
inline const Acl<decltype(aclmdlRICaptureEnd)> capture_end{"aclmdlRICaptureEnd", Library::Ascendcl};
inline const Acl<decltype(aclmdlRICaptureGetInfo)> capture_info{"aclmdlRICaptureGetInfo", Library::Ascendcl};
inline const Acl<decltype(aclmdlRIExecuteAsync)> execute_graph{"aclmdlRIExecuteAsync", Library::Ascendcl};
inline const Acl<decltype(aclmdlRIDestroy)> destroy_graph{"aclmdlRIDestroy", Library::Ascendcl};
inline const Acl<decltype(aclmdlRIDebugJsonPrint)> print_graph{"aclmdlRIDebugJsonPrint", Library::Ascendcl};

// Throws c10::Error: the call, the error code, and what CANN says about it.
[[noreturn]] void throw_error(const char* call, aclError error);

inline void check(aclError error, const char* call) {
  if (error != ACL_SUCCESS) [[unlikely]]
    throw_error(call, error);
}

}  // namespace torch_npu::acl
