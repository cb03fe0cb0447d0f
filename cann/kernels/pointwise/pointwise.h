// The arithmetic of every pointwise operator, written once: a function over a contiguous tile of one compute type.
// Eager loops (ops/pointwise) and the graph engine's tiles both call it. Also what brings elements into and out of a
// tile: conversion between any two element types, gathers, scatters, fills. Knows no shapes, no strides beyond two
// dimensions, no threads.
#pragma once

#include <cstdint>
#include <cstring>

#include "cann/base/dtype.h"
#include "cann/base/scalar.h"
#include "cann/kernels/isa.h"

namespace cann::kernels {

enum class Op : uint8_t {
#define OP(name, text, cost) name,
#include "cann/kernels/pointwise/ops.inc"
#undef OP
  Count
};

struct OpInfo {
  const char* name;
  int cost;  // 0.1 ns an element in float32
};

inline constexpr OpInfo kOpInfo[] = {
#define OP(name, text, cost) {text, cost},
#include "cann/kernels/pointwise/ops.inc"
#undef OP
};

constexpr const OpInfo& info(Op op) { return kOpInfo[static_cast<int>(op)]; }

// Elements of a tile: three float32 operands of it fill a quarter of a 48 KiB L1 cache.
inline constexpr int64_t kTile = 1024;
inline constexpr int kMaxInputs = 4;

// An operator's scalars, each already in the compute type (float64 where ops.inc says so). Plain bytes, so that a Task
// can hold it.
struct Params {
  static constexpr int kSlots = 4;
  alignas(16) unsigned char slots[kSlots][16] = {};

  // Stores `value` as an element of `type`, a compute type.
  void set(int slot, const Scalar& value, DType type);

  template <class T>
  T get(int slot) const {
    T value;
    std::memcpy(&value, slots[slot], sizeof(T));
    return value;
  }
};

// out[0..n) = f(in[0][0..n), in[1][0..n), ...). Contiguous; an input may be `out` itself. Inputs are of the compute
// type, but for those that ops.inc says otherwise; the result's type is result_type(op, compute).
using TileFn = void (*)(void* out, const void* const* in, int64_t n, const Params& params);

// dst[0..n) = src[0..n) in another type, as C++ casts but for: anything to bool is "not zero", complex to real drops
// the imaginary part, float to a half type rounds to nearest even and keeps NaN.
using ConvertFn = void (*)(void* dst, const void* src, int64_t n);

// A rectangle in memory, strides in bytes. Rows of `cols` elements.
struct Block {
  int64_t rows, cols, row_stride, col_stride;
};

struct PointwiseKernels {
  // The tile function of an operator in a compute type; null where it has none.
  TileFn (*find)(Op op, DType compute);
  // Between any two element types; null for none of them.
  ConvertFn (*convert)(DType from, DType to);
  // A rectangle to rows * cols contiguous elements of item_bytes each (1, 2, 4, 8 or 16), and back.
  void (*gather)(void* dst, const void* src, const Block& block, int item_bytes);
  void (*scatter)(void* dst, const void* src, const Block& block, int item_bytes);
  // n copies of the element at `value`.
  void (*fill)(void* dst, const void* value, int64_t n, int item_bytes);
  // The sum of n float32 or float64 elements, accumulated in float64, in an order that n alone decides.
  double (*sum)(const void* src, int64_t n, DType type);
};

CANN_KERNEL_TABLE(PointwiseKernels, pointwise)

// The type that a tile of `stored` elements is computed in: half types widen.
constexpr DType compute_type(DType stored) {
  if (is_half(stored)) return DType::Float32;
  if (stored == DType::Complex32) return DType::Complex64;
  return stored;
}

constexpr DType complex_of(DType real) {
  return real == DType::Float64 ? DType::Complex128 : real == DType::Float32 ? DType::Complex64 : real;
}

// What the tile function of (op, compute) writes.
constexpr DType result_type(Op op, DType compute) {
  if (op >= Op::Eq && op <= Op::Signbit) return DType::Bool;
  if (op == Op::Abs || op == Op::Angle || op == Op::Real || op == Op::Imag) return real_of(compute);
  if (op == Op::Complex || op == Op::Polar) return complex_of(compute);
  return compute;
}

// What it reads as operand k.
constexpr DType operand_type(Op op, int k, DType compute) { return op == Op::Where && k == 0 ? DType::Bool : compute; }

}  // namespace cann::kernels
