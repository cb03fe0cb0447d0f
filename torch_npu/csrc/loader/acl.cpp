// Turns an aclError into a c10 error with the text that CANN kept for it.
#include "torch_npu/csrc/loader/acl.h"

#include <c10/util/Exception.h>

namespace torch_npu::acl {

void throw_error(const char* call, aclError error) {
  const char* detail = recent_error.try_get() != nullptr ? recent_error() : nullptr;
  // With asynchronous launches the failing operator is an earlier one; CANN's text names it.
  TORCH_CHECK(false, "NPU function error: ", call, ", error code is ", error,
              detail != nullptr && *detail != '\0' ? ": " : "", detail != nullptr ? detail : "");
}

}  // namespace torch_npu::acl
