#include "cann/ops/matmul.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "cann/ops/product.h"

namespace cann::ops {
namespace {

// A row [1, n] or a column [n, 1] of a vector; the view itself if it is no vector.
TensorView as_row(const TensorView& v) {
  if (v.ndim != 1) return v;
  TensorView row = v;
  row.ndim = 2;
  row.sizes[0] = 1, row.sizes[1] = v.sizes[0];
  row.strides[0] = 0, row.strides[1] = v.strides[0];
  return row;
}
TensorView as_column(const TensorView& v) { return v.ndim == 1 ? transposed(as_row(v)) : v; }

// out with a dimension of one element put in before dimension d.
TensorView with_dimension(const TensorView& t, int d) {
  TensorView view = t;
  for (int i = t.ndim; i > d; --i) view.sizes[i] = t.sizes[i - 1], view.strides[i] = t.strides[i - 1];
  view.sizes[d] = 1, view.strides[d] = 0;
  ++view.ndim;
  return view;
}

Result<Launch> product(const char* name, const TensorView* self, const TensorView& a, const TensorView& b,
                       const TensorView& out, const Scalar& beta, const Scalar& alpha) {
  ASSIGN_OR_RETURN(Product p, make_product(name, self, a, b, out, beta, alpha));
  return multiply(name, p);
}

Status too_many_dimensions(const char* name, const TensorView& t) {
  return bad_parameter(std::string(name) + ": " + describe(t) + ": at most 8 dimensions, vectors counted as matrices");
}

}  // namespace

Result<Launch> matmul(const TensorView& self, const TensorView& other, const TensorView& out) {
  if (self.ndim == 0 || other.ndim == 0) return bad_parameter("matmul: both arguments need at least one dimension");
  if (out.ndim + (self.ndim == 1) + (other.ndim == 1) > kMaxDims) return too_many_dimensions("matmul", out);
  TensorView result = out;
  if (other.ndim == 1) result = with_dimension(result, result.ndim);
  if (self.ndim == 1) result = with_dimension(result, result.ndim - 1);
  return product("matmul", nullptr, as_row(self), as_column(other), result, 0, 1);
}

Result<Launch> addmm(const TensorView& self, const TensorView& mat1, const TensorView& mat2, const Scalar& beta,
                     const Scalar& alpha, const TensorView& out) {
  return product("addmm", &self, mat1, mat2, out, beta, alpha);
}

Result<Launch> addmv(const TensorView& self, const TensorView& mat, const TensorView& vec, const Scalar& alpha,
                     const Scalar& beta, const TensorView& out) {
  if (mat.ndim != 2 || vec.ndim != 1 || out.ndim != 1)
    return bad_parameter("addmv: mat " + describe(mat) + ", vec " + describe(vec) +
                         ": a matrix and a vector are needed");
  const TensorView column = self.ndim == 0 ? self : as_column(self);
  return product("addmv", &column, mat, as_column(vec), as_column(out), beta, alpha);
}

Result<Launch> dot(const TensorView& self, const TensorView& other, const TensorView& out) {
  if (self.ndim != 1 || other.ndim != 1 || out.ndim > 1)
    return bad_parameter("dot: self " + describe(self) + ", tensor " + describe(other) + ": vectors are needed");
  TensorView result = out;
  while (result.ndim < 2) result = with_dimension(result, result.ndim);
  return product("dot", nullptr, as_row(self), as_column(other), result, 0, 1);
}

Result<Launch> addr(const TensorView* self, const TensorView& vec1, const TensorView& vec2, const Scalar* beta,
                    const Scalar* alpha, const TensorView& out) {
  if (vec1.ndim != 1 || vec2.ndim != 1)
    return bad_parameter("addr: vec1 " + describe(vec1) + ", vec2 " + describe(vec2) + ": vectors are needed");
  return product("addr", self, as_column(vec1), as_row(vec2), out, beta ? *beta : Scalar(1),
                 alpha ? *alpha : Scalar(1));
}

Result<Launch> linear(const TensorView& input, const TensorView& weight, const TensorView* bias,
                      const TensorView& out) {
  if (weight.ndim != 2 || input.ndim == 0 || (bias && bias->ndim > 1))
    return bad_parameter("linear: input " + describe(input) + ", weight " + describe(weight) +
                         ": a matrix of weights is needed");
  const TensorView result = out.ndim == 1 ? as_row(out) : out;
  return product("linear", bias, as_row(input), transposed(weight), result, 1, 1);
}

Result<Launch> gemm(const TensorView& a, const TensorView& b, const TensorView& c, double alpha, double beta,
                    bool transpose_a, bool transpose_b, const TensorView& out) {
  if (a.ndim != 2 || b.ndim != 2)
    return bad_parameter("gemm: A " + describe(a) + ", B " + describe(b) + ": matrices are needed");
  return product("gemm", &c, transpose_a ? transposed(a) : a, transpose_b ? transposed(b) : b, out, beta, alpha);
}

Result<Launch> addbmm(const TensorView& self, const TensorView& batch1, const TensorView& batch2, const Scalar& beta,
                      const Scalar& alpha, const TensorView& out) {
  if (batch1.ndim != 3 || batch2.ndim != 3 || batch1.sizes[0] != batch2.sizes[0])
    return bad_parameter("addbmm: batch1 " + describe(batch1) + ", batch2 " + describe(batch2) +
                         ": two batches of one size are needed");
  auto slice = [](const TensorView& t, int64_t i) {
    TensorView view = t;
    view.data = static_cast<char*>(t.data) + i * t.strides[0] * size_of(t.dtype);
    view.ndim = 2;
    for (int d = 0; d < 2; ++d) view.sizes[d] = t.sizes[d + 1], view.strides[d] = t.strides[d + 1];
    return view;
  };
  // One product after the other, as PyTorch does it: half types are rounded after each.
  auto steps = std::make_shared<std::vector<Task>>();
  float estimated_us = 0;
  const int64_t batch = batch1.sizes[0];
  for (int64_t i = 0; i < std::max<int64_t>(batch, 1); ++i) {
    const bool none = batch == 0;  // still beta * self
    ASSIGN_OR_RETURN(Launch step, product("addbmm", i ? &out : &self, slice(batch1, i), slice(batch2, i), out,
                                          i ? Scalar(1) : beta, none ? Scalar(0) : alpha));
    estimated_us += step.task.estimated_us();
    steps->push_back(std::move(step.task));
  }
  return Launch{Task("addbmm", estimated_us,
                     [steps](TaskContext& context) -> Status {
                       for (Task& step : *steps) RETURN_IF_ERROR(step(context));
                       return {};
                     }),
                0};
}

}  // namespace cann::ops
