// Which type a pointwise operator computes in, by PyTorch's promotion, and how host scalars become its params.
#include "cann/ops/pointwise.h"

namespace cann::ops {

using kernels::compute_type;

DType common_type(std::initializer_list<Operand> operands) {
  DType dimensioned = DType::Undefined, zero_dim = DType::Undefined, scalar = DType::Undefined;
  auto join = [](DType& into, DType type) { into = into == DType::Undefined ? type : promote(into, type); };
  for (const Operand& operand : operands) {
    if (operand.scalar)
      join(scalar, operand.scalar->dtype());
    else
      join(operand.tensor->ndim ? dimensioned : zero_dim, operand.tensor->dtype);
  }
  auto category = [](DType t) { return t == DType::Bool ? 1 : is_complex(t) ? 4 : is_floating(t) ? 3 : 2; };
  DType type = dimensioned;
  if (type == DType::Undefined)
    type = zero_dim;
  else if (zero_dim != DType::Undefined && category(zero_dim) > category(type))
    type = promote(type, zero_dim);
  if (scalar == DType::Undefined) return type;
  if (type == DType::Undefined)
    return is_complex(scalar) ? DType::Complex64 : is_floating(scalar) ? DType::Float32 : scalar;
  return promote_scalar(type, scalar);
}

Params params_of(std::initializer_list<Scalar> scalars, DType type) {
  Params params;
  int slot = 0;
  for (const Scalar& s : scalars) params.set(slot++, s, type);
  return params;
}

Result<Launch> same_type(Op op, std::initializer_list<Operand> operands, const TensorView& out,
                         std::initializer_list<Scalar> scalars) {
  const DType compute = compute_type(common_type(operands));
  return pointwise(op, operands, out, compute, params_of(scalars, compute), static_cast<int>(scalars.size()));
}

Result<Launch> floating(Op op, std::initializer_list<Operand> operands, const TensorView& out,
                        std::initializer_list<Scalar> scalars) {
  DType compute = compute_type(common_type(operands));
  if (!is_floating(compute) && !is_complex(compute))
    compute = out.dtype == DType::Float64 ? DType::Float64 : DType::Float32;
  return pointwise(op, operands, out, compute, params_of(scalars, compute), static_cast<int>(scalars.size()));
}

}  // namespace cann::ops

namespace cann::kernels {

void Params::set(int slot, const Scalar& value, DType type) {
  auto store = [&](auto element) { std::memcpy(slots[slot], &element, sizeof element); };
  switch (type) {
    case DType::Bool: return store(value.to_bool());
    case DType::Int8: return store(static_cast<int8_t>(value.to_int64()));
    case DType::UInt8: return store(static_cast<uint8_t>(value.to_int64()));
    case DType::Int16: return store(static_cast<int16_t>(value.to_int64()));
    case DType::UInt16: return store(static_cast<uint16_t>(value.to_int64()));
    case DType::Int32: return store(static_cast<int32_t>(value.to_int64()));
    case DType::UInt32: return store(static_cast<uint32_t>(value.to_int64()));
    case DType::Int64: return store(value.to_int64());
    case DType::UInt64: return store(static_cast<uint64_t>(value.to_int64()));
    case DType::Float64: return store(value.to_double());
    case DType::Complex64: return store(std::complex<float>(value.to_complex()));
    case DType::Complex128: return store(value.to_complex());
    default: return store(static_cast<float>(value.to_double()));
  }
}

}  // namespace cann::kernels
