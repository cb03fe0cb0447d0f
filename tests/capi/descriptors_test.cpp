// The contract's descriptors: what they hold, what they refuse, and that pools give nothing stale back.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "cann/capi/aclnn/descriptors.h"

namespace {

aclTensor* make(std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> strides, int64_t offset,
                int64_t storage) {
  static float memory[64];
  return aclCreateTensor(std::data(sizes), sizes.size(), ACL_FLOAT, std::data(strides), offset, ACL_FORMAT_ND, &storage,
                         1, memory);
}

TEST(Descriptors, TellWhatTheyHold) {
  aclTensor* tensor = make({2, 3}, {3, 1}, 4, 10);
  ASSERT_NE(tensor, nullptr);
  int64_t* sizes = nullptr;
  uint64_t count = 0;
  ASSERT_EQ(aclGetViewShape(tensor, &sizes, &count), ACLNN_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(sizes[1], 3);
  delete[] sizes;
  int64_t offset = 0;
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), ACLNN_SUCCESS);
  EXPECT_EQ(offset, 4);
  aclDestroyTensor(tensor);
}

TEST(Descriptors, RefuseAViewThatLeavesItsStorage) {
  EXPECT_EQ(make({2, 3}, {3, 1}, 5, 10), nullptr);
  EXPECT_NE(std::strstr(aclGetRecentErrMsg(), "leaves its storage of 10 elements"), nullptr);
  aclTensor* empty = make({0, 3}, {3, 1}, 10, 10);
  EXPECT_NE(empty, nullptr) << "an empty view reaches nothing";
  aclDestroyTensor(empty);
}

TEST(Descriptors, RefuseNegativeSizesAndTooManyDimensions) {
  EXPECT_EQ(make({-1}, {1}, 0, 10), nullptr);
  EXPECT_EQ(make({1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 10), nullptr);
}

TEST(Descriptors, PoolsGiveNothingStale) {
  for (int round = 0; round < 3; ++round) {
    const int64_t values[] = {round, round + 1};
    aclIntArray* array = aclCreateIntArray(values, 2 - round % 2);
    uint64_t size = 0;
    aclGetIntArraySize(array, &size);
    EXPECT_EQ(size, static_cast<uint64_t>(2 - round % 2));
    aclDestroyIntArray(array);
  }
}

TEST(Descriptors, ATensorForgetsItsLastUse) {
  aclDestroyTensor(make({2, 3, 1}, {3, 1, 1}, 4, 10));
  aclTensor* scalar = make({}, {}, 0, 1);
  for (int d = 0; d < cann::kMaxDims; ++d) {
    EXPECT_EQ(scalar->view.sizes[d], 0);
    EXPECT_EQ(scalar->view.strides[d], 0);
  }
  aclDestroyTensor(scalar);
}

TEST(Descriptors, MayBeDestroyedOnAnotherThread) {
  std::vector<aclTensor*> made(100);  // more than a thread keeps
  for (aclTensor*& tensor : made) tensor = make({2}, {1}, 0, 10);
  std::thread([&] {
    for (aclTensor* tensor : made) EXPECT_EQ(aclDestroyTensor(tensor), ACLNN_SUCCESS);
    aclTensor* again = make({3}, {1}, 0, 10);  // from that thread's pool, which ends with it
    EXPECT_EQ(aclDestroyTensor(again), ACLNN_SUCCESS);
  }).join();
}

TEST(Descriptors, NullPointersAreErrorsNotCrashes) {
  EXPECT_EQ(aclCreateScalar(nullptr, ACL_FLOAT), nullptr);
  EXPECT_EQ(aclGetViewShape(nullptr, nullptr, nullptr), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_EQ(aclDestroyTensor(nullptr), ACLNN_SUCCESS);
}

}  // namespace
