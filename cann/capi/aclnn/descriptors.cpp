// Making and destroying descriptors. A view that leaves its storage is refused here, so that no operator needs to look.
#include "cann/capi/aclnn/descriptors.h"

#include <algorithm>
#include <complex>
#include <new>

#include "cann/capi/aclnn/pool.h"
#include "cann/runtime/enqueue.h"

namespace {

using cann::DType;
using cann::capi::Pool;

template <class T, class Make>
T* make_or_null(const char* function, Make&& make) noexcept {
  try {
    return make();
  } catch (const std::exception& error) {
    cann::set_recent_error(std::string(function) + ": " + error.what());
    return nullptr;
  }
}

aclTensor* refuse(const char* why) {
  cann::set_recent_error(std::string("aclCreateTensor: ") + why);
  return nullptr;
}

struct Extent {
  const char* refused = nullptr;  // why
  int64_t last = -1;              // the last element that the view reaches, counted from the start of the storage
};

// Sizes and strides go where they stay: copying a view that was just put together costs more than all the checks.
Extent write_view(cann::TensorView& view, const int64_t* sizes, int ndim, const int64_t* strides, int64_t offset) {
  for (int d = ndim; d < view.ndim; ++d) view.sizes[d] = view.strides[d] = 0;  // of its last use
  view.ndim = ndim;
  int64_t contiguous = 1, last = offset;
  bool empty = false;
  for (int d = ndim - 1; d >= 0; --d) {
    const int64_t size = sizes[d], step = strides != nullptr ? strides[d] : contiguous;
    if (size < 0) return {"a negative size"};
    if (step < 0) return {"a negative stride"};
    view.sizes[d] = size;
    view.strides[d] = step;
    contiguous *= size;
    last += (size - 1) * step;
    empty = empty || size == 0;
  }
  return {nullptr, empty ? -1 : last};
}

void say_it_leaves(const aclTensor& tensor, int64_t storage_numel) {
  cann::set_recent_error("aclCreateTensor: the view " + cann::describe(tensor.view) + " with strides " +
                         cann::to_string({tensor.view.strides, static_cast<size_t>(tensor.view.ndim)}) +
                         " and offset " + std::to_string(tensor.offset) + " leaves its storage of " +
                         std::to_string(storage_numel) + " elements");
}

template <class Array, class Value>
Array* make_array(const char* function, const Value* values, uint64_t size) {
  return make_or_null<Array>(function, [&]() -> Array* {
    if (values == nullptr && size > 0) {
      cann::set_recent_error(std::string(function) + ": value is a null pointer, size is " + std::to_string(size));
      return nullptr;
    }
    Array* array = Pool<Array>::take();
    array->values.assign(values, values + size);
    return array;
  });
}

template <class T>
aclnnStatus give_back(const T* item) {
  if (item != nullptr) Pool<T>::give(const_cast<T*>(item));
  return 0;
}

constexpr aclnnStatus kNullPointer = static_cast<int>(cann::Code::NullPointer);

// The caller deletes the array, as in CANN.
aclnnStatus give_array(const int64_t* values, int count, int64_t** array, uint64_t* size) {
  if (array == nullptr || size == nullptr) return kNullPointer;
  *array = new (std::nothrow) int64_t[cann::kMaxDims];
  if (*array == nullptr) return static_cast<int>(cann::Code::InternalFailure);
  *size = static_cast<uint64_t>(count);
  std::copy_n(values, count, *array);
  return 0;
}

template <class Object, class Value, class Get>
aclnnStatus give_value(const Object* object, Value* value, Get&& get) {
  if (object == nullptr || value == nullptr) return kNullPointer;
  *value = get(*object);
  return 0;
}

}  // namespace

extern "C" {

aclTensor* aclCreateTensor(const int64_t* view_dims, uint64_t view_dims_num, aclDataType data_type,
                           const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storage_dims,
                           uint64_t storage_dims_num, void* tensor_data) {
  return make_or_null<aclTensor>("aclCreateTensor", [&]() -> aclTensor* {
    if (view_dims_num > cann::kMaxDims || storage_dims_num > cann::kMaxDims) return refuse("more than 8 dimensions");
    if (view_dims == nullptr && view_dims_num > 0) return refuse("viewDims is a null pointer");
    const auto dtype = static_cast<DType>(data_type);
    const int64_t item_bytes = cann::size_of(dtype);
    if (item_bytes == 0) return refuse("a data type that this CANN does not have");
    if (offset < 0) return refuse("a negative offset");

    aclTensor* tensor = Pool<aclTensor>::take();
    const Extent extent = write_view(tensor->view, view_dims, static_cast<int>(view_dims_num), stride, offset);
    if (extent.refused != nullptr) {
      Pool<aclTensor>::give(tensor);
      return refuse(extent.refused);
    }
    tensor->view.dtype = dtype;
    tensor->view.data = tensor_data ? static_cast<char*>(tensor_data) + offset * item_bytes : nullptr;
    tensor->view.reported = &tensor->reported;
    tensor->storage = tensor_data;
    tensor->offset = offset;
    tensor->format = format;
    tensor->storage_ndim = storage_dims != nullptr ? static_cast<int32_t>(storage_dims_num) : 0;
    int64_t storage_numel = 1;
    for (int d = 0; d < tensor->storage_ndim; ++d) storage_numel *= tensor->storage_sizes[d] = storage_dims[d];
    if (storage_dims != nullptr && extent.last >= storage_numel) [[unlikely]] {
      say_it_leaves(*tensor, storage_numel);
      Pool<aclTensor>::give(tensor);
      return nullptr;
    }
    return tensor;
  });
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  if (tensor != nullptr) const_cast<aclTensor*>(tensor)->reported = {};
  return give_back(tensor);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** view_dims, uint64_t* view_dims_num) {
  if (tensor == nullptr) return kNullPointer;
  cann::TensorView view = tensor->view;
  if (const cann::ReportedShape* reported = tensor->reported.get(); reported && reported->size() >= 0)
    view.sizes[reported->dim()] = reported->size();  // the work has ended and told
  return give_array(view.sizes, view.ndim, view_dims, view_dims_num);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** strides, uint64_t* strides_num) {
  if (tensor == nullptr) return kNullPointer;
  return give_array(tensor->view.strides, tensor->view.ndim, strides, strides_num);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storage_dims, uint64_t* storage_dims_num) {
  if (tensor == nullptr) return kNullPointer;
  return give_array(tensor->storage_sizes, tensor->storage_ndim, storage_dims, storage_dims_num);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return give_value(tensor, offset, [](auto& t) { return t.offset; });
}
aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* type) {
  return give_value(tensor, type, [](auto& t) { return static_cast<aclDataType>(t.view.dtype); });
}
aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return give_value(tensor, format, [](auto& t) { return static_cast<aclFormat>(t.format); });
}
aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** address) {
  return give_value(tensor, address, [](auto& t) { return t.storage; });
}
aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* address) {
  if (tensor == nullptr) return kNullPointer;
  tensor->storage = address;
  tensor->view.data =
      address ? static_cast<char*>(address) + tensor->offset * cann::size_of(tensor->view.dtype) : nullptr;
  return 0;
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* view_dims, uint64_t view_dims_num, aclDataType data_type,
                          const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storage_dims,
                          uint64_t storage_dims_num, void* tensor_data) {
  if (tensor == nullptr) return static_cast<int>(cann::Code::NullPointer);
  aclTensor* made = aclCreateTensor(view_dims, view_dims_num, data_type, stride, offset, format, storage_dims,
                                    storage_dims_num, tensor_data);
  if (made == nullptr) return static_cast<int>(cann::Code::BadParameter);
  *tensor = *made;
  tensor->view.reported = &tensor->reported;
  return aclDestroyTensor(made);
}

aclScalar* aclCreateScalar(void* value, aclDataType data_type) {
  return make_or_null<aclScalar>("aclCreateScalar", [&]() -> aclScalar* {
    if (value == nullptr) {
      cann::set_recent_error("aclCreateScalar: value is a null pointer");
      return nullptr;
    }
    aclScalar* scalar = Pool<aclScalar>::take();
    switch (static_cast<DType>(data_type)) {
      case DType::Bool: scalar->value = cann::Scalar(*static_cast<bool*>(value)); break;
      case DType::Int64: scalar->value = cann::Scalar(*static_cast<int64_t*>(value)); break;
      case DType::Int32: scalar->value = cann::Scalar(int64_t{*static_cast<int32_t*>(value)}); break;
      case DType::Int16: scalar->value = cann::Scalar(int64_t{*static_cast<int16_t*>(value)}); break;
      case DType::Int8: scalar->value = cann::Scalar(int64_t{*static_cast<int8_t*>(value)}); break;
      case DType::UInt8: scalar->value = cann::Scalar(int64_t{*static_cast<uint8_t*>(value)}); break;
      case DType::Float32: scalar->value = cann::Scalar(double{*static_cast<float*>(value)}); break;
      case DType::Float64: scalar->value = cann::Scalar(*static_cast<double*>(value)); break;
      case DType::Complex64:
        scalar->value = cann::Scalar(std::complex<double>(*static_cast<std::complex<float>*>(value)));
        break;
      case DType::Complex128: scalar->value = cann::Scalar(*static_cast<std::complex<double>*>(value)); break;
      default:
        Pool<aclScalar>::give(scalar);
        cann::set_recent_error(std::string("aclCreateScalar: no scalar of type ") +
                               cann::name_of(static_cast<DType>(data_type)));
        return nullptr;
    }
    return scalar;
  });
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) { return give_back(scalar); }

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return make_array<aclIntArray>("aclCreateIntArray", value, size);
}
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return make_array<aclFloatArray>("aclCreateFloatArray", value, size);
}
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return make_array<aclBoolArray>("aclCreateBoolArray", value, size);
}
aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return give_value(array, size, [](auto& a) { return a.values.size(); });
}
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return give_value(array, size, [](auto& a) { return a.values.size(); });
}
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return give_value(array, size, [](auto& a) { return a.values.size(); });
}
aclnnStatus aclGetTensorListSize(const aclTensorList* list, uint64_t* size) {
  return give_value(list, size, [](auto& l) { return l.tensors.size(); });
}
aclnnStatus aclGetScalarListSize(const aclScalarList* list, uint64_t* size) {
  return give_value(list, size, [](auto& l) { return l.scalars.size(); });
}
aclnnStatus aclDestroyIntArray(const aclIntArray* array) { return give_back(array); }
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) { return give_back(array); }
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) { return give_back(array); }

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return make_or_null<aclTensorList>("aclCreateTensorList", [&]() {
    aclTensorList* list = Pool<aclTensorList>::take();
    list->tensors.clear();
    list->views.clear();
    for (uint64_t i = 0; i < size; ++i) {
      list->tensors.push_back(const_cast<aclTensor*>(value[i]));
      list->views.push_back(value[i] ? &value[i]->view : nullptr);
    }
    return list;
  });
}

aclnnStatus aclDestroyTensorList(const aclTensorList* list) {
  if (list != nullptr)
    for (aclTensor* tensor : list->tensors) aclDestroyTensor(tensor);
  return give_back(list);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return make_or_null<aclScalarList>("aclCreateScalarList", [&]() {
    aclScalarList* list = Pool<aclScalarList>::take();
    list->scalars.clear();
    list->values.clear();
    for (uint64_t i = 0; i < size; ++i) {
      list->scalars.push_back(const_cast<aclScalar*>(value[i]));
      list->values.push_back(value[i]->value);
    }
    return list;
  });
}

aclnnStatus aclDestroyScalarList(const aclScalarList* list) {
  if (list != nullptr)
    for (aclScalar* scalar : list->scalars) give_back(scalar);
  return give_back(list);
}

aclnnStatus aclnnInit(const char*) { return 0; }
aclnnStatus aclnnFinalize() { return 0; }

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  if (executor != nullptr) executor->task = cann::Task();
  return give_back(executor);
}

}  // extern "C"
