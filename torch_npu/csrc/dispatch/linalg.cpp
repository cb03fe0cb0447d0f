// Triangular systems, whose PyTorch form has no structured meta: sides and batches are settled here.
#include <ATen/native/LinearAlgebraUtils.h>

#include "functions_linalg.h"
#include "handwritten_linalg.h"
#include "torch_npu/csrc/dispatch/creation.h"
#include "torch_npu/csrc/dispatch/shapes.h"

namespace torch_npu::op {
namespace {

at::DimVector sizes_of_solution(const at::Tensor& A, const at::Tensor& B, bool left) {
  at::native::checkInputsSolver(A, B, left, "linalg.solve_triangular");
  at::DimVector sizes = at::infer_size_dimvector(A.sizes().slice(0, static_cast<size_t>(A.dim() - 2)),
                                                 B.sizes().slice(0, static_cast<size_t>(B.dim() - 2)));
  sizes.push_back(B.size(-2));
  sizes.push_back(B.size(-1));
  return sizes;
}

// From the right, X A = B is A^T X^T = B^T.
void solve_triangular(const at::Tensor& A, const at::Tensor& B, bool upper, bool left, bool unitriangular,
                      const at::Tensor& out) {
  if (out.numel() == 0) return;
  const at::Tensor a = A.resolve_conj().resolve_neg(), b = B.resolve_conj().resolve_neg();
  const at::Tensor no_copy = empty({0}, A.scalar_type(), A.device());
  launch(aclnn::TriangularSolve, left ? b : b.mT(), a, upper, !left, unitriangular, left ? out : out.mT(), no_copy);
}

}  // namespace

at::Tensor linalg_solve_triangular(const at::Tensor& A, const at::Tensor& B, bool upper, bool left,
                                   bool unitriangular) {
  at::Tensor out = empty(sizes_of_solution(A, B, left), A.scalar_type(), A.device());
  solve_triangular(A, B, upper, left, unitriangular, out);
  return out;
}

at::Tensor& linalg_solve_triangular_out(const at::Tensor& A, const at::Tensor& B, bool upper, bool left,
                                        bool unitriangular, at::Tensor& out) {
  shape::resize(shape::sized(sizes_of_solution(A, B, left), A), out);
  if (out.scalar_type() == A.scalar_type() && !out.is_alias_of(A) && !out.is_alias_of(B)) {
    solve_triangular(A, B, upper, left, unitriangular, out);
    return out;
  }
  out.copy_(op::linalg_solve_triangular(A, B, upper, left, unitriangular));
  return out;
}

}  // namespace torch_npu::op
