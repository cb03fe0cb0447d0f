// Linear algebra that CANN has natively: batches of real matrices, computed in float64.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// self [..., m, n] = q r. mode 0: q [m, k], r [k, n] with k = min(m, n); 1: q [m, m], r [m, n]; 2: r alone, as in 0.
Result<Launch> linalg_qr(const TensorView& self, int64_t mode, const TensorView& q, const TensorView& r);

// x of a x = self, or with transpose a^T x = self; a triangular, its other half not read; m becomes a copy of a.
Result<Launch> triangular_solve(const TensorView& self, const TensorView& a, bool upper, bool transpose,
                                bool unitriangular, const TensorView& x, const TensorView& m);

// out out^T = self, or with upper out^T out; the other half of self is not read. Fails, when it runs, where self is not
// positive definite.
Result<Launch> cholesky(const TensorView& self, bool upper, const TensorView& out);

// Fails, when it runs, where self is singular.
Result<Launch> inverse(const TensorView& self, const TensorView& out);

// The determinant's sign, and the logarithm of its size.
Result<Launch> slogdet(const TensorView& self, const TensorView& sign, const TensorView& log);

// self [..., m, n] = u diag(sigma) v^T, sigma descending; u [m, k], v [n, k], or with full_matrices [m, m], [n, n].
// Without compute_uv sigma alone is written.
Result<Launch> svd(const TensorView& self, bool full_matrices, bool compute_uv, const TensorView& sigma,
                   const TensorView& u, const TensorView& v);

}  // namespace cann::ops
