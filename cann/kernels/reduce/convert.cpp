// Block copies with conversion. Contiguous rows are vectorised; half types tile by tile (half.h).
#include "cann/kernels/reduce/convert.h"

#include "cann/kernels/element.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class S, class D>
void convert_row(const S* from, D* to, int64_t n) {
  if constexpr (kSame<S, D>)
    __builtin_memcpy(to, from, n * sizeof(S));
  else if constexpr (kSame<S, Half> && kSame<D, float>)
    widen(from, to, n);
  else if constexpr (kSame<S, float> && kSame<D, Half>)
    narrow(from, to, n);
  else
    for (int64_t i = 0; i < n; ++i) to[i] = cast<D>(from[i]);
}

template <class S, class D>
void convert_block(const void* from, Strides2 fs, void* to, Strides2 ts, int64_t rows, int64_t cols) {
  auto x = static_cast<const S*>(from);
  auto y = static_cast<D*>(to);
  for (int64_t r = 0; r < rows; ++r, x += fs.row, y += ts.row) {
    if (fs.col == 1 && ts.col == 1)
      convert_row(x, y, cols);
    else if (ts.col == 1)
      for (int64_t c = 0; c < cols; ++c) y[c] = cast<D>(x[c * fs.col]);
    else
      for (int64_t c = 0; c < cols; ++c) y[c * ts.col] = cast<D>(x[c * fs.col]);
  }
}

// sqrt(re^2 + im^2) in double where the type is float, so that no square overflows; scaled for double.
inline float magnitude(Complex<float> z) {
  double re = z.re, im = z.im;
  return static_cast<float>(__builtin_sqrt(re * re + im * im));
}
inline double magnitude(Complex<double> z) { return __builtin_hypot(z.re, z.im); }

template <class R>
void magnitude_block(const void* from, Strides2 fs, void* to, Strides2 ts, int64_t rows, int64_t cols) {
  auto x = static_cast<const Complex<R>*>(from);
  auto y = static_cast<R*>(to);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) y[r * ts.row + c * ts.col] = magnitude(x[r * fs.row + c * fs.col]);
}

template <class S>
Convert from_type(DType to) {
  switch (to) {
    case DType::Float32: return convert_block<S, float>;
    case DType::Float64: return convert_block<S, double>;
    case DType::Float16: return convert_block<S, Half>;
    case DType::BFloat16: return convert_block<S, BFloat16>;
    case DType::Int64: return convert_block<S, int64_t>;
    case DType::Int32: return convert_block<S, int32_t>;
    case DType::Int16: return convert_block<S, int16_t>;
    case DType::Int8: return convert_block<S, int8_t>;
    case DType::UInt8: return convert_block<S, uint8_t>;
    case DType::Bool: return convert_block<S, Bool>;
    case DType::Complex64: return convert_block<S, Complex<float>>;
    case DType::Complex128: return convert_block<S, Complex<double>>;
    default: return nullptr;
  }
}

Convert find(DType from, DType to) {
  switch (from) {
    case DType::Float32: return from_type<float>(to);
    case DType::Float64: return from_type<double>(to);
    case DType::Float16: return from_type<Half>(to);
    case DType::BFloat16: return from_type<BFloat16>(to);
    case DType::Int64: return from_type<int64_t>(to);
    case DType::Int32: return from_type<int32_t>(to);
    case DType::Int16: return from_type<int16_t>(to);
    case DType::Int8: return from_type<int8_t>(to);
    case DType::UInt8: return from_type<uint8_t>(to);
    case DType::Bool: return from_type<Bool>(to);
    case DType::Complex64: return from_type<Complex<float>>(to);
    case DType::Complex128: return from_type<Complex<double>>(to);
    default: return nullptr;
  }
}

Convert find_magnitude(DType from) {
  if (from == DType::Complex64) return magnitude_block<float>;
  if (from == DType::Complex128) return magnitude_block<double>;
  return nullptr;
}

}  // namespace

extern const ConvertKernels convert_table{find, find_magnitude};

}  // namespace cann::kernels::CANN_ISA
