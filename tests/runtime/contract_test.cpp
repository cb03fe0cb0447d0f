// The C contract from the outside: the smallest program that uses each part.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace {

class Contract : public ::testing::Test {
 protected:
  void SetUp() override {
    aclInit(nullptr);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS) << aclGetRecentErrMsg();
  }
  static std::string message() { return aclGetRecentErrMsg(); }
};

TEST_F(Contract, CopiesThereAndBack) {
  std::vector<int> there(1000, 7), back(1000);
  const size_t bytes = there.size() * sizeof(int);
  void* device = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  aclrtStream stream;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(device, bytes, there.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(back.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(back, there);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
}

TEST_F(Contract, RefusesACopyThatDoesNotFit) {
  void* device = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, 512, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  char host[1024] = {};
  EXPECT_EQ(aclrtMemcpy(device, 100, host, 200, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(message(), "aclrtMemcpy: copy: 200 bytes to copy, but dst takes 100");
  EXPECT_EQ(aclrtMemcpy(device, 1024, host, 1024, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(message(), "aclrtMemcpy: copy: dst has 512 bytes to the end of its allocation, 1024 are needed");
  EXPECT_EQ(aclrtMemcpy(host, 1024, device, 512, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(message(), "aclrtMemcpy: copy: dst is no device memory, but the kind of the copy says so");
  EXPECT_EQ(aclrtMemcpy(device, 512, host, 512, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(device), ACL_ERROR_INVALID_PARAM);
}

TEST_F(Contract, CopiesRowsOfAPitch) {
  void* device = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  const char host[] = "abcdefgh";
  ASSERT_EQ(aclrtMemset(device, 4096, '.', 4096), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpy2d(device, 6, host, 4, 4, 2, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  char back[13] = {};
  ASSERT_EQ(aclrtMemcpy(back, 12, device, 12, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_STREQ(back, "abcd..efgh..");
  EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
}

TEST_F(Contract, TimesBetweenEvents) {
  aclrtEvent start, end;
  ASSERT_EQ(aclrtCreateEventExWithFlag(&start, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&end, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  float ms = -1;
  EXPECT_NE(aclrtEventElapsedTime(&ms, start, end), ACL_SUCCESS) << "nothing was recorded";
  ASSERT_EQ(aclrtRecordEvent(start, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(
                nullptr,
                [](void*) {
                  struct timespec t{0, 2000000};
                  nanosleep(&t, nullptr);
                },
                nullptr),
            ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(end, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeEvent(end), ACL_SUCCESS);
  ASSERT_EQ(aclrtEventElapsedTime(&ms, start, end), ACL_SUCCESS);
  EXPECT_GE(ms, 2.0f);
  EXPECT_EQ(aclrtDestroyEvent(start), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(end), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(end, nullptr), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(Contract, SaysWhichDevicesThereAre) {
  EXPECT_EQ(aclrtSetDevice(64), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_NE(message().find("device 64 does not exist: valid are 0 to"), std::string::npos) << message();
  int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 0) << "a refused device leaves the current one";
  EXPECT_STREQ(aclrtGetSocName(), "Ascend910B2");
}

TEST_F(Contract, RefusesMoreMemoryThanThereIs) {
  size_t free = 0, total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
  void* device = nullptr;
  EXPECT_EQ(aclrtMalloc(&device, total + 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_NE(message().find("NPU_EMBEDDED_MEMORY"), std::string::npos) << message();
  ASSERT_EQ(aclrtMalloc(&device, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  size_t less = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &less, &total), ACL_SUCCESS);
  EXPECT_EQ(free - less, size_t{1} << 20);
  EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
}

TEST_F(Contract, CapturesAndReplays) {
  aclrtStream stream;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  int calls = 0;
  const auto count = [](void* n) { ++*static_cast<int*>(n); };
  ASSERT_EQ(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, count, &calls), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, count, &calls), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CAPTURED);
  aclrtStreamStatus state;
  EXPECT_EQ(aclrtStreamQuery(stream, &state), ACL_ERROR_RT_STREAM_CAPTURED);
  aclmdlRI graph, during;
  aclmdlRICaptureStatus status;
  ASSERT_EQ(aclmdlRICaptureGetInfo(stream, &status, &during), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(aclmdlRICaptureEnd(stream, &graph), ACL_SUCCESS);
  EXPECT_EQ(graph, during) << "the genuine adapter compares them";
  EXPECT_EQ(calls, 0) << "capturing runs nothing";
  for (int i = 0; i < 3; ++i) ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS) << "a replay under way keeps what it needs";
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(aclmdlRIExecuteAsync(graph, stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(Contract, ConvertsHalfFloats) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const float f = aclFloat16ToFloat(static_cast<aclFloat16>(h));
    if (f != f) continue;  // which of the NaNs is not promised
    EXPECT_EQ(aclFloatToFloat16(f), h);
  }
  EXPECT_EQ(aclFloatToFloat16(65519.0f), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(65520.0f), 0x7C00);
  EXPECT_EQ(aclFloatToFloat16(1.0f + 0x1p-11f), 0x3C00) << "ties go to even";
}

}  // namespace
