// Reductions over any dimensions. Shapes have been settled by the caller (an output may keep the reduced dimensions or
// not); a null or empty list of dims means all. The type that is computed in follows from the output, as PyTorch casts
// before it reduces.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"
#include "cann/kernels/reduce/reduce.h"

namespace cann::ops {

using kernels::ReduceOp;

// sum, mean, nansum, prod, any, all, amax, amin, logsumexp
Result<Launch> reduce(const char* name, ReduceOp op, const TensorView& self, IntArray dims, const TensorView& out);

// The sum of a matrix's diagonal.
Result<Launch> trace(const TensorView& self, const TensorView& out);

// The vector norm of order `p`.
Result<Launch> vector_norm(const char* name, const TensorView& self, double p, IntArray dims, const TensorView& out);

// Variance or standard deviation (op: Var, Std), and with it the mean unless that is null.
Result<Launch> variance(const char* name, ReduceOp op, const TensorView& self, IntArray dims, int64_t correction,
                        const TensorView& out, const TensorView* mean);

// The extremum along a dimension (values may be null) and its first index.
Result<Launch> arg_reduce(const char* name, ReduceOp op, const TensorView& self, int64_t dim, const TensorView* values,
                          const TensorView& indices);

Result<Launch> min_and_max(const char* name, const TensorView& self, IntArray dims, const TensorView& min,
                           const TensorView& max);

}  // namespace cann::ops
