// What stands behind AscendCL's opaque descriptors, and how the generated pairs read them. Descriptors are made and
// destroyed on every call of the adapter, so they come from a pool of the thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "cann/base/scalar.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

struct aclTensor {
  cann::TensorView view;
  void* storage = nullptr;
  int64_t offset = 0;  // in elements
  int32_t format = 0;
  int32_t storage_ndim = 0;
  int64_t storage_sizes[cann::kMaxDims] = {};
  cann::ReportedShape::Handle reported;
};

struct aclScalar {
  cann::Scalar value;
};

struct aclIntArray {
  std::vector<int64_t> values;
};

struct aclFloatArray {
  std::vector<float> values;
};

struct aclBoolArray {
  std::vector<uint8_t> values;  // vector<bool> has no span
};

struct aclTensorList {
  std::vector<aclTensor*> tensors;  // owned; null where the caller gave none
  std::vector<const cann::TensorView*> views;
};

struct aclScalarList {
  std::vector<aclScalar*> scalars;  // owned
  std::vector<cann::Scalar> values;
};

struct aclOpExecutor {
  cann::Task task;
};

namespace cann::from_c {

inline const TensorView& tensor(const aclTensor* t) { return t->view; }
inline const TensorView* optional_tensor(const aclTensor* t) { return t ? &t->view : nullptr; }
inline TensorList tensor_list(const aclTensorList* l) { return l->views; }
inline const Scalar& scalar(const aclScalar* s) { return s->value; }
inline const Scalar* optional_scalar(const aclScalar* s) { return s ? &s->value : nullptr; }
inline std::span<const Scalar> scalar_list(const aclScalarList* l) { return l->values; }
inline IntArray int_array(const aclIntArray* a) { return a ? IntArray(a->values) : IntArray(); }
inline std::optional<IntArray> optional_int_array(const aclIntArray* a) {
  return a ? std::optional<IntArray>(a->values) : std::nullopt;
}
inline std::span<const float> float_array(const aclFloatArray* a) {
  return a ? std::span<const float>(a->values) : std::span<const float>();
}
inline std::span<const bool> bool_array(const aclBoolArray* a) {
  static_assert(sizeof(bool) == 1);
  return a ? std::span<const bool>(reinterpret_cast<const bool*>(a->values.data()), a->values.size())
           : std::span<const bool>();
}
inline DType dtype(aclDataType t) { return static_cast<DType>(t); }

}  // namespace cann::from_c
