// What the generated linear algebra kernels ask for.
#pragma once

#include <string_view>

#include <c10/util/Exception.h>

namespace torch_npu::linalg {

// CANN's number for QR's mode, which meta has checked.
inline int64_t mode_number(std::string_view mode) { return mode == "reduced" ? 0 : mode == "complete" ? 1 : 2; }

}  // namespace torch_npu::linalg
