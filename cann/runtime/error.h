// The numbers of AscendCL's errors (include/acl/acl_error.h) that the runtime itself gives.
#pragma once

namespace cann::error {

inline constexpr int kInvalidParam = 100000;
inline constexpr int kUninitialized = 100001;
inline constexpr int kRepeatInitialize = 100002;
inline constexpr int kInvalidFile = 100003;
inline constexpr int kRepeatFinalize = 100037;
inline constexpr int kInvalidDevice = 107001;
inline constexpr int kContextNull = 107002;
inline constexpr int kInvalidHandle = 107017;
inline constexpr int kWaitTimeout = 107019;
inline constexpr int kModelCaptured = 107026;
inline constexpr int kStreamCaptured = 107027;
inline constexpr int kEventCaptured = 107028;
inline constexpr int kStreamNotCaptured = 107029;
inline constexpr int kEventTimestampInvalid = 107006;
inline constexpr int kStreamCaptureUnmatched = 107036;
inline constexpr int kStreamUnjoined = 107025;
inline constexpr int kBadAlloc = 200000;
inline constexpr int kFeatureNotSupport = 207000;
inline constexpr int kMemoryAllocation = 207001;
inline constexpr int kMemoryFree = 207002;
inline constexpr int kInternal = 507000;
inline constexpr int kEventNotComplete = 507006;
inline constexpr int kStreamSyncTimeout = 507046;
inline constexpr int kEventSyncTimeout = 507047;
inline constexpr int kTaskException = 507015;  // ACL_ERROR_RT_AICORE_EXCEPTION: a kernel failed
inline constexpr int kCaptureInvalidated = 507903;

}  // namespace cann::error
