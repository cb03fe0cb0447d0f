// What indexing operators promise, run on the caller's thread: any strides, no read outside, every duplicate counts,
// and the order in which chunks run does not matter.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "cann/ops/index.h"
#include "cann/ops/mask.h"
#include "cann/ops/range.h"
#include "cann/ops/scatter.h"
#include "cann/ops/shape.h"

namespace cann {
namespace {

class BackwardsTeam final : public Team {
 public:
  int threads() const override { return 1; }
  void run(int64_t chunks, ChunkBody body) override {
    for (int64_t i = chunks - 1; i >= 0; --i) body(i);
  }
};

template <class T>
constexpr DType kDType = DType::Float32;
template <>
constexpr DType kDType<int64_t> = DType::Int64;
template <>
constexpr DType kDType<uint16_t> = DType::Float16;
template <>
constexpr DType kDType<uint8_t> = DType::Bool;

template <class T>
TensorView view(std::vector<T>& data, std::vector<int64_t> sizes) {
  TensorView v{data.data(), kDType<T>, static_cast<int32_t>(sizes.size()), {}, {}};
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) {
    v.sizes[d] = sizes[d];
    v.strides[d] = stride;
  }
  return v;
}

TensorView transposed(TensorView v) {
  std::swap(v.sizes[0], v.sizes[1]);
  std::swap(v.strides[0], v.strides[1]);
  return v;
}

Status run(Result<Launch> launch, Team& team) {
  if (!launch.ok()) return std::move(launch.status());
  std::vector<char> workspace(launch->workspace_bytes);
  TaskContext context{team, workspace.data()};
  return launch->task(context);
}

Status run(Result<Launch> launch) {
  InlineTeam team;
  return run(std::move(launch), team);
}

TEST(Index, SelectsRowsOfATransposedTensor) {
  std::vector<float> data{0, 1, 2, 3, 4, 5}, out(6);
  std::vector<int64_t> index{2, 0};
  EXPECT_TRUE(run(ops::index_select(transposed(view(data, {2, 3})), 0, view(index, {2}), view(out, {2, 2}))).ok());
  EXPECT_EQ(out, (std::vector<float>{2, 5, 0, 3, 0, 0}));
}

TEST(Index, AnIndexOutOfRangeIsNamedAndNothingIsRead) {
  std::vector<float> data(5), out(2, -1);
  std::vector<int64_t> index{1, 7};
  const Status status = run(ops::index_select(view(data, {5}), 0, view(index, {2}), view(out, {2})));
  EXPECT_EQ(status.message(), "index_select: index 7 is out of range for dimension 0 with size 5");
  EXPECT_EQ(out[1], -1);
}

TEST(Index, SeparatedIndicesComeFirstAndNegativeOnesCountFromTheEnd) {
  std::vector<float> data(2 * 3 * 4), out(2 * 3);
  std::iota(data.begin(), data.end(), 0.f);
  std::vector<int64_t> rows{0, -1}, columns{-1, 0};
  const TensorView i = view(rows, {2}), k = view(columns, {2});
  const TensorView* indices[] = {&i, nullptr, &k};
  EXPECT_TRUE(run(ops::index(view(data, {2, 3, 4}), indices, view(out, {2, 3}))).ok());
  EXPECT_EQ(out, (std::vector<float>{3, 7, 11, 12, 16, 20}));
}

TEST(Scatter, EveryDuplicateCountsInHalf) {
  constexpr uint16_t kOne = 0x3c00, k3000 = 0x69dc;
  std::vector<uint16_t> self(3), values(3000, kOne);
  std::vector<int64_t> index(3000, 1);
  const TensorView i = view(index, {3000});
  const TensorView* indices[] = {&i};
  EXPECT_TRUE(run(ops::index_put(view(self, {3}), indices, view(values, {3000}), true)).ok());
  EXPECT_EQ(self, (std::vector<uint16_t>{0, k3000, 0}));
}

// Sums of floats depend on their order: equal bits mean that the order of chunks does not reach them.
TEST(Scatter, TheOrderOfChunksDoesNotMatter) {
  constexpr int64_t kRows = 2000, kColumns = 48, kTo = 37;
  std::vector<float> src(kRows * kColumns);
  std::vector<int64_t> index(kRows);
  for (size_t i = 0; i < src.size(); ++i) src[i] = 1.f / static_cast<float>(1 + i % 1013);
  for (size_t i = 0; i < index.size(); ++i) index[i] = static_cast<int64_t>(i * i % kTo);
  std::vector<float> forwards(kTo * kColumns), backwards(kTo * kColumns);
  BackwardsTeam team;
  const TensorView a = view(forwards, {kTo, kColumns}), b = view(backwards, {kTo, kColumns});
  EXPECT_TRUE(run(ops::index_add(a, 0, view(index, {kRows}), view(src, {kRows, kColumns}), Scalar(1), a)).ok());
  EXPECT_TRUE(run(ops::index_add(b, 0, view(index, {kRows}), view(src, {kRows, kColumns}), Scalar(1), b), team).ok());
  EXPECT_EQ(std::memcmp(forwards.data(), backwards.data(), forwards.size() * sizeof(float)), 0);
}

TEST(Scatter, MeanWithoutSelfLeavesUntouchedElementsAlone) {
  std::vector<float> self{9, 9, 9}, src{1, 3, 8};
  std::vector<int64_t> index{0, 0, 2};
  const TensorView to = view(self, {3});
  EXPECT_TRUE(run(ops::scatter_reduce(to, 0, view(index, {3}), view(src, {3}), 5, false, to)).ok());
  EXPECT_EQ(self, (std::vector<float>{2, 9, 8}));
}

TEST(Scatter, OfEqualIndicesTheLastAssignedWins) {
  std::vector<float> self(4), src{1, 2, 3};
  std::vector<int64_t> index{2, 2, 2};
  const TensorView to = view(self, {4});
  EXPECT_TRUE(run(ops::scatter(to, 0, view(index, {3}), view(src, {3}), 0, to)).ok());
  EXPECT_EQ(self, (std::vector<float>{0, 0, 3, 0}));
}

TEST(Mask, SelectsInOrderAndRefusesASourceThatIsTooShort) {
  std::vector<float> self{1, 2, 3, 4}, out(2), source{7};
  std::vector<uint8_t> mask{0, 1, 0, 1};
  EXPECT_TRUE(
      run(ops::masked_select(transposed(view(self, {2, 2})), transposed(view(mask, {2, 2})), view(out, {2}))).ok());
  EXPECT_EQ(out, (std::vector<float>{2, 4}));
  EXPECT_EQ(run(ops::masked_scatter(view(self, {4}), view(mask, {4}), view(source, {1}))).message(),
            "masked_scatter: the mask selects 2 elements, there are 1");
}

TEST(Shape, RollsFlipsAndPads) {
  std::vector<float> self{0, 1, 2, 3, 4, 5}, out(6), wide(12);
  const std::vector<int64_t> shifts{1}, dims{1}, pad{1, -1, 2, 0};
  EXPECT_TRUE(run(ops::roll(view(self, {2, 3}), shifts, dims, view(out, {2, 3}))).ok());
  EXPECT_EQ(out, (std::vector<float>{2, 0, 1, 5, 3, 4}));
  EXPECT_TRUE(run(ops::flip(view(self, {2, 3}), dims, view(out, {2, 3}))).ok());
  EXPECT_EQ(out, (std::vector<float>{2, 1, 0, 5, 4, 3}));
  EXPECT_TRUE(run(ops::constant_pad(view(self, {2, 3}), pad, Scalar(9), view(wide, {4, 3}))).ok());
  EXPECT_EQ(wide, (std::vector<float>{9, 9, 9, 9, 9, 9, 9, 0, 1, 9, 3, 4}));
}

TEST(Range, ArangeCountsInInt64PastWhatFloat64Holds) {
  std::vector<int64_t> out(3);
  const int64_t first = (int64_t{1} << 53) + 1;
  EXPECT_TRUE(run(ops::arange("arange", Scalar(first), Scalar(2), view(out, {3}))).ok());
  EXPECT_EQ(out, (std::vector<int64_t>{first, first + 2, first + 4}));
}

}  // namespace
}  // namespace cann
