// The rarer parts of the C contract: contexts, pinned memory, mapped memory, callbacks, flags, profiling.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_embedded.h"
#include "cann/runtime/enqueue.h"

namespace {

class Services : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS) << aclGetRecentErrMsg(); }
  static std::string message() { return aclGetRecentErrMsg(); }
};

TEST_F(Services, AContextHasADefaultStreamOfItsOwn) {
  aclrtContext primary, second, current;
  aclrtStream of_primary, of_second;
  ASSERT_EQ(aclrtGetCurrentContext(&primary), ACL_SUCCESS);
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&of_primary), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&second, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, second) << "a new context is current at once";
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&of_second), ACL_SUCCESS);
  EXPECT_NE(of_primary, of_second);
  EXPECT_EQ(aclrtDestroyContext(primary), ACL_ERROR_RT_INVALID_HANDLE);
  ASSERT_EQ(aclrtDestroyContext(second), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetCurrentContext(second), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSetCurrentContext(primary), ACL_SUCCESS);
}

TEST_F(Services, AThreadWithoutADeviceIsTold) {
  std::thread([] {
    void* memory;
    EXPECT_EQ(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(message(), "aclrtMalloc: this thread has set no device: call aclrtSetDevice first");
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_CONTEXT_NULL);
  }).join();
}

TEST_F(Services, PinnedMemoryIsKnownAsSuch) {
  void *pinned, *device;
  int local = 0;
  aclrtPtrAttributes attributes;
  ASSERT_EQ(aclrtMallocHost(&pinned, 100), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&device, 100, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtPointerGetAttributes(static_cast<char*>(pinned) + 99, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  ASSERT_EQ(aclrtPointerGetAttributes(device, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  ASSERT_EQ(aclrtPointerGetAttributes(&local, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  ASSERT_EQ(aclrtHostRegister(&local, sizeof local, ACL_HOST_REGISTER_MAPPED, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtPointerGetAttributes(&local, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(aclrtHostUnregister(&local), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(&local), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(pinned), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
}

// A copy from memory that is not pinned may be left behind: the buffer is the caller's again at once.
TEST_F(Services, AnUnpinnedBufferMayChangeAfterTheCall) {
  for (size_t n : {size_t{16}, size_t{1} << 20}) {
    std::vector<unsigned char> host(n, 1), back(n);
    void* device;
    aclrtStream stream;
    ASSERT_EQ(aclrtMalloc(&device, n, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    const auto slow = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
    ASSERT_EQ(aclrtLaunchHostFunc(stream, slow, nullptr), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpyAsync(device, n, host.data(), n, ACL_MEMCPY_HOST_TO_DEVICE, stream), ACL_SUCCESS);
    std::fill(host.begin(), host.end(), 2);
    ASSERT_EQ(aclrtMemcpyAsync(back.data(), n, device, n, ACL_MEMCPY_DEVICE_TO_HOST, stream), ACL_SUCCESS);
    EXPECT_EQ(back, std::vector<unsigned char>(n, 1));
    ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtFree(device), ACL_SUCCESS);
  }
}

TEST_F(Services, PhysicalMemoryIsMappedIntoReservedAddresses) {
  constexpr size_t kSize = size_t{4} << 20;
  aclrtPhysicalMemProp prop = {};
  prop.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  size_t free_before, free_between, total, granularity;
  ASSERT_EQ(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free_before, &total), ACL_SUCCESS);
  void* address;
  aclrtDrvMemHandle physical;
  ASSERT_EQ(aclrtReserveMemAddress(&address, 4 * kSize, 0, nullptr, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMallocPhysical(&physical, granularity + 1, &prop, 0), ACL_ERROR_INVALID_PARAM);
  ASSERT_EQ(aclrtMallocPhysical(&physical, kSize, &prop, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free_between, &total), ACL_SUCCESS);
  EXPECT_EQ(free_before - free_between, kSize);
  char* const at = static_cast<char*>(address) + kSize;
  EXPECT_EQ(aclrtMapMem(at, 4 * kSize, 0, physical, 0), ACL_ERROR_INVALID_PARAM);
  ASSERT_EQ(aclrtMapMem(at, kSize, 0, physical, 0), ACL_SUCCESS);
  const char text[] = "mapped";
  EXPECT_EQ(aclrtMemcpy(at + kSize - 7, 7, text, 7, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS) << message();
  EXPECT_EQ(aclrtMemcpy(at + kSize - 6, 7, text, 7, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtUnmapMem(at), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(physical), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(address), ACL_ERROR_INVALID_PARAM);
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free_between, &total), ACL_SUCCESS);
  EXPECT_EQ(free_before, free_between);
}

TEST_F(Services, ACallbackRunsOnTheSubscribedThread) {
  aclrtStream stream;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::thread::id ran;
  const auto note = [](void* id) { *static_cast<std::thread::id*>(id) = std::this_thread::get_id(); };
  EXPECT_EQ(aclrtLaunchCallback(note, &ran, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
  ASSERT_EQ(aclrtSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchCallback(note, &ran, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtProcessReport(1000), ACL_SUCCESS);
  EXPECT_EQ(ran, std::this_thread::get_id());
  EXPECT_EQ(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT);
  EXPECT_EQ(aclrtUnSubscribeReport(pthread_self(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(Services, AFlagInMemoryHoldsUpAStream) {
  void* flag;
  aclrtStream waiting, writing;
  ASSERT_EQ(aclrtMalloc(&flag, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemset(flag, 8, 0, 8), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&waiting), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&writing), ACL_SUCCESS);
  ASSERT_EQ(aclrtValueWait(flag, 5, ACL_STREAM_WAIT_VALUE_GEQ, waiting), ACL_SUCCESS);
  aclrtStreamStatus status;
  ASSERT_EQ(aclrtStreamQuery(waiting, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  ASSERT_EQ(aclrtValueWrite(flag, 6, 0, writing), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(waiting), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(waiting), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(writing), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(flag), ACL_SUCCESS);
}

TEST_F(Services, FillsWithWords) {
  void* device;
  ASSERT_EQ(aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemsetD32Async(device, 4096, 0x01020304, 1024, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  std::vector<uint32_t> words(1024);
  ASSERT_EQ(aclrtMemcpy(words.data(), 4096, device, 4096, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(words, std::vector<uint32_t>(1024, 0x01020304));
  EXPECT_EQ(aclrtMemsetD32(device, 4096, 0, 1025), ACL_ERROR_INVALID_PARAM);
  ASSERT_EQ(aclrtFree(device), ACL_SUCCESS);
}

TEST_F(Services, ProfilingWritesATrace) {
  const std::string folder = ::testing::TempDir();
  EXPECT_EQ(aclprofInit("/no/such/folder", 15), ACL_ERROR_INVALID_FILE);
  ASSERT_EQ(aclprofInit(folder.c_str(), folder.size()), ACL_SUCCESS);
  uint32_t device = 0;
  aclprofConfig* config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME);
  ASSERT_EQ(aclprofStart(config), ACL_SUCCESS);
  ASSERT_TRUE(cann::enqueue(nullptr, cann::Task("layer_norm", 0, [](cann::TaskContext&) {})).ok());
  ASSERT_EQ(aclprofStop(config), ACL_SUCCESS);
  ASSERT_TRUE(cann::enqueue(nullptr, cann::Task("not seen", 0, [](cann::TaskContext&) {})).ok());
  ASSERT_EQ(aclprofFinalize(), ACL_SUCCESS);
  ASSERT_EQ(aclprofDestroyConfig(config), ACL_SUCCESS);
  std::stringstream text;
  text << std::ifstream(folder + "/trace_view.json").rdbuf();
  EXPECT_NE(text.str().find("layer_norm"), std::string::npos);
  EXPECT_EQ(text.str().find("not seen"), std::string::npos);
}

class Trace : public Services {
 protected:
  void SetUp() override {
    Services::SetUp();
    config_ = aclprofCreateConfig(nullptr, 0, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME);
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclprofDestroyConfig(config_), ACL_SUCCESS);
  }
  // What ran on the device while `f` was called and its work done.
  template <class F>
  std::vector<aclEmbeddedTraceRecord> during(F&& f) {
    EXPECT_EQ(aclprofStart(config_), ACL_SUCCESS);
    f();
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclprofStop(config_), ACL_SUCCESS);
    std::vector<aclEmbeddedTraceRecord> records;
    const auto keep = [](const aclEmbeddedTraceRecord* record, void* all) {
      static_cast<std::vector<aclEmbeddedTraceRecord>*>(all)->push_back(*record);
    };
    EXPECT_EQ(aclEmbeddedReadTrace(keep, &records), 0u);
    return records;
  }
  static cann::Status nothing(aclrtStream stream, const char* name, float us, const char* api) {
    return cann::enqueue(stream, cann::Task(name, us, [](cann::TaskContext&) {}), api);
  }

  aclrtStream stream;

 private:
  aclprofConfig* config_;
};

TEST_F(Trace, TellsWhoLaunchedWhat) {
  const auto records = during([&] {
    for (const float us : {0.0f, 100.0f})  // one runs on the caller, one on the stream's worker
      ASSERT_TRUE(nothing(stream, "softplus", us, "aclnnSoftplus").ok());
  });
  ASSERT_EQ(records.size(), 2u);
  for (const aclEmbeddedTraceRecord& record : records) {
    EXPECT_STREQ(record.name, "softplus");
    EXPECT_STREQ(record.api, "aclnnSoftplus");
    EXPECT_EQ(record.launch_thread, gettid());
    EXPECT_EQ(record.stream, records[0].stream);
    EXPECT_LE(record.launch_begin_ns, record.launch_end_ns);
    EXPECT_LE(record.launch_end_ns, record.start_ns);
    EXPECT_LE(record.start_ns, record.end_ns);
  }
}

TEST_F(Trace, TellsTheDirectionOfCopies) {
  void* device;
  ASSERT_EQ(aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  std::vector<char> host(4096);
  const auto records = during([&] {
    ASSERT_EQ(aclrtMemcpy(device, 4096, host.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpyAsync(host.data(), 4096, device, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream), ACL_SUCCESS);
  });
  ASSERT_EQ(records.size(), 2u);
  EXPECT_STREQ(records[0].name, "copy to device");
  EXPECT_STREQ(records[0].api, "aclrtMemcpy");
  EXPECT_STREQ(records[1].name, "copy to host");
  EXPECT_STREQ(records[1].api, "aclrtMemcpyAsync");
  ASSERT_EQ(aclrtFree(device), ACL_SUCCESS);
}

TEST_F(Trace, TellsTheTasksOfAGraphOneByOne) {
  aclmdlRI graph;
  ASSERT_EQ(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
  ASSERT_TRUE(nothing(stream, "relu", 0, "aclnnRelu").ok());
  ASSERT_TRUE(nothing(stream, "sigmoid", 0, "aclnnSigmoid").ok());
  ASSERT_EQ(aclmdlRICaptureEnd(stream, &graph), ACL_SUCCESS);
  const auto records = during([&] { ASSERT_EQ(aclmdlRIExecuteAsync(graph, stream), ACL_SUCCESS); });
  ASSERT_EQ(records.size(), 2u);
  EXPECT_STREQ(records[0].name, "relu");
  EXPECT_STREQ(records[1].name, "sigmoid");
  EXPECT_STREQ(records[1].api, "aclmdlRIExecuteAsync");
  ASSERT_EQ(aclmdlRIDestroy(graph), ACL_SUCCESS);
}

TEST_F(Services, VersionsAreCanns) {
  aclCANNPackageVersion version;
  ASSERT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version), ACL_SUCCESS);
  EXPECT_STREQ(version.version, "9.1.0");
  char name[] = "runtime";
  char text[128];
  ASSERT_EQ(aclsysGetVersionStr(name, text), ACL_SUCCESS);
  EXPECT_STREQ(text, "9.1.0");
}

}  // namespace
