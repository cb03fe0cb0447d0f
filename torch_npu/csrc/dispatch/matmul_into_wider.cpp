// Products whose result may be wider than their half-precision operands. Widening the operands loses nothing, and
// float32 products round once.
#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

#include "handwritten_matmul.h"

namespace torch_npu::op {
namespace {

void check(const char* op, const at::Tensor& a, const at::Tensor& b, at::ScalarType out_dtype) {
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), op, ": the matrices have types ", a.scalar_type(), " and ",
              b.scalar_type(), ": one type is needed");
  const bool half = a.scalar_type() == at::kHalf || a.scalar_type() == at::kBFloat16;
  TORCH_CHECK(out_dtype == a.scalar_type() || (half && out_dtype == at::kFloat), op, ": out_dtype ", out_dtype,
              " of matrices of type ", a.scalar_type(), ": needs theirs, or float32 for a half type");
}

void check_out(const char* op, const at::Tensor& out, at::ScalarType out_dtype) {
  TORCH_CHECK(out.scalar_type() == out_dtype, op, ": out has type ", out.scalar_type(), ", out_dtype is ", out_dtype);
}

}  // namespace

at::Tensor mm_dtype(const at::Tensor& self, const at::Tensor& mat2, at::ScalarType out_dtype) {
  check("mm", self, mat2, out_dtype);
  return at::mm(self.to(out_dtype), mat2.to(out_dtype));
}
at::Tensor& mm_dtype_out(const at::Tensor& self, const at::Tensor& mat2, at::ScalarType out_dtype, at::Tensor& out) {
  check("mm", self, mat2, out_dtype);
  check_out("mm", out, out_dtype);
  return at::mm_out(out, self.to(out_dtype), mat2.to(out_dtype));
}

at::Tensor bmm_dtype(const at::Tensor& self, const at::Tensor& mat2, at::ScalarType out_dtype) {
  check("bmm", self, mat2, out_dtype);
  return at::bmm(self.to(out_dtype), mat2.to(out_dtype));
}
at::Tensor& bmm_dtype_out(const at::Tensor& self, const at::Tensor& mat2, at::ScalarType out_dtype, at::Tensor& out) {
  check("bmm", self, mat2, out_dtype);
  check_out("bmm", out, out_dtype);
  return at::bmm_out(out, self.to(out_dtype), mat2.to(out_dtype));
}

at::Tensor addmm_dtype(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2, at::ScalarType out_dtype,
                       const at::Scalar& beta, const at::Scalar& alpha) {
  check("addmm", mat1, mat2, out_dtype);
  return at::addmm(self.to(out_dtype), mat1.to(out_dtype), mat2.to(out_dtype), beta, alpha);
}
at::Tensor& addmm_dtype_out(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                            at::ScalarType out_dtype, const at::Scalar& beta, const at::Scalar& alpha,
                            at::Tensor& out) {
  check("addmm", mat1, mat2, out_dtype);
  check_out("addmm", out, out_dtype);
  return at::addmm_out(out, self.to(out_dtype), mat1.to(out_dtype), mat2.to(out_dtype), beta, alpha);
}

at::Tensor baddbmm_dtype(const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2,
                         at::ScalarType out_dtype, const at::Scalar& beta, const at::Scalar& alpha) {
  check("baddbmm", batch1, batch2, out_dtype);
  return at::baddbmm(self.to(out_dtype), batch1.to(out_dtype), batch2.to(out_dtype), beta, alpha);
}
at::Tensor& baddbmm_dtype_out(const at::Tensor& self, const at::Tensor& batch1, const at::Tensor& batch2,
                              at::ScalarType out_dtype, const at::Scalar& beta, const at::Scalar& alpha,
                              at::Tensor& out) {
  check("baddbmm", batch1, batch2, out_dtype);
  check_out("baddbmm", out, out_dtype);
  return at::baddbmm_out(out, self.to(out_dtype), batch1.to(out_dtype), batch2.to(out_dtype), beta, alpha);
}

}  // namespace torch_npu::op
