// Checks, choice of the reducer, and the Task. The walk is reduce_plan.cpp's, the arithmetic the kernels'.
#include "cann/ops/reduce.h"

#include <cmath>

#include "cann/ops/reduce_plan.h"

namespace cann::ops {
namespace {

Result<DimSet> dim_set(const char* name, IntArray dims, int ndim) {
  DimSet set;
  if (dims.empty()) {
    for (int d = 0; d < ndim; ++d) set.set(d);
    return set;
  }
  for (int64_t dim : dims) {
    int64_t wrapped = dim < 0 ? dim + std::max(ndim, 1) : dim;
    if (wrapped < 0 || wrapped >= std::max(ndim, 1))
      return bad_parameter(std::string(name) + ": dim " + std::to_string(dim) + " of a tensor with " +
                           std::to_string(ndim) + " dimensions");
    if (ndim > 0) set.set(wrapped);
  }
  return set;
}

// What values of a type are reduced in.
DType compute_type(DType t) {
  if (is_half(t)) return DType::Float32;
  if (is_integral(t)) return DType::Int64;
  return t;
}

Status check_outputs(const char* name, const TensorView& self, DimSet reduced, const TensorView& out) {
  int64_t expected = 1;
  for (int d = 0; d < self.ndim; ++d)
    if (!reduced[d]) expected *= self.sizes[d];
  bool right_dims = out.ndim == self.ndim || out.ndim == self.ndim - static_cast<int>(reduced.count()) || expected == 1;
  if (out.numel() == expected && right_dims) return {};
  return bad_parameter(std::string(name) + ": self " + describe(self) + ", out " + describe(out) + ": out needs " +
                       std::to_string(expected) + " elements in the dimensions that are kept");
}

Result<const kernels::Reducer*> find_reducer(const char* name, ReduceOp op, DType compute, const TensorView& self,
                                             DType out) {
  const kernels::Reducer* reducer = nullptr;
  if (is_half(self.dtype) && compute == DType::Float32) reducer = kernels::reduce().find(op, self.dtype);
  if (reducer != nullptr) return reducer;
  reducer = kernels::reduce().find(op, compute);
  if (reducer == nullptr || kernels::convert().find(self.dtype, compute) == nullptr ||
      kernels::convert().find(reducer->value, out) == nullptr)
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", out " + name_of(out) + ": no such types");
  return reducer;
}

template <class... Plans>
Launch launch_of(const char* name, const Plans&... plans) {
  float us = (plans.estimated_us() + ...);
  size_t bytes = 0;
  ((bytes = std::max(bytes, plans.workspace_bytes())), ...);  // one after the other, so that they can share it
  return {Task(name, us, [plans...](TaskContext& context) { (plans.run(context), ...); }), bytes};
}

}  // namespace

Result<Launch> reduce(const char* name, ReduceOp op, const TensorView& self, IntArray dims, const TensorView& out) {
  ASSIGN_OR_RETURN(DimSet reduced, dim_set(name, dims, self.ndim));
  RETURN_IF_ERROR(check_outputs(name, self, reduced, out));
  DType compute = compute_type(out.dtype);
  switch (op) {
    case ReduceOp::Any:
    case ReduceOp::All:
    case ReduceOp::CountNonzero: compute = DType::Bool; break;
    case ReduceOp::Max:
    case ReduceOp::Min: compute = compute_type(self.dtype); break;
    case ReduceOp::Sum:
      if (compute == DType::Bool) op = ReduceOp::Any;
      break;
    case ReduceOp::Prod:
      if (compute == DType::Bool) op = ReduceOp::All;
      break;
    default: break;
  }
  if (is_complex(self.dtype) && !is_complex(compute) && compute != DType::Bool)
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", out " + name_of(out.dtype) +
                         ": the imaginary part would be lost");
  ASSIGN_OR_RETURN(const kernels::Reducer* reducer, find_reducer(name, op, compute, self, out.dtype));
  return launch_of(name, ReducePlan(reducer, self, reduced, 0, &out));
}

Result<Launch> vector_norm(const char* name, const TensorView& self, double p, IntArray dims, const TensorView& out) {
  ASSIGN_OR_RETURN(DimSet reduced, dim_set(name, dims, self.ndim));
  RETURN_IF_ERROR(check_outputs(name, self, reduced, out));
  if (is_integral(self.dtype) || self.dtype == DType::Bool || is_complex(out.dtype) || !is_floating(out.dtype))
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", out " + name_of(out.dtype) +
                         ": needs a floating or complex self and a floating out");
  ReduceOp op = ReduceOp::NormP;
  DType compute = compute_type(out.dtype);
  if (p == 0) {
    op = ReduceOp::CountNonzero;
    compute = DType::Bool;
  } else if (p == 1)
    op = ReduceOp::Norm1;
  else if (p == 2)
    op = ReduceOp::Norm2;
  else if (std::isinf(p))
    op = p > 0 ? ReduceOp::NormInf : ReduceOp::NormMinusInf;
  if (p != 0 && is_complex(self.dtype) && real_of(self.dtype) != compute)
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", out " + name_of(out.dtype) +
                         ": no such types");
  ASSIGN_OR_RETURN(const kernels::Reducer* reducer, find_reducer(name, op, compute, self, out.dtype));
  return launch_of(name, ReducePlan(reducer, self, reduced, p, &out));
}

Result<Launch> variance(const char* name, ReduceOp op, const TensorView& self, IntArray dims, int64_t correction,
                        const TensorView& out, const TensorView* mean) {
  ASSIGN_OR_RETURN(DimSet reduced, dim_set(name, dims, self.ndim));
  RETURN_IF_ERROR(check_outputs(name, self, reduced, out));
  if (!is_floating(self.dtype))
    return bad_parameter(std::string(name) + ": self " + describe(self) + ": needs a floating type");
  DType compute = compute_type(self.dtype);
  auto parameter = static_cast<double>(correction);
  ASSIGN_OR_RETURN(const kernels::Reducer* reducer, find_reducer(name, op, compute, self, out.dtype));
  ReducePlan plan(reducer, self, reduced, parameter, &out);
  if (mean == nullptr) return launch_of(name, plan);
  RETURN_IF_ERROR(check_outputs(name, self, reduced, *mean));
  ASSIGN_OR_RETURN(const kernels::Reducer* averager, find_reducer(name, ReduceOp::Mean, compute, self, mean->dtype));
  return launch_of(name, plan, ReducePlan(averager, self, reduced, 0, mean));
}

Result<Launch> arg_reduce(const char* name, ReduceOp op, const TensorView& self, int64_t dim, const TensorView* values,
                          const TensorView& indices) {
  ASSIGN_OR_RETURN(DimSet reduced, dim_set(name, {&dim, 1}, self.ndim));
  RETURN_IF_ERROR(check_outputs(name, self, reduced, indices));
  if (is_complex(self.dtype))
    return bad_parameter(std::string(name) + ": self " + describe(self) + ": complex has no order");
  DType value_type = values ? values->dtype : self.dtype;
  ASSIGN_OR_RETURN(const kernels::Reducer* reducer, find_reducer(name, op, compute_type(self.dtype), self, value_type));
  return launch_of(name, ReducePlan(reducer, self, reduced, 0, values, &indices));
}

Result<Launch> min_and_max(const char* name, const TensorView& self, IntArray dims, const TensorView& min,
                           const TensorView& max) {
  ASSIGN_OR_RETURN(DimSet reduced, dim_set(name, dims, self.ndim));
  RETURN_IF_ERROR(check_outputs(name, self, reduced, min));
  RETURN_IF_ERROR(check_outputs(name, self, reduced, max));
  if (is_complex(self.dtype))
    return bad_parameter(std::string(name) + ": self " + describe(self) + ": complex has no order");
  DType compute = compute_type(self.dtype);
  ASSIGN_OR_RETURN(const kernels::Reducer* smallest, find_reducer(name, ReduceOp::Min, compute, self, min.dtype));
  ASSIGN_OR_RETURN(const kernels::Reducer* largest, find_reducer(name, ReduceOp::Max, compute, self, max.dtype));
  return launch_of(name, ReducePlan(smallest, self, reduced, 0, &min), ReducePlan(largest, self, reduced, 0, &max));
}

Result<Launch> trace(const TensorView& self, const TensorView& out) {
  if (self.ndim != 2) return bad_parameter("trace: self " + describe(self) + ": a matrix needed");
  TensorView diagonal{self.data, self.dtype, 1, {std::min(self.sizes[0], self.sizes[1])}, {}};
  diagonal.strides[0] = self.strides[0] + self.strides[1];
  return reduce("trace", ReduceOp::Sum, diagonal, {}, out);
}

}  // namespace cann::ops
