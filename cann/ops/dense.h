// A tensor as contiguous memory of one type: itself where it is that already, else a copy that the Task owns.
// For operators whose work is far more than a copy.
#pragma once

#include <memory>

#include "cann/base/tensor_view.h"
#include "cann/kernels/reduce/convert.h"

namespace cann::ops {

// Copies between a tensor and contiguous memory of type `as`, in row-major order.
inline void copy_dense(const TensorView& t, DType as, char* memory, bool to_memory) {
  const kernels::Convert copy = to_memory ? kernels::convert().find(t.dtype, as) : kernels::convert().find(as, t.dtype);
  const int64_t cols = t.ndim > 0 ? t.sizes[t.ndim - 1] : 1, rows = t.ndim > 1 ? t.sizes[t.ndim - 2] : 1;
  const kernels::Strides2 strides{t.ndim > 1 ? t.strides[t.ndim - 2] : 0, t.ndim > 0 ? t.strides[t.ndim - 1] : 1},
      dense{cols, 1};
  const int64_t block = rows * cols, total = t.numel();
  for (int64_t done = 0; done < total; done += block) {
    int64_t offset = 0, index = done / block;
    for (int d = t.ndim - 3; d >= 0; --d) {
      offset += index % t.sizes[d] * t.strides[d];
      index /= t.sizes[d];
    }
    char* at = t.as<char>() + offset * size_of(t.dtype);
    char* place = memory + done * size_of(as);
    if (to_memory)
      copy(at, strides, place, dense, rows, cols);
    else
      copy(place, dense, at, strides, rows, cols);
  }
}

class Dense {
 public:
  Dense(const TensorView& t, DType as) : data_(t.as<char>()) {
    if (t.data == nullptr || (t.dtype == as && t.is_contiguous())) return;
    copy_.reset(new char[t.numel() * size_of(as) + 1]);
    copy_dense(t, as, copy_.get(), true);
    data_ = copy_.get();
  }
  const char* data() const { return data_; }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  std::unique_ptr<char[]> copy_;
  const char* data_;
};

// The same for a result, which `finish` writes back.
class DenseOut {
 public:
  DenseOut(const TensorView& t, DType as) : view_(t), as_(as), data_(t.as<char>()) {
    if (t.dtype == as && t.is_contiguous()) return;
    copy_.reset(new char[t.numel() * size_of(as) + 1]);
    data_ = copy_.get();
  }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }
  void finish() {
    if (copy_) copy_dense(view_, as_, copy_.get(), false);
  }

 private:
  TensorView view_;
  DType as_;
  std::unique_ptr<char[]> copy_;
  char* data_;
};

}  // namespace cann::ops
