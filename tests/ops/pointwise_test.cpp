// The pointwise walk: any strides, broadcasts and types give what element-by-element evaluation gives.
#include "cann/ops/pointwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace cann::ops {
namespace {

std::mt19937 random_bits(7);
int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_bits); }

// A tensor of small whole numbers (exact in every type) with random strides: permuted, expanded where asked, with gaps.
struct Sample {
  std::vector<std::byte> storage;
  TensorView view;

  Sample(std::vector<int64_t> sizes, DType dtype, bool may_expand) {
    view.dtype = dtype;
    view.ndim = static_cast<int32_t>(sizes.size());
    std::vector<int> order(sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) order[d] = static_cast<int>(d);
    if (pick(0, 1)) std::shuffle(order.begin(), order.end(), random_bits);
    int64_t stride = pick(0, 3) ? 1 : 2;
    for (int d = view.ndim - 1; d >= 0; --d) {
      const int at = order[d];
      view.sizes[at] = sizes[at];
      view.strides[at] = stride;
      stride *= sizes[at];
      if (pick(0, 4) == 0) stride += 3;
    }
    storage.resize(static_cast<size_t>((stride + 8) * size_of(dtype)));
    view.data = storage.data();
    if (may_expand)
      for (int d = 0; d < view.ndim; ++d)
        if (pick(0, 3) == 0) view.sizes[d] = 1;
    auto set = kernels::pointwise().convert(DType::Float64, dtype);
    const int64_t n = static_cast<int64_t>(storage.size()) / size_of(dtype);
    for (int64_t i = 0; i < n; ++i) {
      const double value = dtype == DType::Bool ? pick(0, 1) : pick(0, 9);
      set(storage.data() + i * size_of(dtype), &value, 1);
    }
  }

  double at(const std::vector<int64_t>& index) const {
    int64_t offset = 0;
    for (int d = 0; d < view.ndim; ++d)
      offset += (view.sizes[d] == 1 ? 0 : index[index.size() - view.ndim + d]) * view.strides[d];
    double value;
    kernels::pointwise().convert(view.dtype, DType::Float64)(&value, storage.data() + offset * size_of(view.dtype), 1);
    return value;
  }
};

const DType kTypes[] = {DType::Float32, DType::Float16, DType::BFloat16, DType::Float64, DType::Int64,
                        DType::Int32,   DType::UInt8,   DType::Int16,    DType::Bool,    DType::Complex64};

void run(Result<Launch> launch) {
  ASSERT_TRUE(launch.ok()) << launch.status().message();
  InlineTeam team;
  TaskContext context{team, nullptr};
  ASSERT_TRUE(launch->task(context).ok());
}

TEST(Pointwise, AddsAndCopiesWhateverTheStridesAndTypes) {
  for (int round = 0; round < 600; ++round) {
    std::vector<int64_t> sizes(static_cast<size_t>(pick(0, 5)));
    for (auto& s : sizes) s = pick(0, 9) == 0 ? pick(1, 1100) : pick(1, 7);
    int64_t numel = 1;
    for (auto s : sizes) numel *= s;
    if (numel > 200000) continue;
    const DType ta = kTypes[pick(0, 9)], tb = kTypes[pick(0, 9)];
    const DType type = promote(ta, tb);
    Sample a(sizes, ta, true), b(sizes, tb, true), out(sizes, type, false), copied(sizes, tb, false);
    run(add(a.view, b.view, Scalar(1), out.view));
    run(copy(a.view, copied.view));
    std::vector<int64_t> index(sizes.size());
    for (int64_t i = 0; i < numel; ++i) {
      int64_t rest = i;
      for (int d = static_cast<int>(sizes.size()) - 1; d >= 0; --d) {
        index[d] = rest % sizes[d];
        rest /= sizes[d];
      }
      const double sum = type == DType::Bool ? (a.at(index) + b.at(index) != 0) : a.at(index) + b.at(index);
      ASSERT_EQ(out.at(index), sum) << describe(a.view) << " + " << describe(b.view) << " round " << round;
      ASSERT_EQ(copied.at(index), tb == DType::Bool ? a.at(index) != 0 : a.at(index))
          << describe(a.view) << " to " << name_of(tb);
    }
  }
}

TEST(Pointwise, FillsAndScalarsStandForTensors) {
  for (DType type : kTypes) {
    Sample a({3, 1030}, type, false), out({3, 1030}, type, false);
    run(fill(a.view, Scalar(1)));
    run(same_type(Op::Mul, {a.view, Scalar(type == DType::Bool ? 1 : 3)}, out.view));
    EXPECT_EQ(out.at({2, 1029}), type == DType::Bool ? 1 : 3) << name_of(type);
  }
}

TEST(Pointwise, RefusesShapesThatDoNotBroadcast) {
  Sample a({3, 4}, DType::Float32, false), b({5}, DType::Float32, false);
  auto launch = add(a.view, b.view, Scalar(1), a.view);
  ASSERT_FALSE(launch.ok());
  EXPECT_NE(launch.status().message().find("add: operand 2 float32 [5] does not broadcast to out float32 [3, 4]"),
            std::string::npos)
      << launch.status().message();
}

TEST(Pointwise, PromotesAsPyTorch) {
  TensorView half{nullptr, DType::Float16, 1, {3}, {1}}, zero{nullptr, DType::Float64, 0, {}, {}},
      whole{nullptr, DType::Int64, 1, {3}, {1}};
  EXPECT_EQ(common_type({half, zero}), DType::Float16);
  EXPECT_EQ(common_type({whole, zero}), DType::Float64);
  EXPECT_EQ(common_type({whole, Scalar(2.5)}), DType::Float32);
  EXPECT_EQ(common_type({half, Scalar(2)}), DType::Float16);
}

}  // namespace
}  // namespace cann::ops
