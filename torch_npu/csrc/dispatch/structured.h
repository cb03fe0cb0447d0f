// Runs ATen's own structured meta, so that shapes, dtypes and error texts are PyTorch's, and takes its outputs from our
// allocator. Three forms, as in torchgen: Functional allocates, Out resizes what was given, Inplace writes to self.
#pragma once

#include <array>
#include <optional>
#include <type_traits>

#include <ATen/TensorIterator.h>
#include <ATen/TensorMeta.h>
#include <ATen/core/Tensor.h>

#include "torch_npu/csrc/dispatch/creation.h"

namespace torch_npu {

// Both throw as PyTorch does, with PyTorch's words.
void resize_out(const at::Tensor& out, at::IntArrayRef sizes, at::IntArrayRef strides,
                const at::TensorOptions& options);
void check_inplace(const at::Tensor& self, at::IntArrayRef sizes, const at::TensorOptions& options);

// A tensor that stands in for `out` where the meta insists on strides that `out` does not have.
std::optional<at::Tensor> stand_in(const at::Tensor& out, at::IntArrayRef sizes, at::IntArrayRef strides,
                                   const at::TensorOptions& options);

// The operand as the operator takes it: a CPU scalar goes to the device; a tensor whose dtype takes no part in the
// promotion (0-dim beside dimensioned ones) is cast, because aclnn operators promote by dtype alone.
at::Tensor device_operand(const at::Tensor& operand, at::ScalarType common, c10::Device device);

// The values of a conjugate or negative view, written out: for operators that PyTorch hands such views as they are.
inline at::Tensor resolved(const at::Tensor& t) {
  return t.is_conj() || t.is_neg() ? t.resolve_conj().resolve_neg() : t;
}

namespace detail {
struct OperandKinds {
  bool scalar = false, dimensioned = false, several_dtypes = false;
  at::ScalarType dtype = at::ScalarType::Undefined;

  void see(const at::Tensor& t) {
    if (!t.defined()) return;
    (t.dim() == 0 ? scalar : dimensioned) = true;
    if (dtype == at::ScalarType::Undefined) dtype = t.scalar_type();
    several_dtypes |= t.scalar_type() != dtype;
  }
  void see(const std::optional<at::Tensor>& t) {
    if (t.has_value()) see(*t);
  }
};
}  // namespace detail

// 0-dim operands of another dtype stand beside dimensioned ones: their dtype does not count in the promotion.
template <class... Operands>
bool mixes_scalars(const Operands&... operands) {
  detail::OperandKinds kinds;
  (kinds.see(operands), ...);
  return kinds.scalar && kinds.dimensioned && kinds.several_dtypes;
}

template <class Meta>
class Structured : public Meta {
 public:
  // Undefined for metas that promote nothing.
  at::ScalarType common() const {
    if constexpr (std::is_base_of_v<at::TensorIteratorBase, Meta>)
      return this->common_dtype_;
    else
      return at::ScalarType::Undefined;
  }

  at::Tensor operand(const at::Tensor& t, bool mixed, c10::Device device) const {
    if (!t.defined()) return t;
    const bool recast = mixed && common() != at::ScalarType::Undefined && t.scalar_type() != common();
    return t.is_privateuseone() && !recast ? t : device_operand(t, common(), device);
  }
  at::Tensor operand(const std::optional<at::Tensor>& t, bool mixed, c10::Device device) const {
    return t.has_value() ? operand(*t, mixed, device) : at::Tensor();
  }

 protected:
  void forward_output(int64_t i, at::IntArrayRef sizes, at::IntArrayRef strides, const at::TensorOptions& options) {
    if constexpr (std::is_base_of_v<at::TensorIteratorBase, Meta>)
      Meta::set_output_raw_strided(i, sizes, strides, options);
  }
};

template <class Meta, size_t N>
class Functional final : public Structured<Meta> {
 public:
  void set_output_strided(int64_t i, at::IntArrayRef sizes, at::IntArrayRef strides,
                          at::TensorOptions options) override {
    set_output_raw_strided(i, sizes, strides, options);
  }
  void set_output_raw_strided(int64_t i, at::IntArrayRef sizes, at::IntArrayRef strides,
                              at::TensorOptions options) override {
    const at::ScalarType dtype = c10::typeMetaToScalarType(options.dtype());
    if (!strides.empty())
      outputs_[i] = empty_strided(sizes, strides, dtype, options.device());
    else if (auto format = options.memory_format_opt(); format.has_value() && *format != at::MemoryFormat::Contiguous)
      outputs_[i] = empty(sizes, dtype, options.device(), *format);
    else
      outputs_[i] = empty(sizes, dtype, options.device());
    this->forward_output(i, sizes, strides, options);
  }
  const at::Tensor& maybe_get_output(int64_t i) override { return outputs_[i]; }
  at::Tensor& output(size_t i) { return outputs_[i]; }

 private:
  std::array<at::Tensor, N> outputs_;
};

template <class Meta, size_t N, bool kInplace = false>
class Into final : public Structured<Meta> {
 public:
  template <class... Outputs>
  explicit Into(Outputs&... outputs) : outputs_{outputs...} {}

  void set_output_strided(int64_t i, at::IntArrayRef sizes, at::IntArrayRef strides,
                          at::TensorOptions options) override {
    prepare(i, sizes, strides, options);
    if (auto proxy = stand_in(outputs_[i], sizes, strides, options)) proxies_[i] = std::move(*proxy);
    this->forward_output(i, sizes, strides, options);
  }
  void set_output_raw_strided(int64_t i, at::IntArrayRef sizes, at::IntArrayRef strides,
                              at::TensorOptions options) override {
    prepare(i, sizes, strides, options);
    this->forward_output(i, sizes, strides, options);
  }
  const at::Tensor& maybe_get_output(int64_t i) override {
    return proxies_[i].defined() ? proxies_[i] : outputs_[i].get();
  }
  const at::Tensor& output(size_t i) { return maybe_get_output(static_cast<int64_t>(i)); }

  // Copies what stood in for an output back to it.
  void finish() {
    for (size_t i = 0; i < N; ++i)
      if (proxies_[i].defined()) outputs_[i].get().copy_(proxies_[i]);
  }

 private:
  void prepare(int64_t i, at::IntArrayRef sizes, at::IntArrayRef strides, const at::TensorOptions& options) {
    if constexpr (kInplace)
      check_inplace(outputs_[i], sizes, options);
    else
      resize_out(outputs_[i], sizes, strides, options);
  }
  std::array<std::reference_wrapper<const at::Tensor>, N> outputs_;
  std::array<at::Tensor, N> proxies_;
};

template <class Meta, size_t N>
using Out = Into<Meta, N, false>;
template <class Meta, size_t N>
using Inplace = Into<Meta, N, true>;

// --- the way past the meta: operands of one dtype, one size, contiguous, on one device need no TensorIterator ---

inline bool plain(const at::Tensor& t) {
  return t.is_privateuseone() && t.is_contiguous() && t.layout() == at::kStrided;
}

inline bool alike(const at::Tensor& a) { return plain(a); }
template <class... Rest>
bool alike(const at::Tensor& a, const at::Tensor& b, const Rest&... rest) {
  return plain(a) && plain(b) && a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         a.device() == b.device() && alike(b, rest...);
}

// `out` is one of the operands itself or shares no memory with any.
template <class... Operands>
bool writable_beside(const at::Tensor& out, const Operands&... operands) {
  return ((out.is_same(operands) || !out.storage().is_alias_of(operands.storage())) && ...);
}

// A number that PyTorch wrapped into a CPU tensor, or a CPU scalar tensor that does not change the result's dtype.
inline bool is_host_scalar(const at::Tensor& self, const at::Tensor& other) {
  if (!other.is_cpu() || other.dim() != 0 || !self.is_privateuseone()) return false;
  if (other.unsafeGetTensorImpl()->is_wrapped_number()) return true;
  auto category = [](at::ScalarType t) {
    return c10::isComplexType(t) ? 3 : c10::isFloatingType(t) ? 2 : t == at::kBool ? 0 : 1;
  };
  return self.dim() > 0 && category(other.scalar_type()) <= category(self.scalar_type());
}

// The scalar leaves self's dtype as it is, so the output is like self.
inline bool keeps_dtype(const at::Tensor& self, const at::Tensor& scalar) {
  if (c10::isComplexType(scalar.scalar_type())) return c10::isComplexType(self.scalar_type());
  if (c10::isFloatingType(scalar.scalar_type())) return !c10::isIntegralType(self.scalar_type(), /*includeBool=*/true);
  return scalar.scalar_type() == at::kBool || self.scalar_type() != at::kBool;
}

}  // namespace torch_npu
