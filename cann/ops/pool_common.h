// What the families over planes share (pooling, padding, resampling): extents, plane counts, the types they compute in.
#pragma once

#include "cann/kernels/pool/pool.h"
#include "cann/ops/family.h"
#include "cann/ops/staging.h"

namespace cann::ops {

// By table index; half types go through float32, integers through int64.
inline constexpr DType kPoolTypes[] = {DType::Float32, DType::Float64, DType::Int64};

inline Result<int> pool_type(const char* op, const TensorView& in, const TensorView& out) {
  if (in.dtype != out.dtype || is_complex(in.dtype) || in.dtype == DType::Bool)
    return bad_parameter(std::string(op) + ": " + describe(in) + " beside " + describe(out) + ": one real type needed");
  return in.dtype == DType::Float64 ? 1 : is_floating(in.dtype) ? 0 : 2;
}

// The last `dims` sizes (1, 2 or 3).
inline Result<kernels::Extent> spatial(const char* op, int dims, const TensorView& t) {
  if (t.ndim < dims || t.ndim > dims + 2)
    return bad_parameter(std::string(op) + ": " + describe(t) + ": between " + std::to_string(dims) + " and " +
                         std::to_string(dims + 2) + " dimensions needed");
  auto size = [&](int from_end) { return from_end <= dims ? t.sizes[t.ndim - from_end] : 1; };
  return kernels::Extent{size(3), size(2), size(1)};
}

inline int64_t planes_of(int dims, const TensorView& t) {
  int64_t planes = 1;
  for (int d = 0; d < t.ndim - dims; ++d) planes *= t.sizes[d];
  return planes;
}

// An attribute of one element, or one for each dimension; none: 1, or 0 where `least` is 0. Dimensions that are not
// there get 1, or 0.
inline Result<kernels::Extent> extent(const char* op, int dims, IntArray values, const char* name, int64_t least) {
  bool ok = values.empty() || values.size() == 1 || values.size() == static_cast<size_t>(dims);
  for (int64_t v : values) ok &= v >= least;
  if (!ok)
    return bad_parameter(std::string(op) + ": " + name + " " + to_string(values) + ": one or " + std::to_string(dims) +
                         " numbers of at least " + std::to_string(least) + " needed");
  auto value = [&](int from_end) {
    if (from_end > dims || values.empty()) return least;
    return values.size() == 1 ? values[0] : values[dims - from_end];
  };
  return kernels::Extent{value(3), value(2), value(1)};
}

// A view whose channels lie side by side, in the order that they lie in: [images, spatial..., channels].
inline TensorView channels_behind(const TensorView& t) {
  TensorView v = t;
  for (int d = 2; d < t.ndim; ++d) v.sizes[d - 1] = t.sizes[d], v.strides[d - 1] = t.strides[d];
  v.sizes[t.ndim - 1] = t.sizes[1], v.strides[t.ndim - 1] = t.strides[1];
  return v;
}
inline bool is_channels_last(int dims, const TensorView& t) {
  return t.ndim == dims + 2 && !t.is_contiguous() && channels_behind(t).is_contiguous();
}

// Planes a chunk: about 32k elements.
inline int64_t plane_grain(int64_t elements) { return std::max<int64_t>(1, 32768 / std::max<int64_t>(elements, 1)); }

}  // namespace cann::ops
