#include "cann/kernels/linalg/linalg.h"

#include <cmath>

namespace cann::kernels::CANN_ISA {
namespace {

// Reflects columns [from, to) of `target` by I - tau v v^T; v is 1, then column j of a from row j + 1 on.
void reflect(const double* a, int64_t m, int64_t n, int64_t j, double tau, double* target, int64_t cols, int64_t from,
             int64_t to) {
  for (int64_t c = from; c < to; ++c) {
    double dot = target[j * cols + c];
    for (int64_t i = j + 1; i < m; ++i) dot += a[i * n + j] * target[i * cols + c];
    dot *= tau;
    target[j * cols + c] -= dot;
    for (int64_t i = j + 1; i < m; ++i) target[i * cols + c] -= dot * a[i * n + j];
  }
}

// 2 / v^T v for the reflector in column j; 0 where it is none.
double factor_of(const double* a, int64_t m, int64_t n, int64_t j) {
  double square = 0;
  for (int64_t i = j + 1; i < m; ++i) square += a[i * n + j] * a[i * n + j];
  return square == 0 ? 0.0 : 2 / (1 + square);
}

void qr(double* a, int64_t m, int64_t n, double* q, int64_t q_cols) {
  const int64_t k = m < n ? m : n;
  for (int64_t j = 0; j < k; ++j) {
    double tail = 0;
    for (int64_t i = j + 1; i < m; ++i) tail += a[i * n + j] * a[i * n + j];
    if (tail == 0) continue;
    const double first = a[j * n + j], length = std::sqrt(first * first + tail), turned = first < 0 ? length : -length;
    for (int64_t i = j + 1; i < m; ++i) a[i * n + j] /= first - turned;
    const double tau = factor_of(a, m, n, j);
    reflect(a, m, n, j, tau, a, n, j + 1, n);
    a[j * n + j] = turned;
  }
  if (q == nullptr) return;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t c = 0; c < q_cols; ++c) q[i * q_cols + c] = i == c;
  for (int64_t j = k - 1; j >= 0; --j) reflect(a, m, n, j, factor_of(a, m, n, j), q, q_cols, 0, q_cols);
}

void solve(const double* a, int64_t n, double* x, int64_t k, Triangular how) {
  const bool downward = how.upper == how.transpose;  // the first unknown first
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = downward ? step : n - 1 - step;
    for (int64_t done = 0; done < step; ++done) {
      const int64_t j = downward ? done : n - 1 - done;
      const double share = how.transpose ? a[j * n + i] : a[i * n + j];
      for (int64_t c = 0; c < k; ++c) x[i * k + c] -= share * x[j * k + c];
    }
    if (!how.unit)
      for (int64_t c = 0; c < k; ++c) x[i * k + c] /= a[i * n + i];
  }
}

// Rotates columns p and q of t by the cosine and sine.
void rotate(double* t, int64_t rows, int64_t cols, int64_t p, int64_t q, double cosine, double sine) {
  for (int64_t i = 0; i < rows; ++i) {
    const double x = t[i * cols + p], y = t[i * cols + q];
    t[i * cols + p] = cosine * x - sine * y;
    t[i * cols + q] = sine * x + cosine * y;
  }
}

void orthogonalise(double* a, int64_t m, int64_t n, double* v) {
  constexpr int kSweeps = 60;  // convergence is quadratic: ten are many
  for (int64_t i = 0; i < n * n; ++i) v[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool turned = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double pp = 0, qq = 0, pq = 0;
        for (int64_t i = 0; i < m; ++i) {
          pp += a[i * n + p] * a[i * n + p];
          qq += a[i * n + q] * a[i * n + q];
          pq += a[i * n + p] * a[i * n + q];
        }
        if (!(std::fabs(pq) > 1e-15 * std::sqrt(pp * qq))) continue;
        turned = true;
        const double half = (qq - pp) / (2 * pq);
        const double tangent = (half < 0 ? -1 : 1) / (std::fabs(half) + std::sqrt(1 + half * half));
        const double cosine = 1 / std::sqrt(1 + tangent * tangent);
        rotate(a, m, n, p, q, cosine, cosine * tangent);
        rotate(v, n, n, p, q, cosine, cosine * tangent);
      }
    if (!turned) return;
  }
}

}  // namespace

extern const LinalgKernels linalg_table{.qr = qr, .solve = solve, .orthogonalise = orthogonalise};

}  // namespace cann::kernels::CANN_ISA
