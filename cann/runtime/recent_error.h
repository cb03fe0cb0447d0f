// This thread's latest error: the text of aclGetRecentErrMsg and the code of aclrtGetLastError. It lives in libascendcl
// alone; libopapi and libge_runner report through here.
#pragma once

#include "cann/base/status.h"

#define CANN_EXPORT __attribute__((visibility("default")))

namespace cann {

// Keeps the text, and gives back the code, for a C function to return. A success leaves the text alone.
CANN_EXPORT int report(const Status& status) noexcept;

// Keeps a text that no Status carried.
inline void set_recent_error(std::string text) { report(bad_parameter(std::move(text))); }

CANN_EXPORT const char* recent_error_message() noexcept;
CANN_EXPORT int recent_error_code(bool forget) noexcept;

}  // namespace cann
