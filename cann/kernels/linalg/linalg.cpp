#include "cann/kernels/linalg/linalg.h"

#include <cmath>

namespace cann::kernels::CANN_ISA {
namespace {

// Columns that a tile holds: m of 1000 rows stay in the second-level cache while reflection after reflection passes.
constexpr int64_t kTile = 64;
constexpr int64_t kPanel = 32;

// Reflects columns [from, to), at most kTile, of `target` by I - tau v v^T; v is 1, then column j of a from row j + 1
// on.
void reflect(const double* a, int64_t m, int64_t n, int64_t j, double tau, double* target, int64_t cols, int64_t from,
             int64_t to) {
  alignas(64) double dots[kTile];
  const int64_t count = to - from;
  double* const top = target + j * cols + from;
  for (int64_t c = 0; c < count; ++c) dots[c] = top[c];
  for (int64_t i = j + 1; i < m; ++i) {
    const double* const row = target + i * cols + from;
    for (int64_t c = 0; c < count; ++c) dots[c] += a[i * n + j] * row[c];
  }
  for (int64_t c = 0; c < count; ++c) dots[c] *= tau;
  for (int64_t c = 0; c < count; ++c) top[c] -= dots[c];
  for (int64_t i = j + 1; i < m; ++i) {
    double* const row = target + i * cols + from;
    const double v = a[i * n + j];
    for (int64_t c = 0; c < count; ++c) row[c] -= dots[c] * v;
  }
}

// f(first, last) for the tiles of columns [from, to).
template <class F>
void for_tiles(int64_t from, int64_t to, F f) {
  for (int64_t c = from; c < to; c += kTile) f(c, to - c < kTile ? to : c + kTile);
}

// 2 / v^T v for the reflector in column j; 0 where it is none.
double factor_of(const double* a, int64_t m, int64_t n, int64_t j) {
  double square = 0;
  for (int64_t i = j + 1; i < m; ++i) square += a[i * n + j] * a[i * n + j];
  return square == 0 ? 0.0 : 2 / (1 + square);
}

// Turns column j into its reflector, with R's element on the diagonal; gives the reflector's factor.
double turn_column(double* a, int64_t m, int64_t n, int64_t j) {
  double tail = 0;
  for (int64_t i = j + 1; i < m; ++i) tail += a[i * n + j] * a[i * n + j];
  if (tail == 0) return 0;
  const double first = a[j * n + j], length = std::sqrt(first * first + tail), turned = first < 0 ? length : -length;
  for (int64_t i = j + 1; i < m; ++i) a[i * n + j] /= first - turned;
  a[j * n + j] = turned;
  return factor_of(a, m, n, j);
}

void qr(double* a, int64_t m, int64_t n, double* q, int64_t q_cols) {
  const int64_t k = m < n ? m : n;
  double factors[kPanel];
  for (int64_t panel = 0; panel < k; panel += kPanel) {
    const int64_t end = k - panel < kPanel ? k : panel + kPanel;
    for (int64_t j = panel; j < end; ++j) {
      const double factor = factors[j - panel] = turn_column(a, m, n, j);
      reflect(a, m, n, j, factor, a, n, j + 1, end);
    }
    for_tiles(end, n, [&](int64_t from, int64_t to) {
      for (int64_t j = panel; j < end; ++j) reflect(a, m, n, j, factors[j - panel], a, n, from, to);
    });
  }
  if (q == nullptr) return;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t c = 0; c < q_cols; ++c) q[i * q_cols + c] = i == c;
  for_tiles(0, q_cols, [&](int64_t from, int64_t to) {
    for (int64_t j = k - 1; j >= 0; --j) reflect(a, m, n, j, factor_of(a, m, n, j), q, q_cols, from, to);
  });
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

// row -= share other, for columns [from, to)
void subtract(double* __restrict row, const double* __restrict other, double share, int64_t from, int64_t to) {
  for (int64_t c = from; c < to; ++c) row[c] -= share * other[c];
}

bool cholesky(double* a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double* const row = a + i * n;
    for (int64_t j = 0; j <= i; ++j) {
      const double* const other = a + j * n;
      double dot = 0;
      for (int64_t c = 0; c < j; ++c) dot += row[c] * other[c];
      if (j < i) {
        row[j] = (row[j] - dot) / other[j];
      } else {
        if (!(row[i] - dot > 0)) return false;
        row[i] = std::sqrt(row[i] - dot);
      }
    }
  }
  return true;
}

int lu(double* a, int64_t n, int64_t* rows) {
  int sign = 1;
  for (int64_t i = 0; i < n; ++i) rows[i] = i;
  for (int64_t j = 0; j < n; ++j) {
    int64_t pivot = j;
    for (int64_t i = j + 1; i < n; ++i)
      if (std::fabs(a[i * n + j]) > std::fabs(a[pivot * n + j])) pivot = i;
    if (pivot != j) {
      sign = -sign;
      const int64_t kept = rows[j];
      rows[j] = rows[pivot];
      rows[pivot] = kept;
      for (int64_t c = 0; c < n; ++c) {
        const double element = a[j * n + c];
        a[j * n + c] = a[pivot * n + c];
        a[pivot * n + c] = element;
      }
    }
    if (a[j * n + j] == 0) continue;
    for (int64_t i = j + 1; i < n; ++i) {
      a[i * n + j] /= a[j * n + j];
      subtract(a + i * n, a + j * n, a[i * n + j], j + 1, n);
    }
  }
  return sign;
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

extern const LinalgKernels linalg_table{
    .qr = qr, .solve = solve, .cholesky = cholesky, .lu = lu, .orthogonalise = orthogonalise};

}  // namespace cann::kernels::CANN_ISA
