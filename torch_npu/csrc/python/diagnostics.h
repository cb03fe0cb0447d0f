#pragma once

#include <pybind11/pybind11.h>

namespace torch_npu {

// What torch_npu/diagnostics/ stands on: the events, the policies, the lines.
void bind_diagnostics(pybind11::module_& m);

}  // namespace torch_npu
