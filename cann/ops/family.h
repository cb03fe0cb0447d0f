// Small checks and choices that several operator families share.
#pragma once

#include <string>

#include "cann/base/status.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// The place of a floating type in a kernel table: float32, float64, float16, bfloat16; -1 for others.
constexpr int floating_index(DType t) {
  switch (t) {
    case DType::Float32: return 0;
    case DType::Float64: return 1;
    case DType::Float16: return 2;
    case DType::BFloat16: return 3;
    default: return -1;
  }
}

// What a floating type is computed in.
constexpr DType compute_type(DType t) { return t == DType::Float64 ? DType::Float64 : DType::Float32; }

// dim in [0, ndim), counted from the end where negative; a tensor of no dimensions counts as one of one.
inline Result<int64_t> wrap_dim(const char* op, const TensorView& t, int64_t dim) {
  int64_t n = t.ndim == 0 ? 1 : t.ndim;
  if (dim < -n || dim >= n)
    return bad_parameter(std::string(op) + ": dim " + std::to_string(dim) + " of " + describe(t) + ": must lie in [" +
                         std::to_string(-n) + ", " + std::to_string(n - 1) + "]");
  return dim < 0 ? dim + n : dim;
}

inline Status check_same_shape(const char* op, const char* a_name, const TensorView& a, const char* b_name,
                               const TensorView& b) {
  if (same_shape(a, b)) return {};
  return bad_parameter(std::string(op) + ": " + a_name + " " + describe(a) + ", " + b_name + " " + describe(b) +
                       ": shapes must match");
}

// t seen with the sizes of `as`, strides 0 where it is repeated; false if it does not broadcast.
inline bool expand(const TensorView& t, const TensorView& as, TensorView& expanded) {
  if (t.ndim > as.ndim) return false;
  expanded = as;
  expanded.data = t.data;
  expanded.dtype = t.dtype;
  for (int d = 0; d < as.ndim; ++d) {
    int from = d - (as.ndim - t.ndim);
    bool repeated = from < 0 || (t.sizes[from] == 1 && as.sizes[d] != 1);
    if (!repeated && t.sizes[from] != as.sizes[d]) return false;
    expanded.strides[d] = repeated ? 0 : t.strides[from];
  }
  return true;
}

}  // namespace cann::ops
