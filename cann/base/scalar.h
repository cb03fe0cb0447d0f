// A host scalar as AscendCL hands it over: bool, int64, double or complex128.
#pragma once

#include <complex>
#include <cstdint>

#include "cann/base/dtype.h"

namespace cann {

class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  Scalar(bool v) : dtype_(DType::Bool), integer_(v) {}
  Scalar(int64_t v) : dtype_(DType::Int64), integer_(v) {}
  Scalar(int v) : Scalar(int64_t{v}) {}
  Scalar(double v) : dtype_(DType::Float64), real_(v) {}
  Scalar(std::complex<double> v) : dtype_(DType::Complex128), real_(v.real()), imag_(v.imag()) {}

  DType dtype() const { return dtype_; }
  bool is_integral() const { return dtype_ == DType::Bool || dtype_ == DType::Int64; }

  double to_double() const { return is_integral() ? static_cast<double>(integer_) : real_; }
  int64_t to_int64() const { return is_integral() ? integer_ : static_cast<int64_t>(real_); }
  bool to_bool() const { return is_integral() ? integer_ != 0 : real_ != 0 || imag_ != 0; }
  std::complex<double> to_complex() const { return {to_double(), imag_}; }

 private:
  DType dtype_;
  int64_t integer_ = 0;
  double real_ = 0, imag_ = 0;
};

// The type of `tensor op scalar`: a scalar changes it only where its category is higher (bool < integer < float <
// complex).
constexpr DType promote_scalar(DType tensor, DType scalar) {
  if (is_complex(scalar)) {
    if (is_complex(tensor)) return tensor;
    return tensor == DType::Float64   ? DType::Complex128
           : tensor == DType::Float16 ? DType::Complex32
                                      : DType::Complex64;
  }
  if (is_floating(scalar)) return is_floating(tensor) || is_complex(tensor) ? tensor : DType::Float32;
  if (scalar == DType::Bool) return tensor;
  return tensor == DType::Bool ? DType::Int64 : tensor;
}

}  // namespace cann
