// The edge of the C contract: a call inward, its Status made a code, its text kept, no exception let out.
#pragma once

#include <new>
#include <string>

#include "acl/acl_error.h"
#include "cann/runtime/error.h"
#include "cann/runtime/recent_error.h"

namespace cann::capi {

// f gives a Status. `name` is the C function's.
template <class F>
aclError guarded(const char* name, F&& f) noexcept {
  try {
    Status status = f();
    if (status.ok()) [[likely]]
      return ACL_SUCCESS;
    return report({status.code(), std::string(name) + ": " + status.message()});
  } catch (const std::bad_alloc&) {
    return ACL_ERROR_BAD_ALLOC;
  } catch (...) {
    return ACL_ERROR_INTERNAL_ERROR;
  }
}

// For what an embedded device has nothing behind.
inline aclError not_supported(const char* name) noexcept {
  return guarded(
      name, [] { return Status(error::kFeatureNotSupport, "the embedded CANN has nothing behind this function"); });
}

inline Status null_argument(const char* argument) { return {error::kInvalidParam, std::string(argument) + " is null"}; }

}  // namespace cann::capi

#define CANN_REQUIRE(argument) \
  if (!(argument)) return ::cann::capi::null_argument(#argument)
