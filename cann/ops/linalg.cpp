// Dense float64 copies through Staging; threads share the matrices of a batch.
#include "cann/ops/linalg.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "cann/kernels/linalg/linalg.h"
#include "cann/ops/family.h"
#include "cann/ops/pointwise.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

Status misfit(const char* op, const TensorView& a, const TensorView& b, const TensorView& c) {
  return bad_parameter(std::string(op) + ": " + describe(a) + ", " + describe(b) + ", " + describe(c) +
                       ": real floating matrices that fit needed");
}

struct Matrices {
  int64_t batch = 1, m, n;
  int64_t smaller() const { return std::min(m, n); }
};

Result<Matrices> matrices(const char* op, const TensorView& t) {
  if (t.ndim < 2 || (t.dtype != DType::Float32 && t.dtype != DType::Float64)) return misfit(op, t, t, t);
  Matrices s{1, t.sizes[t.ndim - 2], t.sizes[t.ndim - 1]};
  for (int d = 0; d < t.ndim - 2; ++d) s.batch *= t.sizes[d];
  return s;
}

using Numbers = std::vector<double>;

// u sigma v^T of one matrix with m >= n.
struct Svd {
  int64_t m, n;
  Numbers sigma, u, v;  // u [m, m] with its first n columns by size, v [n, n]

  Svd(const double* a, int64_t rows, int64_t cols, bool vectors) : m(rows), n(cols), sigma(cols), v(cols * cols) {
    Numbers product(a, a + m * n), raw_v(n * n);
    kernels::linalg().orthogonalise(product.data(), m, n, raw_v.data());
    Numbers norms(n);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) norms[j] += product[i * n + j] * product[i * n + j];
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return norms[i] > norms[j]; });
    for (int64_t j = 0; j < n; ++j) sigma[j] = std::sqrt(norms[order[j]]);
    if (!vectors) return;
    Numbers columns(m * n);
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < n; ++i) v[i * n + j] = raw_v[i * n + order[j]];
      for (int64_t i = 0; i < m; ++i) columns[i * n + j] = sigma[j] > 0 ? product[i * n + order[j]] / sigma[j] : 0.0;
    }
    complete(columns);
  }

  // Columns that belong to no singular value, or to one that is 0, come from the QR factorisation of the others.
  void complete(Numbers columns) {
    const Numbers kept = columns;
    u.resize(m * m);
    kernels::linalg().qr(columns.data(), m, n, u.data(), m);
    const double tiny = n > 0 ? sigma[0] * 1e-14 : 0;
    for (int64_t j = 0; j < n; ++j)
      if (sigma[j] > tiny)
        for (int64_t i = 0; i < m; ++i) u[i * m + j] = kept[i * n + j];
  }
};

// The first `cols` of a matrix's columns.
void copy_columns(const Numbers& from, int64_t rows, int64_t from_cols, double* to, int64_t cols) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(from.data() + i * from_cols, cols, to + i * cols);
}

}  // namespace

Result<Launch> linalg_qr(const TensorView& self, int64_t mode, const TensorView& q, const TensorView& r) {
  ASSIGN_OR_RETURN(const Matrices s, matrices("linalg_qr", self));
  const int64_t q_cols = mode == 1 ? s.m : s.smaller(), r_rows = mode == 1 ? s.m : s.smaller();
  const bool wants_q = mode != 2;
  if (mode < 0 || mode > 2 || r.dtype != self.dtype || r.numel() != s.batch * r_rows * s.n ||
      (wants_q && (q.dtype != self.dtype || q.numel() != s.batch * s.m * q_cols)))
    return misfit("linalg_qr", self, q, r);
  Staging staging;
  Slot a = staging.input(self, DType::Float64), to_r = staging.output(r, DType::Float64);
  Slot to_q = wants_q ? staging.output(q, DType::Float64) : Slot();
  const double us = static_cast<double>(s.batch * s.m * s.n * s.smaller()) / 500;
  return std::move(staging).launch("linalg_qr", us, [=](TaskContext& c) {
    c.team.for_ranges(s.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        Numbers work(a.in<double>(c) + b * s.m * s.n, a.in<double>(c) + (b + 1) * s.m * s.n);
        kernels::linalg().qr(work.data(), s.m, s.n, wants_q ? to_q.in<double>(c) + b * s.m * q_cols : nullptr, q_cols);
        double* const upper = to_r.in<double>(c) + b * r_rows * s.n;
        for (int64_t i = 0; i < r_rows; ++i)
          for (int64_t j = 0; j < s.n; ++j) upper[i * s.n + j] = i <= j ? work[i * s.n + j] : 0.0;
      }
    });
  });
}

Result<Launch> triangular_solve(const TensorView& self, const TensorView& a, bool upper, bool transpose,
                                bool unitriangular, const TensorView& x, const TensorView& m) {
  constexpr const char* kOp = "triangular_solve";
  ASSIGN_OR_RETURN(const Matrices s, matrices(kOp, x));
  TensorView sides, square = x, factors;
  if (x.ndim >= 2) square.sizes[x.ndim - 1] = s.m;
  if (a.dtype != self.dtype || x.dtype != self.dtype || !expand(self, x, sides) || !expand(a, square, factors))
    return misfit(kOp, self, a, x);
  Staging staging;
  Slot b = staging.input(sides, DType::Float64), t = staging.input(factors, DType::Float64);
  Slot to = staging.output(x, DType::Float64);
  const kernels::Triangular how{upper, transpose, unitriangular};
  const double us = static_cast<double>(s.batch * s.m * s.m * s.n) / 1000;
  Launch solving = std::move(staging).launch(kOp, us, [=](TaskContext& c) {
    c.team.for_ranges(s.batch, 1, [&](int64_t begin, int64_t end) {
      const int64_t each = s.m * s.n;
      for (int64_t k = begin; k < end; ++k) {
        std::copy_n(b.in<double>(c) + k * each, each, to.in<double>(c) + k * each);
        kernels::linalg().solve(t.in<double>(c) + k * s.m * s.m, s.m, to.in<double>(c) + k * each, s.n, how);
      }
    });
  });
  if (m.numel() == 0) return solving;
  ASSIGN_OR_RETURN(Launch copying, copy(a, m));
  return sequence(kOp, std::move(solving), std::move(copying));
}

Result<Launch> svd(const TensorView& self, bool full_matrices, bool compute_uv, const TensorView& sigma,
                   const TensorView& u, const TensorView& v) {
  ASSIGN_OR_RETURN(const Matrices s, matrices("svd", self));
  const int64_t k = s.smaller(), u_cols = full_matrices ? s.m : k, v_cols = full_matrices ? s.n : k;
  if (sigma.dtype != self.dtype || sigma.numel() != s.batch * k ||
      (compute_uv && (u.dtype != self.dtype || v.dtype != self.dtype || u.numel() != s.batch * s.m * u_cols ||
                      v.numel() != s.batch * s.n * v_cols)))
    return misfit("svd", sigma, u, v);
  // A wide matrix is taken transposed: its u is the other's v.
  const bool wide = s.m < s.n;
  TensorView tall = self;
  if (wide) {
    std::swap(tall.sizes[self.ndim - 1], tall.sizes[self.ndim - 2]);
    std::swap(tall.strides[self.ndim - 1], tall.strides[self.ndim - 2]);
  }
  Staging staging;
  Slot a = staging.input(tall, DType::Float64), to_sigma = staging.output(sigma, DType::Float64);
  Slot to_u = compute_uv ? staging.output(u, DType::Float64) : Slot();
  Slot to_v = compute_uv ? staging.output(v, DType::Float64) : Slot();
  const double us = static_cast<double>(s.batch * s.m * s.n * k) / 20;
  return std::move(staging).launch("svd", us, [=](TaskContext& c) {
    c.team.for_ranges(s.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const Svd one(a.in<double>(c) + b * s.m * s.n, std::max(s.m, s.n), k, compute_uv);
        std::copy_n(one.sigma.data(), k, to_sigma.in<double>(c) + b * k);
        if (!compute_uv) continue;
        copy_columns(wide ? one.v : one.u, s.m, s.m, to_u.in<double>(c) + b * s.m * u_cols, u_cols);
        copy_columns(wide ? one.u : one.v, s.n, s.n, to_v.in<double>(c) + b * s.n * v_cols, v_cols);
      }
    });
  });
}

}  // namespace cann::ops
