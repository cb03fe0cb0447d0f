#include "torch_npu/csrc/dispatch/scalars.h"

namespace torch_npu {

void check_fits(const at::Scalar& value, at::ScalarType dtype) {
  switch (dtype) {  // Scalar::to checks the range
    case at::kByte: value.to<uint8_t>(); return;
    case at::kChar: value.to<int8_t>(); return;
    case at::kShort: value.to<int16_t>(); return;
    case at::kInt: value.to<int32_t>(); return;
    case at::kLong: value.to<int64_t>(); return;
    case at::kFloat: value.to<float>(); return;
    case at::kDouble: value.to<double>(); return;
    case at::kHalf: value.to<at::Half>(); return;
    case at::kBFloat16: value.to<at::BFloat16>(); return;
    default: return;
  }
}

}  // namespace torch_npu
