// Turns an aclError into a c10 error with the text that CANN kept for it.
#include "torch_npu/csrc/loader/acl.h"

#include <c10/util/Exception.h>

namespace torch_npu {

std::string recent_error_message() {
  const auto recent = acl::recent_error.try_get();
  const char* text = recent != nullptr ? recent() : nullptr;
  return text != nullptr ? text : "";
}

namespace acl {

void throw_error(const char* call, aclError error) {
  const std::string detail = recent_error_message();
  // With asynchronous launches the failing operator is an earlier one; CANN's text names it.
  // An index that the device found out of range is the exception that it is on the CPU: IndexError for some operators,
  // RuntimeError for others. The texts tell them apart.
  if (detail.find(" is out of range for dimension ") != std::string::npos ||
      detail.find(": Target ") != std::string::npos)
    TORCH_CHECK_INDEX(false, "NPU function error: ", call, ", error code is ", error, ": ", detail);
  TORCH_CHECK(false, "NPU function error: ", call, ", error code is ", error, detail.empty() ? "" : ": ", detail);
}

}  // namespace acl
}  // namespace torch_npu
