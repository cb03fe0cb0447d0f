// Descriptors through AscendCL, and what happens when CANN declines or fails.
#include "torch_npu/csrc/dispatch/launch.h"

#include <bit>

#include <c10/util/Exception.h>

#include "torch_npu/csrc/device/allocator.h"
#include "torch_npu/csrc/diagnostics/float64.h"
#include "torch_npu/csrc/diagnostics/operators.h"
#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu {

aclDataType to_acl(at::ScalarType type) {
  switch (type) {
    case at::kFloat: return ACL_FLOAT;
    case at::kHalf: return ACL_FLOAT16;
    case at::kBFloat16: return ACL_BF16;
    case at::kDouble: return ACL_DOUBLE;
    case at::kChar: return ACL_INT8;
    case at::kByte: return ACL_UINT8;
    case at::kShort: return ACL_INT16;
    case at::kInt: return ACL_INT32;
    case at::kLong: return ACL_INT64;
    case at::kUInt16: return ACL_UINT16;
    case at::kUInt32: return ACL_UINT32;
    case at::kUInt64: return ACL_UINT64;
    case at::kBool: return ACL_BOOL;
    case at::kComplexHalf: return ACL_COMPLEX32;
    case at::kComplexFloat: return ACL_COMPLEX64;
    case at::kComplexDouble: return ACL_COMPLEX128;
    default: throw Refusal(std::string("dtype ") + c10::toString(type) + " does not exist on the device");
  }
}

namespace descriptor {
namespace {

constexpr int kMaxDims = 8;

const Function<decltype(::aclCreateTensor)> create_tensor{"aclCreateTensor", Library::Opapi};
const Function<decltype(::aclCreateScalar)> create_scalar{"aclCreateScalar", Library::Opapi};
const Function<decltype(::aclCreateIntArray)> create_int_array{"aclCreateIntArray", Library::Opapi};
const Function<decltype(::aclCreateFloatArray)> create_float_array{"aclCreateFloatArray", Library::Opapi};
const Function<decltype(::aclCreateBoolArray)> create_bool_array{"aclCreateBoolArray", Library::Opapi};
const Function<decltype(::aclCreateTensorList)> create_tensor_list{"aclCreateTensorList", Library::Opapi};
const Function<decltype(::aclCreateScalarList)> create_scalar_list{"aclCreateScalarList", Library::Opapi};
const Function<decltype(::aclDestroyTensor)> destroy_tensor{"aclDestroyTensor", Library::Opapi};
const Function<decltype(::aclDestroyScalar)> destroy_scalar{"aclDestroyScalar", Library::Opapi};
const Function<decltype(::aclDestroyIntArray)> destroy_int_array{"aclDestroyIntArray", Library::Opapi};
const Function<decltype(::aclDestroyFloatArray)> destroy_float_array{"aclDestroyFloatArray", Library::Opapi};
const Function<decltype(::aclDestroyBoolArray)> destroy_bool_array{"aclDestroyBoolArray", Library::Opapi};
const Function<decltype(::aclDestroyTensorList)> destroy_tensor_list{"aclDestroyTensorList", Library::Opapi};
const Function<decltype(::aclDestroyScalarList)> destroy_scalar_list{"aclDestroyScalarList", Library::Opapi};

// CANN's format of a plain tensor follows its rank.
aclFormat format_of_rank(int64_t dims) {
  switch (dims) {
    case 3: return ACL_FORMAT_NCL;
    case 4: return ACL_FORMAT_NCHW;
    case 5: return ACL_FORMAT_NCDHW;
    default: return ACL_FORMAT_ND;
  }
}

// Apart from make(), whose frame their strings would make large.
[[noreturn, gnu::noinline, gnu::cold]] void refuse_rank(const at::Tensor& tensor) {
  throw Refusal("a tensor of " + std::to_string(tensor.dim()) + " dimensions; the device takes at most 8");
}
[[noreturn, gnu::noinline, gnu::cold]] void refuse_device(const at::Tensor& tensor) {
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, npu and ",
              tensor.device(), "!");
}
[[noreturn, gnu::noinline, gnu::cold]] void refuse_unmade(const char* what) {
  throw Refusal(std::string("CANN made no ") + what + ": " + recent_error_message());
}

template <class T>
T* checked(T* made, const char* what) {
  if (made == nullptr) [[unlikely]]
    refuse_unmade(what);
  return made;
}

aclScalar* make_own(const at::Scalar& scalar) {
  if (scalar.isFloatingPoint()) {
    double value = scalar.toDouble();
    return checked(create_scalar(&value, ACL_DOUBLE), "scalar");
  }
  if (scalar.isComplex()) {
    c10::complex<double> value = scalar.toComplexDouble();
    return checked(create_scalar(&value, ACL_COMPLEX128), "scalar");
  }
  if (scalar.isBoolean()) {
    bool value = scalar.toBool();
    return checked(create_scalar(&value, ACL_BOOL), "scalar");
  }
  int64_t value = scalar.toLong();
  return checked(create_scalar(&value, ACL_INT64), "scalar");
}

// The default alpha of every add and sub: made once and shared, as nobody writes to a scalar.
aclScalar* one() {
  static aclScalar* const made = make_own(1);
  return made;
}

}  // namespace

aclTensor* make(const at::Tensor& tensor) {
  if (tensor.dim() > kMaxDims) [[unlikely]]
    refuse_rank(tensor);
  if (!tensor.is_privateuseone()) [[unlikely]]
    refuse_device(tensor);
  if (events::is_remarkable(tensor.scalar_type())) [[unlikely]] {
    if (tensor.scalar_type() == at::kDouble && float64::mode() == float64::Mode::Fallback)
      throw Refusal("TORCH_NPU_FLOAT64=fallback");
    events::note_operand(tensor.scalar_type());
  }
  const aclDataType type = to_acl(tensor.scalar_type());
  // All sizes of these types are powers of two; a division would take as long as the rest.
  const auto storage_numel = static_cast<int64_t>(tensor.storage().nbytes() >> std::countr_zero(tensor.itemsize()));
  return checked(create_tensor(tensor.sizes().data(), static_cast<uint64_t>(tensor.dim()), type,
                               tensor.strides().data(), tensor.storage_offset(), format_of_rank(tensor.dim()),
                               &storage_numel, 1, const_cast<void*>(tensor.storage().data())),
                 "tensor descriptor");
}

aclScalar* make(const at::Scalar& scalar) {
  return scalar.isIntegral(/*includeBool=*/false) && scalar.equal(1) ? one() : make_own(scalar);
}

aclIntArray* make(at::IntArrayRef values) {
  return checked(create_int_array(values.data(), values.size()), "int array");
}

aclFloatArray* make(at::ArrayRef<double> values) {
  const std::vector<float> narrowed(values.begin(), values.end());
  return checked(create_float_array(narrowed.data(), narrowed.size()), "float array");
}

aclBoolArray* make(at::ArrayRef<bool> values) {
  return checked(create_bool_array(values.data(), values.size()), "bool array");
}

aclTensorList* make(std::vector<aclTensor*>& tensors) {
  return checked(create_tensor_list(tensors.data(), tensors.size()), "tensor list");  // owns its members from here on
}

aclScalarList* make(at::ArrayRef<at::Scalar> values) {
  std::vector<aclScalar*> made;
  for (const at::Scalar& value : values) made.push_back(make_own(value));
  return checked(create_scalar_list(made.data(), made.size()), "scalar list");
}

void destroy(const aclTensor* d) {
  events::operands_done();
  destroy_tensor(d);
}
void destroy(const aclScalar* d) {
  if (d != one()) destroy_scalar(d);
}
void destroy(const aclIntArray* d) { destroy_int_array(d); }
void destroy(const aclFloatArray* d) { destroy_float_array(d); }
void destroy(const aclBoolArray* d) { destroy_bool_array(d); }
void destroy(const aclTensorList* d) { destroy_tensor_list(d); }
void destroy(const aclScalarList* d) { destroy_scalar_list(d); }

}  // namespace descriptor

namespace detail {

void refuse_missing(const char* name) { throw Refusal(std::string(name) + " is not in this CANN"); }

void refuse(const char* name, aclnnStatus status) {
  std::string reason = recent_error_message();
  throw Refusal(reason.empty() ? std::string(name) + " declined with status " + std::to_string(status)
                               : std::move(reason));
}

void fail(const char* name, aclnnStatus status) {
  TORCH_CHECK(false, name, " failed with status ", status, ": ", recent_error_message());
}

c10::DataPtr allocate_workspace(uint64_t bytes, c10::DeviceIndex device) { return memory::allocate(bytes, device); }

}  // namespace detail
}  // namespace torch_npu
