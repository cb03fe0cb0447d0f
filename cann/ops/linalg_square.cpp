// Factorisations of square matrices and what follows from them: Cholesky, inverse, determinant.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "cann/kernels/linalg/linalg.h"
#include "cann/ops/family.h"
#include "cann/ops/linalg.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

struct Squares {
  int64_t batch = 1, n = 0;
  int64_t elements() const { return n * n; }
  double us() const { return static_cast<double>(batch * n * n * n) / 1000; }
};

Result<Squares> squares(const char* op, const TensorView& self, DType out, int64_t out_elements, bool whole) {
  Squares s;
  for (int d = 0; d < self.ndim - 2; ++d) s.batch *= self.sizes[d];
  if (self.ndim >= 2) s.n = self.sizes[self.ndim - 1];
  if (self.ndim < 2 || (self.dtype != DType::Float32 && self.dtype != DType::Float64) || out != self.dtype ||
      self.sizes[self.ndim - 2] != s.n || out_elements != (whole ? self.numel() : s.batch))
    return bad_parameter(std::string(op) + ": self " + describe(self) +
                         ": square float32 or float64 matrices and an out that fits needed");
  return s;
}

// body(matrix) -> bool over the batch; an error with `complaint` where it says false for any.
template <class Body>
Status for_matrices(Team& team, int64_t batch, const char* complaint, const Body& body) {
  std::atomic<bool> failed{false};
  team.for_ranges(batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      if (!body(b)) failed.store(true, std::memory_order_relaxed);
  });
  return failed ? bad_parameter(complaint) : Status();
}

void transpose(double* a, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
}

}  // namespace

Result<Launch> cholesky(const TensorView& self, bool upper, const TensorView& out) {
  ASSIGN_OR_RETURN(const Squares s, squares("linalg_cholesky", self, out.dtype, out.numel(), true));
  Staging staging;
  const Slot from = staging.input(self, DType::Float64), to = staging.output(out, DType::Float64);
  return std::move(staging).launch("linalg_cholesky", s.us() / 3, [=](TaskContext& c) {
    return for_matrices(c.team, s.batch, "linalg.cholesky: the input is not positive-definite", [&](int64_t b) {
      double* const factor = to.in<double>(c) + b * s.elements();
      std::copy_n(from.in<double>(c) + b * s.elements(), s.elements(), factor);
      if (upper) transpose(factor, s.n);  // the half that is read
      if (!kernels::linalg().cholesky(factor, s.n)) return false;
      for (int64_t i = 0; i < s.n; ++i) std::fill(factor + i * s.n + i + 1, factor + (i + 1) * s.n, 0.0);
      if (upper) transpose(factor, s.n);
      return true;
    });
  });
}

Result<Launch> inverse(const TensorView& self, const TensorView& out) {
  ASSIGN_OR_RETURN(const Squares s, squares("inverse", self, out.dtype, out.numel(), true));
  Staging staging;
  const Slot from = staging.input(self, DType::Float64), to = staging.output(out, DType::Float64);
  return std::move(staging).launch("inverse", s.us() * 2, [=](TaskContext& c) {
    return for_matrices(c.team, s.batch, "linalg.inv: the input matrix is singular", [&](int64_t b) {
      const double* const matrix = from.in<double>(c) + b * s.elements();
      double* const result = to.in<double>(c) + b * s.elements();
      std::vector<double> factors(matrix, matrix + s.elements());
      std::vector<int64_t> rows(static_cast<size_t>(s.n));
      kernels::linalg().lu(factors.data(), s.n, rows.data());
      std::fill_n(result, s.elements(), 0.0);
      for (int64_t i = 0; i < s.n; ++i) {
        if (factors[static_cast<size_t>(i * s.n + i)] == 0) return false;
        result[i * s.n + rows[static_cast<size_t>(i)]] = 1;
      }
      kernels::linalg().solve(factors.data(), s.n, result, s.n, {.upper = false, .transpose = false, .unit = true});
      kernels::linalg().solve(factors.data(), s.n, result, s.n, {.upper = true, .transpose = false, .unit = false});
      return true;
    });
  });
}

Result<Launch> slogdet(const TensorView& self, const TensorView& sign, const TensorView& log) {
  ASSIGN_OR_RETURN(const Squares s, squares("slogdet", self, sign.dtype, sign.numel(), false));
  if (log.dtype != self.dtype || log.numel() != s.batch)
    return bad_parameter("slogdet: log " + describe(log) + ": needs an element for each matrix");
  Staging staging;
  const Slot from = staging.input(self, DType::Float64), signs = staging.output(sign, DType::Float64),
             logs = staging.output(log, DType::Float64);
  return std::move(staging).launch("slogdet", s.us() / 2, [=](TaskContext& c) {
    c.team.for_ranges(s.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const double* const matrix = from.in<double>(c) + b * s.elements();
        std::vector<double> factors(matrix, matrix + s.elements());
        std::vector<int64_t> rows(static_cast<size_t>(s.n));
        double direction = kernels::linalg().lu(factors.data(), s.n, rows.data()), size = 0;
        for (int64_t i = 0; i < s.n; ++i) {
          const double pivot = factors[static_cast<size_t>(i * s.n + i)];
          direction *= pivot > 0 ? 1.0 : pivot < 0 ? -1.0 : pivot;  // 0 and NaN stay
          size += std::log(std::fabs(pivot));
        }
        signs.in<double>(c)[b] = direction;
        logs.in<double>(c)[b] = size;
      }
    });
  });
}

}  // namespace cann::ops
