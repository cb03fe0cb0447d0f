// A batch of matrix products, as every operator of the family states it: out = alpha * a b + beta * c. Cuts it into
// tiles by its shape alone (same input, same bits, whatever the number of threads) and chooses who multiplies: oneDNN
// for large products of float32 and the half types, our own kernels for the rest.
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"
#include "cann/kernels/matmul/gemm.h"

namespace cann::ops {

inline constexpr int kBatchDims = kMaxDims - 2;

// Where an operand's matrices lie.
struct Matrices {
  void* data = nullptr;
  int64_t row = 0, col = 0;  // strides, in elements
  int64_t batch[kBatchDims] = {};
};

struct Product {
  DType dtype = DType::Undefined;
  int64_t m = 0, n = 0, k = 0;
  int batch_dims = 0;
  int64_t batch_sizes[kBatchDims] = {};
  Matrices a, b, c, out;  // c.data null: none
  kernels::Factor alpha, beta;

  int64_t batches() const;
};

kernels::Factor to_factor(const Scalar& value);

// The product of matrices of any number of leading dimensions, which broadcast to out's; c broadcasts to out entirely.
// pre: a and b have two dimensions or more. Checks shapes and dtypes.
Result<Product> make_product(const char* name, const TensorView* c, const TensorView& a, const TensorView& b,
                             const TensorView& out, const Scalar& beta, const Scalar& alpha);

Result<Launch> multiply(const char* name, const Product& product);

// The view with its last two dimensions exchanged.
TensorView transposed(const TensorView& matrix);

}  // namespace cann::ops
