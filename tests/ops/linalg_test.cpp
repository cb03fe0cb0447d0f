// Factorisations: what they give multiplies back to what came in, whatever the shape; LAPACK's signs; masks of bits.
#include "cann/ops/linalg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cann/ops/random.h"

namespace cann {
namespace {

using Matrix = std::vector<double>;

TensorView matrix(Matrix& data, int64_t rows, int64_t cols) {
  return {data.data(), DType::Float64, 2, {rows, cols}, {cols, 1}};
}
TensorView vector(void* data, DType dtype, int64_t n) { return {data, dtype, 1, {n}, {1}}; }

Status run(Result<Launch> launch) {
  if (!launch.ok()) return std::move(launch.status());
  InlineTeam team;
  std::vector<char> workspace(launch->workspace_bytes + 64);
  TaskContext context{team, workspace.data()};
  return launch->task(context);
}

Matrix sample(int64_t rows, int64_t cols) {
  Matrix a;
  for (int64_t i = 0; i < rows * cols; ++i) a.push_back(std::sin(static_cast<double>(i * i + 3 * i + 1)));
  return a;
}

// a [m, k] times b [k, n], or a^T where `transposed`.
Matrix times(const Matrix& a, const Matrix& b, int64_t m, int64_t k, int64_t n, bool transposed = false) {
  Matrix c(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l)
        c[static_cast<size_t>(i * n + j)] +=
            a[static_cast<size_t>(transposed ? l * m + i : i * k + l)] * b[static_cast<size_t>(l * n + j)];
  return c;
}

void expect_near(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
}

Matrix identity(int64_t n) {
  Matrix one(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n; ++i) one[static_cast<size_t>(i * n + i)] = 1;
  return one;
}

TEST(Linalg, QrMultipliesBack) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{4, 4}, {6, 3}, {3, 6}, {1, 5}, {5, 1}, {150, 110}, {40, 170}})
    for (int64_t mode : {0, 1}) {
      const int64_t k = mode == 1 ? m : std::min(m, n);
      Matrix a = sample(m, n), q(static_cast<size_t>(m * k)), r(static_cast<size_t>(k * n));
      ASSERT_TRUE(run(ops::linalg_qr(matrix(a, m, n), mode, matrix(q, m, k), matrix(r, k, n))).ok());
      expect_near(times(q, r, m, k, n), a);
      expect_near(times(q, q, k, m, k, true), identity(k));
      for (int64_t i = 0; i < k; ++i)
        for (int64_t j = 0; j < std::min(i, n); ++j) EXPECT_EQ(r[static_cast<size_t>(i * n + j)], 0);
    }
}

// LAPACK turns (3, 4) to -5, and leaves a column that is upright as it is.
TEST(Linalg, QrHasLapacksSigns) {
  Matrix a{3, 4}, q(2), r(1), upright{7, 0};
  ASSERT_TRUE(run(ops::linalg_qr(matrix(a, 2, 1), 0, matrix(q, 2, 1), matrix(r, 1, 1))).ok());
  EXPECT_DOUBLE_EQ(r[0], -5);
  EXPECT_DOUBLE_EQ(q[0], -0.6);
  ASSERT_TRUE(run(ops::linalg_qr(matrix(upright, 2, 1), 0, matrix(q, 2, 1), matrix(r, 1, 1))).ok());
  EXPECT_DOUBLE_EQ(r[0], 7);
}

TEST(Linalg, TriangularSystems) {
  const int64_t n = 4, k = 3;
  for (bool upper : {false, true})
    for (bool transpose : {false, true})
      for (bool unit : {false, true}) {
        Matrix a = sample(n, n), b = sample(n, k), x(b.size()), copy(a.size()), used = a;
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < n; ++j) {
            double& entry = used[static_cast<size_t>(i * n + j)];
            if (i == j && unit) entry = 1;
            if (upper ? i > j : i < j) entry = 0;
          }
        ASSERT_TRUE(run(ops::triangular_solve(matrix(b, n, k), matrix(a, n, n), upper, transpose, unit, matrix(x, n, k),
                                              matrix(copy, n, n)))
                        .ok());
        expect_near(times(used, x, n, n, k, transpose), b);
        expect_near(copy, a);
      }
}

TEST(Linalg, SingularValuesMultiplyBack) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{5, 3}, {3, 5}, {4, 4}, {1, 3}})
    for (bool full : {false, true}) {
      const int64_t k = std::min(m, n), uc = full ? m : k, vc = full ? n : k;
      Matrix a = sample(m, n);
      if (m == 4) std::copy_n(a.begin(), n, a.begin() + n);  // two rows alike: a singular value of 0
      Matrix sigma(static_cast<size_t>(k)), u(static_cast<size_t>(m * uc)), v(static_cast<size_t>(n * vc));
      ASSERT_TRUE(run(ops::svd(matrix(a, m, n), full, true, vector(sigma.data(), DType::Float64, k), matrix(u, m, uc),
                               matrix(v, n, vc)))
                      .ok());
      expect_near(times(u, u, uc, m, uc, true), identity(uc));
      expect_near(times(v, v, vc, n, vc, true), identity(vc));
      Matrix back(a.size());
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          for (int64_t l = 0; l < k; ++l)
            back[static_cast<size_t>(i * n + j)] +=
                u[static_cast<size_t>(i * uc + l)] * sigma[static_cast<size_t>(l)] * v[static_cast<size_t>(j * vc + l)];
      expect_near(back, a);
      for (int64_t l = 1; l < k; ++l) EXPECT_GE(sigma[static_cast<size_t>(l - 1)], sigma[static_cast<size_t>(l)]);
    }
}

// b b^T, with more on the diagonal.
Matrix positive_definite(int64_t n) {
  const Matrix b = sample(n, n);
  Matrix a(b.size());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < n; ++l)
        a[static_cast<size_t>(i * n + j)] += b[static_cast<size_t>(i * n + l)] * b[static_cast<size_t>(j * n + l)];
      if (i == j) a[static_cast<size_t>(i * n + j)] += 1;
    }
  return a;
}

TEST(Linalg, CholeskyMultipliesBack) {
  for (int64_t n : {1, 2, 7}) {
    Matrix a = positive_definite(n), upper(a.size()), lower(a.size());
    ASSERT_TRUE(run(ops::cholesky(matrix(a, n, n), true, matrix(upper, n, n))).ok());
    ASSERT_TRUE(run(ops::cholesky(matrix(a, n, n), false, matrix(lower, n, n))).ok());
    expect_near(times(upper, upper, n, n, n, true), a);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        EXPECT_EQ(upper[static_cast<size_t>(i * n + j)], lower[static_cast<size_t>(j * n + i)]);
  }
  Matrix bad{1, 2, 2, 1}, out(4);
  EXPECT_FALSE(run(ops::cholesky(matrix(bad, 2, 2), false, matrix(out, 2, 2))).ok());
}

TEST(Linalg, InverseAndDeterminant) {
  for (int64_t n : {1, 2, 5}) {
    Matrix a = sample(n, n), inverted(a.size()), sign(1), log(1);
    ASSERT_TRUE(run(ops::inverse(matrix(a, n, n), matrix(inverted, n, n))).ok());
    expect_near(times(a, inverted, n, n, n), identity(n));
    const TensorView sign_view{sign.data(), DType::Float64, 0, {}, {}}, log_view{log.data(), DType::Float64, 0, {}, {}};
    ASSERT_TRUE(run(ops::slogdet(matrix(a, n, n), sign_view, log_view)).ok());
    if (n == 2) EXPECT_NEAR(sign[0] * std::exp(log[0]), a[0] * a[3] - a[1] * a[2], 1e-12);
  }
  Matrix singular{1, 2, 2, 4}, out(4), sign(1), log(1);
  EXPECT_FALSE(run(ops::inverse(matrix(singular, 2, 2), matrix(out, 2, 2))).ok());
  const TensorView sign_view{sign.data(), DType::Float64, 0, {}, {}}, log_view{log.data(), DType::Float64, 0, {}, {}};
  ASSERT_TRUE(run(ops::slogdet(matrix(singular, 2, 2), sign_view, log_view)).ok());
  EXPECT_EQ(sign[0], 0);
  EXPECT_EQ(log[0], -INFINITY);
}

TEST(Dropout, AMaskOfBitsSaysWhatIsKept) {
  const int64_t n = 40000, shape[] = {n};
  std::vector<uint8_t> bits(n / 8), again(n / 8);
  for (auto* mask : {&bits, &again})
    ASSERT_TRUE(run(ops::dropout_gen_mask(shape, 0.25, 7, 0, vector(mask->data(), DType::UInt8, n / 8))).ok());
  EXPECT_EQ(bits, again);
  std::vector<float> x(n, 3.0f), y(n);
  ASSERT_TRUE(run(ops::dropout_do_mask(vector(x.data(), DType::Float32, n), vector(bits.data(), DType::UInt8, n / 8),
                                       0.25, vector(y.data(), DType::Float32, n)))
                  .ok());
  int64_t kept = 0;
  for (int64_t i = 0; i < n; ++i) {
    const bool bit = bits[static_cast<size_t>(i / 8)] >> i % 8 & 1;
    kept += bit;
    EXPECT_EQ(y[static_cast<size_t>(i)], bit ? 4.0f : 0.0f);
  }
  EXPECT_NEAR(static_cast<double>(kept) / n, 0.75, 0.01);
  EXPECT_FALSE(run(ops::dropout_gen_mask(shape, 0.25, 7, 0, vector(bits.data(), DType::UInt8, n / 8 - 1))).ok());
}

}  // namespace
}  // namespace cann
