// Element types, numbered as aclDataType is, with their sizes and PyTorch's promotion lattice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cann {

enum class DType : int32_t {
  Undefined = -1,
  Float32 = 0,
  Float16 = 1,
  Int8 = 2,
  Int32 = 3,
  UInt8 = 4,
  Int16 = 6,
  UInt16 = 7,
  UInt32 = 8,
  Int64 = 9,
  UInt64 = 10,
  Float64 = 11,
  Bool = 12,
  Complex64 = 16,
  Complex128 = 17,
  BFloat16 = 27,
  Complex32 = 33,
};

constexpr int64_t size_of(DType t) {
  switch (t) {
    case DType::Int8:
    case DType::UInt8:
    case DType::Bool: return 1;
    case DType::Float16:
    case DType::BFloat16:
    case DType::Int16:
    case DType::UInt16: return 2;
    case DType::Float32:
    case DType::Int32:
    case DType::UInt32:
    case DType::Complex32: return 4;
    case DType::Float64:
    case DType::Int64:
    case DType::UInt64:
    case DType::Complex64: return 8;
    case DType::Complex128: return 16;
    case DType::Undefined: return 0;
  }
  return 0;
}

constexpr const char* name_of(DType t) {
  switch (t) {
    case DType::Float32: return "float32";
    case DType::Float16: return "float16";
    case DType::Int8: return "int8";
    case DType::Int32: return "int32";
    case DType::UInt8: return "uint8";
    case DType::Int16: return "int16";
    case DType::UInt16: return "uint16";
    case DType::UInt32: return "uint32";
    case DType::Int64: return "int64";
    case DType::UInt64: return "uint64";
    case DType::Float64: return "float64";
    case DType::Bool: return "bool";
    case DType::Complex64: return "complex64";
    case DType::Complex128: return "complex128";
    case DType::BFloat16: return "bfloat16";
    case DType::Complex32: return "complex32";
    case DType::Undefined: return "undefined";
  }
  return "unknown";
}

constexpr bool is_complex(DType t) { return t == DType::Complex64 || t == DType::Complex128 || t == DType::Complex32; }
constexpr bool is_half(DType t) { return t == DType::Float16 || t == DType::BFloat16; }
constexpr bool is_floating(DType t) { return t == DType::Float32 || t == DType::Float64 || is_half(t); }
constexpr bool is_integral(DType t) {
  return !is_floating(t) && !is_complex(t) && t != DType::Bool && t != DType::Undefined;
}

// The real type of a complex one; any other type itself.
constexpr DType real_of(DType t) {
  switch (t) {
    case DType::Complex32: return DType::Float16;
    case DType::Complex64: return DType::Float32;
    case DType::Complex128: return DType::Float64;
    default: return t;
  }
}

// The type PyTorch's promotion gives to two operands of equal category rank (tensors of one or more dimensions).
constexpr DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) {
    DType ra = real_of(a), rb = real_of(b);
    if (ra == DType::Float64 || rb == DType::Float64) return DType::Complex128;
    if (a == DType::Complex32 && (b == DType::Float16 || !is_floating(b)) && !is_complex(b)) return DType::Complex32;
    if (b == DType::Complex32 && (a == DType::Float16 || !is_floating(a)) && !is_complex(a)) return DType::Complex32;
    return DType::Complex64;
  }
  if (is_floating(a) || is_floating(b)) {
    if (!is_floating(a)) return b;
    if (!is_floating(b)) return a;
    if (a == DType::Float64 || b == DType::Float64) return DType::Float64;
    return DType::Float32;  // float32 with a half type, or the two half types
  }
  if (a == DType::Bool) return b;
  if (b == DType::Bool) return a;
  auto is_unsigned = [](DType t) {
    return t == DType::UInt8 || t == DType::UInt16 || t == DType::UInt32 || t == DType::UInt64;
  };
  if (is_unsigned(a) == is_unsigned(b)) return size_of(a) >= size_of(b) ? a : b;
  DType u = is_unsigned(a) ? a : b, s = is_unsigned(a) ? b : a;
  if (size_of(s) > size_of(u)) return s;
  return size_of(u) == 1 ? DType::Int16 : size_of(u) == 2 ? DType::Int32 : DType::Int64;
}

}  // namespace cann
