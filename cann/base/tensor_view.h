// What an operator sees of a tensor: an address, a type, sizes and strides. Owns nothing; cheap to copy into a Task.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cann/base/dtype.h"
#include "cann/base/reported_shape.h"

namespace cann {

inline constexpr int kMaxDims = 8;

struct TensorView {
  void* data = nullptr;  // the first element of the view: storage plus offset
  DType dtype = DType::Undefined;
  int32_t ndim = 0;
  int64_t sizes[kMaxDims] = {};
  int64_t strides[kMaxDims] = {};  // in elements; 0 where expanded
  // Where a descriptor keeps what the work reports of its size; null elsewhere. Only promise_shape looks in here.
  ReportedShape::Handle* reported = nullptr;

  std::span<const int64_t> shape() const { return {sizes, static_cast<size_t>(ndim)}; }

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d) n *= sizes[d];
    return n;
  }

  bool is_contiguous() const {
    int64_t expected = 1;
    for (int d = ndim - 1; d >= 0; --d) {
      if (sizes[d] == 0) return true;
      if (sizes[d] != 1 && strides[d] != expected) return false;
      expected *= sizes[d];
    }
    return true;
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// For operators whose output's size only the work knows: what the task reports to. Reports nothing if `out` is no
// descriptor.
inline ReportedShape::Handle promise_shape(const TensorView& out) {
  if (out.reported == nullptr) return {};
  if (out.reported->get() == nullptr) *out.reported = ReportedShape::Handle(new ReportedShape());
  return *out.reported;
}

// A list argument; an entry is null where the caller passed none (an index that was left out).
using TensorList = std::span<const TensorView* const>;
using IntArray = std::span<const int64_t>;

inline bool same_shape(const TensorView& a, const TensorView& b) {
  if (a.ndim != b.ndim) return false;
  for (int d = 0; d < a.ndim; ++d)
    if (a.sizes[d] != b.sizes[d]) return false;
  return true;
}

// "[3, 4]", as PyTorch writes a shape.
inline std::string to_string(std::span<const int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

// "float32 [3, 4]"
inline std::string describe(const TensorView& t) { return std::string(name_of(t.dtype)) + " " + to_string(t.shape()); }

}  // namespace cann
