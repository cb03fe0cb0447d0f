// The runtime and the life of a process: leaving with work under way, forking.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "acl/acl.h"
#include "cann/runtime/enqueue.h"

namespace {

// Runs `body` in a forked child and gives its exit code; -1 for a child that crashed or hung.
template <class F>
int in_child(F&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  for (int i = 0; i < 200; ++i) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    usleep(50'000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

TEST(Process, AForkedChildMayLetGoButNotLaunch) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  void* memory = nullptr;
  void* pinned = nullptr;
  aclrtStream stream;
  aclrtEvent event;
  ASSERT_EQ(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocHost(&pinned, 4096), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  // Work under way: its locks and threads are what a child must not touch.
  ASSERT_TRUE(cann::enqueue(stream, cann::Task("slow", 1e6, [](cann::TaskContext&) { usleep(100'000); })).ok());
  EXPECT_EQ(in_child([&] {
              if (aclrtFree(memory) || aclrtFreeHost(pinned) || aclrtDestroyEvent(event) || aclrtDestroyStream(stream))
                return 1;
              if (aclrtSynchronizeStream(stream) == 0 || aclrtSetDevice(0) == 0 ||
                  aclrtMalloc(&memory, 10, ACL_MEM_MALLOC_HUGE_FIRST) == 0)
                return 2;
              if (std::string(aclGetRecentErrMsg()).find("spawn") == std::string::npos) return 3;
              return 0;
            }),
            0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << "the parent goes on";
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST(Process, AForkedChildEndsThroughExit) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(in_child([]() -> int { exit(0); }), 0);
}

// A fresh process, by the death test's own means, so that exit runs with its own workers.
TEST(ProcessDeathTest, WorkUnderWayIsDoneBeforeTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        aclrtSetDevice(0);
        for (int i = 0; i < 20; ++i)
          (void)cann::enqueue(nullptr, cann::Task("slow", 1e6, [i](cann::TaskContext&) {
                                usleep(2000);
                                if (i == 19) (void)!write(2, "done\n", 5);
                              }));
        exit(3);
      },
      ::testing::ExitedWithCode(3), "done");
}

TEST(ProcessDeathTest, AMisspeltOptionIsSaidAtInit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("NPU_EMBEDDED_DEVICE", "2", 1);
        const int code = aclInit(nullptr);
        fprintf(stderr, "%s\n", aclGetRecentErrMsg());
        exit(code == ACL_ERROR_INVALID_PARAM && aclrtSetDevice(0) == ACL_ERROR_INVALID_PARAM ? 4 : 5);
      },
      ::testing::ExitedWithCode(4),
      "aclInit: environment: NPU_EMBEDDED_DEVICE is not an option; did you mean NPU_EMBEDDED_DEVICES");
}

TEST(ProcessDeathTest, ATraceIsWrittenAtTheEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string file = ::testing::TempDir() + "/trace_view.json";
  std::remove(file.c_str());
  EXPECT_EXIT(
      {
        setenv("NPU_EMBEDDED_TRACE", ::testing::TempDir().c_str(), 1);
        aclrtSetDevice(0);
        (void)cann::enqueue(nullptr, cann::Task("softplus", 100, [](cann::TaskContext&) {}));
        exit(0);
      },
      ::testing::ExitedWithCode(0), "");
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_NE(text.str().find(R"({"name": "softplus", "ph": "X", "pid": "npu:0", "tid": "stream 0", "ts": )"),
            std::string::npos)
      << text.str();
}

TEST(ProcessDeathTest, LaunchBlockingRaisesAtTheLaunch) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("ASCEND_LAUNCH_BLOCKING", "1", 1);
        aclrtSetDevice(0);
        exit(
            cann::enqueue(nullptr, cann::Task("bad", 100, [](cann::TaskContext&) { return cann::bad_parameter("no"); }))
                        .code() == 161002
                ? 6
                : 7);
      },
      ::testing::ExitedWithCode(6), "");
}

}  // namespace
