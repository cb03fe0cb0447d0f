// Every elementary function against float64: over all magnitudes a float32 has, and densely where it bends. The bounds
// are the promises of kernels/math.h and kernels/math_more.h, in units of the last place.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "cann/kernels/pointwise/pointwise.h"

namespace cann::kernels {
namespace {

double ulps(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
  const float rounded = static_cast<float>(want);
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : INFINITY;
  int exponent;
  std::frexp(want, &exponent);
  return std::fabs(got - want) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

struct Function {
  const char* name;
  Op op;
  std::function<double(double)> truth;
  double bound;
  float low, high;  // the dense range
};

const Function kFunctions[] = {
    {"exp", Op::Exp, [](double x) { return std::exp(x); }, 2, -104, 89},
    {"exp2", Op::Exp2, [](double x) { return std::exp2(x); }, 2, -151, 129},
    {"expm1", Op::Expm1, [](double x) { return std::expm1(x); }, 2, -3, 3},
    {"log", Op::Log, [](double x) { return std::log(x); }, 2, 0.5, 2},
    {"log2", Op::Log2, [](double x) { return std::log2(x); }, 1, 0.5, 2},
    {"log10", Op::Log10, [](double x) { return std::log10(x); }, 1, 0.5, 2},
    {"log1p", Op::Log1p, [](double x) { return std::log1p(x); }, 2, -1, 3},
    {"tanh", Op::Tanh, [](double x) { return std::tanh(x); }, 3, -10, 10},
    {"erf", Op::Erf, [](double x) { return std::erf(x); }, 2, -4, 4},
    {"erfc", Op::Erfc, [](double x) { return std::erfc(x); }, 2, -4, 11},
    {"sin", Op::Sin, [](double x) { return std::sin(x); }, 2, -10, 10},
    {"cos", Op::Cos, [](double x) { return std::cos(x); }, 2, -10, 10},
    {"tan", Op::Tan, [](double x) { return std::tan(x); }, 4, -10, 10},
    {"asin", Op::Asin, [](double x) { return std::asin(x); }, 3, -1, 1},
    {"acos", Op::Acos, [](double x) { return std::acos(x); }, 3, -1, 1},
    {"atan", Op::Atan, [](double x) { return std::atan(x); }, 2, -5, 5},
    {"sinh", Op::Sinh, [](double x) { return std::sinh(x); }, 3, -5, 5},
    {"cosh", Op::Cosh, [](double x) { return std::cosh(x); }, 3, -90, 90},
    {"asinh", Op::Asinh, [](double x) { return std::asinh(x); }, 4, -5, 5},
    {"acosh", Op::Acosh, [](double x) { return std::acosh(x); }, 4, 1, 5},
    {"atanh", Op::Atanh, [](double x) { return std::atanh(x); }, 4, -1, 1},
};

TEST(Math, StaysWithinItsBounds) {
  std::mt19937 bits(1);
  // Without fma (v2) the argument reductions and polynomials round once more.
  const double slack = isa_level() == IsaLevel::V2 || isa_level() == IsaLevel::Base ? 2 : 1;
  for (const Function& f : kFunctions) {
    std::vector<float> x;
    for (int i = 0; i < 200000; ++i) {
      float any;
      const uint32_t pattern = bits();
      std::memcpy(&any, &pattern, sizeof any);
      x.push_back(any);
      x.push_back(f.low + (f.high - f.low) * static_cast<float>(bits() * 0x1p-32));
    }
    for (float special : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-45f, 3.4e38f, -3.4e38f})
      x.push_back(special);
    std::vector<float> y(x.size());
    const void* in = x.data();
    pointwise().find(f.op, DType::Float32)(y.data(), &in, static_cast<int64_t>(x.size()), {});
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(ulps(y[i], f.truth(x[i])), slack * f.bound)
          << f.name << "(" << x[i] << ") = " << y[i] << ", not " << f.truth(x[i]);
      if (x[i] == 0 && f.truth(x[i]) == 0)
        ASSERT_EQ(std::signbit(y[i]), std::signbit(f.truth(x[i]))) << f.name << "(" << x[i] << ")";
    }
  }
}

TEST(Math, PowerHasCsSpecialCases) {
  const float values[] = {0.0f,  -0.0f, 1,        -1,        2,   -2,     3,     0.5f,
                          -0.5f, 2.5f,  INFINITY, -INFINITY, NAN, 1e-40f, 3e38f, 16777216.0f};
  for (float x : values)
    for (float y : values) {
      const void* in[] = {&x, &y};
      float got;
      pointwise().find(Op::Pow, DType::Float32)(&got, in, 1, {});
      EXPECT_LE(ulps(got, std::pow(static_cast<double>(x), static_cast<double>(y))), 1)
          << x << "^" << y << " = " << got;
    }
}

// Half types round to nearest even, keep NaN, and survive the way there and back.
TEST(Math, HalfTypesRoundOnce) {
  for (DType half : {DType::Float16, DType::BFloat16}) {
    const auto widen = pointwise().convert(half, DType::Float32), narrow = pointwise().convert(DType::Float32, half);
    for (uint32_t pattern = 0; pattern < 65536; ++pattern) {
      const uint16_t bits = static_cast<uint16_t>(pattern);
      uint16_t back;
      float value;
      widen(&value, &bits, 1);
      narrow(&back, &value, 1);
      if (std::isnan(value)) {
        widen(&value, &back, 1);
        ASSERT_TRUE(std::isnan(value)) << pattern;
      } else {
        ASSERT_EQ(back, bits) << name_of(half);
      }
    }
    // Halfway between 1 and the next number: to the even one, 1.
    const float step = half == DType::Float16 ? 0x1p-10f : 0x1p-7f, halfway[] = {1 + step / 2, 1 + 3 * step / 2};
    uint16_t rounded[2];
    float values[2];
    narrow(rounded, halfway, 2);
    widen(values, rounded, 2);
    EXPECT_EQ(values[0], 1.0f);
    EXPECT_EQ(values[1], 1 + 2 * step);
  }
}

}  // namespace
}  // namespace cann::kernels
