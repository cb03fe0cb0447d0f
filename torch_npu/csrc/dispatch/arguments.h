// How an ATen argument becomes an argument of the C contract: one Argument<C type> each, alive while the call lasts.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <ATen/core/IListRef.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/util/OptionalArrayRef.h>

#include "aclnn/aclnn_base.h"
#include "torch_npu/csrc/loader/library.h"

namespace torch_npu {

// The device declines a call (a dtype, more than 8 dimensions, a missing function): the CPU fallback takes it, with
// this reason.
class Refusal final : public std::exception {
 public:
  explicit Refusal(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

// Throws Refusal for types that AscendCL has no number for (quantized ones, float8).
aclDataType to_acl(at::ScalarType type);

namespace descriptor {
aclTensor* make(const at::Tensor& tensor);  // throws Refusal
aclScalar* make(const at::Scalar& scalar);
aclIntArray* make(at::IntArrayRef values);
aclFloatArray* make(at::ArrayRef<double> values);
aclBoolArray* make(at::ArrayRef<bool> values);
aclTensorList* make(std::vector<aclTensor*>& tensors);
aclScalarList* make(at::ArrayRef<at::Scalar> values);
void destroy(const aclTensor*);
void destroy(const aclScalar*);
void destroy(const aclIntArray*);
void destroy(const aclFloatArray*);
void destroy(const aclBoolArray*);
void destroy(const aclTensorList*);
void destroy(const aclScalarList*);
}  // namespace descriptor

// Numbers, dtypes: passed as they are.
template <class Param>
class Argument {
  static_assert(std::is_arithmetic_v<Param> || std::is_enum_v<Param>, "no conversion to this C type is known");

 public:
  explicit Argument(Param value) : value_(value) {}
  explicit Argument(const at::Scalar& value) : value_(value.to<Param>()) {}
  explicit Argument(const std::optional<Param>& value) : value_(value.value()) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit Argument(T value) : value_(static_cast<Param>(value)) {}
  Param get() const { return value_; }

 private:
  Param value_;
};

template <>
class Argument<aclDataType> {
 public:
  explicit Argument(at::ScalarType type) : value_(to_acl(type)) {}
  explicit Argument(aclDataType type) : value_(type) {}
  aclDataType get() const { return value_; }

 private:
  aclDataType value_;
};

template <>
class Argument<const char*> {
 public:
  explicit Argument(std::string_view text) : text_(text) {}
  const char* get() const { return text_.c_str(); }

 private:
  std::string text_;
};

// What the contract wants as a descriptor: owned here, destroyed when the call has returned.
template <class Descriptor>
class DescriptorArgument {
 public:
  DescriptorArgument() = default;
  explicit DescriptorArgument(Descriptor* made) : made_(made) {}
  DescriptorArgument(const DescriptorArgument&) = delete;
  DescriptorArgument& operator=(const DescriptorArgument&) = delete;
  ~DescriptorArgument() {
    if (made_ != nullptr) descriptor::destroy(made_);
  }
  const Descriptor* get() const { return made_; }

 protected:
  Descriptor* made_ = nullptr;
};

// A descriptor that its maker keeps, because the operator writes the real size to it (sized_output.h).
struct KeptDescriptor {
  const aclTensor* tensor;
};

template <>
class Argument<const aclTensor*> : public DescriptorArgument<aclTensor> {
 public:
  explicit Argument(KeptDescriptor kept) : kept_(kept.tensor) {}
  const aclTensor* get() const { return kept_ != nullptr ? kept_ : made_; }

  explicit Argument(const at::Tensor& tensor) {
    if (tensor.defined()) made_ = descriptor::make(tensor);
  }
  explicit Argument(const std::optional<at::Tensor>& tensor) {
    if (tensor.has_value() && tensor->defined()) made_ = descriptor::make(*tensor);
  }
  explicit Argument(at::OptionalTensorRef tensor) {
    if (tensor.has_value() && tensor->defined()) made_ = descriptor::make(*tensor);
  }
  explicit Argument(std::nullopt_t) {}

 private:
  const aclTensor* kept_ = nullptr;
};

template <>
class Argument<const aclScalar*> : public DescriptorArgument<aclScalar> {
 public:
  explicit Argument(const at::Scalar& scalar) : DescriptorArgument(descriptor::make(scalar)) {}
  explicit Argument(const std::optional<at::Scalar>& scalar) {
    if (scalar.has_value()) made_ = descriptor::make(*scalar);
  }
  explicit Argument(std::nullopt_t) {}
};

template <>
class Argument<const aclIntArray*> : public DescriptorArgument<aclIntArray> {
 public:
  explicit Argument(at::IntArrayRef values) : DescriptorArgument(descriptor::make(values)) {}
  explicit Argument(at::OptionalIntArrayRef values) {
    if (values.has_value()) made_ = descriptor::make(*values);
  }
  explicit Argument(int64_t value) : DescriptorArgument(descriptor::make(at::IntArrayRef(value))) {}
  explicit Argument(std::optional<int64_t> value) {
    if (value.has_value()) made_ = descriptor::make(at::IntArrayRef(*value));
  }
  explicit Argument(std::nullopt_t) {}
};

template <>
class Argument<const aclFloatArray*> : public DescriptorArgument<aclFloatArray> {
 public:
  explicit Argument(at::ArrayRef<double> values) : DescriptorArgument(descriptor::make(values)) {}
  explicit Argument(std::optional<at::ArrayRef<double>> values) {
    if (values.has_value()) made_ = descriptor::make(*values);
  }
  explicit Argument(std::nullopt_t) {}
};

template <>
class Argument<const aclBoolArray*> : public DescriptorArgument<aclBoolArray> {
 public:
  explicit Argument(at::ArrayRef<bool> values) : DescriptorArgument(descriptor::make(values)) {}
  template <size_t N>
  explicit Argument(const std::array<bool, N>& values)
      : DescriptorArgument(descriptor::make(at::ArrayRef<bool>(values.data(), N))) {}
};

template <>
class Argument<const aclTensorList*> : public DescriptorArgument<aclTensorList> {
 public:
  explicit Argument(at::TensorList tensors) { fill(tensors); }
  explicit Argument(const std::vector<at::Tensor>& tensors) { fill(tensors); }
  explicit Argument(const at::ITensorListRef& tensors) { fill(tensors); }
  explicit Argument(const c10::List<std::optional<at::Tensor>>& tensors) {
    std::vector<aclTensor*> made;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const std::optional<at::Tensor> tensor = tensors.get(i);
      made.push_back(tensor.has_value() && tensor->defined() ? descriptor::make(*tensor) : nullptr);
    }
    made_ = descriptor::make(made);
  }
  explicit Argument(std::nullopt_t) {}

 private:
  template <class List>
  void fill(const List& tensors) {
    std::vector<aclTensor*> made;
    made.reserve(tensors.size());
    for (const at::Tensor& tensor : tensors) made.push_back(tensor.defined() ? descriptor::make(tensor) : nullptr);
    made_ = descriptor::make(made);
  }
};

template <>
class Argument<const aclScalarList*> : public DescriptorArgument<aclScalarList> {
 public:
  explicit Argument(at::ArrayRef<at::Scalar> values) : DescriptorArgument(descriptor::make(values)) {}
};

}  // namespace torch_npu
