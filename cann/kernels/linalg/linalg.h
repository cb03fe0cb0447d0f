// Factorisations and triangular systems of one matrix at a time, row-major, in float64.
#pragma once

#include <cstdint>

#include "cann/kernels/isa.h"

namespace cann::kernels {

struct Triangular {
  bool upper, transpose, unit;
};

struct LinalgKernels {
  // a [m, n] becomes R below whose diagonal stand reflectors; q [m, q_cols] (may be null) the first columns of Q.
  // Householder, with LAPACK's signs: each reflection turns a column away from its own first element.
  void (*qr)(double* a, int64_t m, int64_t n, double* q, int64_t q_cols);
  // x [n, k]: the right sides become the solutions of a x = b (or a^T x = b).
  void (*solve)(const double* a, int64_t n, double* x, int64_t k, Triangular how);
  // a [n, n], of which the lower triangle is read, becomes L of a = L L^T there. False if a is not positive definite.
  bool (*cholesky)(double* a, int64_t n);
  // Rows are swapped for the largest pivot: a [n, n] becomes L (with a diagonal of ones) and U; rows[i] says which of
  // the old rows row i was. Gives the permutation's sign.
  int (*lu)(double* a, int64_t n, int64_t* rows);
  // One-sided Jacobi: a [m, n] becomes a v, whose columns are orthogonal; v [n, n]. pre: m >= n
  void (*orthogonalise)(double* a, int64_t m, int64_t n, double* v);
};
CANN_KERNEL_TABLE(LinalgKernels, linalg)

}  // namespace cann::kernels
