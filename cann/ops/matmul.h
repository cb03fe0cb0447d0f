// Matrix products as CANN names them. All take any strides without copying, any batch broadcasting PyTorch allows, and
// the dtypes of kernels/matmul (float32, half types, float64, integers, complex). beta 0 does not read self. Sums of
// half types are taken in float32 and rounded once.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// out = self @ other: vectors, matrices or batches of them, as torch.matmul reads them.
Result<Launch> matmul(const TensorView& self, const TensorView& other, const TensorView& out);

// out = beta self + alpha mat1 @ mat2; with leading dimensions a batch (baddbmm). self broadcasts.
Result<Launch> addmm(const TensorView& self, const TensorView& mat1, const TensorView& mat2, const Scalar& beta,
                     const Scalar& alpha, const TensorView& out);

// out = beta self + alpha (sum over the batch of batch1 @ batch2)
Result<Launch> addbmm(const TensorView& self, const TensorView& batch1, const TensorView& batch2, const Scalar& beta,
                      const Scalar& alpha, const TensorView& out);

// out = beta self + alpha mat @ vec
Result<Launch> addmv(const TensorView& self, const TensorView& mat, const TensorView& vec, const Scalar& alpha,
                     const Scalar& beta, const TensorView& out);

// out = sum of self * other, both of one dimension; out has none.
Result<Launch> dot(const TensorView& self, const TensorView& other, const TensorView& out);

// out = beta self + alpha (vec1 outer vec2). self null: none.
Result<Launch> addr(const TensorView* self, const TensorView& vec1, const TensorView& vec2, const Scalar* beta,
                    const Scalar* alpha, const TensorView& out);

// out = input @ weight^T + bias. input [..., in], weight [out, in], bias [out] or null.
Result<Launch> linear(const TensorView& input, const TensorView& weight, const TensorView* bias, const TensorView& out);

// out = alpha op(a) @ op(b) + beta c, where op transposes if asked.
Result<Launch> gemm(const TensorView& a, const TensorView& b, const TensorView& c, double alpha, double beta,
                    bool transpose_a, bool transpose_b, const TensorView& out);

}  // namespace cann::ops
