// Transforms of every kind of length against the sum that defines them.
#include "cann/ops/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace cann {
namespace {

using Complex = std::complex<double>;

TensorView matrix(void* data, DType dtype, int64_t rows, int64_t columns) {
  TensorView v;
  v.data = data;
  v.dtype = dtype;
  v.ndim = 2;
  v.sizes[0] = rows, v.sizes[1] = columns;
  v.strides[0] = columns, v.strides[1] = 1;
  return v;
}

Status run(Result<Launch> launch) {
  if (!launch.ok()) return std::move(launch.status());
  InlineTeam team;
  std::vector<char> workspace(launch->workspace_bytes);
  TaskContext context{team, workspace.data()};
  return launch->task(context);
}

std::vector<Complex> sample(int64_t n) {
  std::vector<Complex> x;
  for (int64_t i = 0; i < n; ++i)
    x.emplace_back(std::sin(static_cast<double>(i * i % 17)), std::cos(static_cast<double>(3 * i % 13)));
  return x;
}

Complex defined_by_sum(const std::vector<Complex>& x, int64_t first, int64_t n, int64_t k, double sign) {
  Complex sum;
  for (int64_t j = 0; j < n; ++j)
    sum += x[static_cast<size_t>(first + j)] *
           std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
  return sum;
}

// Powers of two, small factors, primes that are stages, primes that are convolutions, and 1.
TEST(Fft, EveryKindOfLength) {
  for (int64_t n : {1, 2, 3, 4, 5, 8, 12, 30, 49, 64, 74, 97, 210, 509}) {
    std::vector<Complex> x = sample(3 * n), out(x.size());
    const int64_t dim[] = {1};
    for (bool forward : {true, false}) {
      ASSERT_TRUE(run(ops::fft_c2c(matrix(x.data(), DType::Complex128, 3, n), dim, 0, forward,
                                   matrix(out.data(), DType::Complex128, 3, n)))
                      .ok());
      for (int64_t row = 0; row < 3; ++row)
        for (int64_t k = 0; k < n; ++k)
          EXPECT_LT(
              std::abs(out[static_cast<size_t>(row * n + k)] - defined_by_sum(x, row * n, n, k, forward ? -1 : 1)),
              1e-10)
              << n << " " << k;
    }
  }
}

TEST(Fft, RealThereAndBackOverTwoDimensions) {
  for (int64_t n : {6, 7}) {
    std::vector<double> x(static_cast<size_t>(5 * n)), back(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i * i));
    std::vector<Complex> half(static_cast<size_t>(5 * (n / 2 + 1)));
    const int64_t dims[] = {0, 1};
    const TensorView spectrum = matrix(half.data(), DType::Complex128, 5, n / 2 + 1);
    ASSERT_TRUE(run(ops::fft_r2c(matrix(x.data(), DType::Float64, 5, n), dims, 0, spectrum)).ok());
    ASSERT_TRUE(run(ops::fft_c2r(spectrum, dims, 2, matrix(back.data(), DType::Float64, 5, n))).ok());
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], x[i], 1e-14);
  }
}

}  // namespace
}  // namespace cann
