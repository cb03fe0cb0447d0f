// Many threads, streams, events and devices at once. Meant for ThreadSanitizer and AddressSanitizer
// (-DNPU_SANITIZE=...).
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "cann/runtime/enqueue.h"

namespace {

// Before the runtime reads its options, which it does at the first call.
const bool environment_set = [] {
  setenv("NPU_EMBEDDED_DEVICES", "2", 1);
  setenv("NPU_EMBEDDED_THREADS", "3", 1);
  return true;
}();

constexpr int kThreads = 6;

void on_threads(int threads, void (*body)(int thread)) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([=] {
      ASSERT_EQ(aclrtSetDevice(i % 2), ACL_SUCCESS) << aclGetRecentErrMsg();
      body(i);
    });
  for (auto& thread : all) thread.join();
}

TEST(Stress, EachThreadItsStreams) {
  on_threads(kThreads, [](int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int round = 0; round < 8; ++round) {
      aclrtStream streams[3];
      aclrtEvent events[3];
      for (auto& stream : streams) ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
      for (auto& event : events) ASSERT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
      // A chain through all streams: each step waits for the one before, so the plain counter is safe.
      int64_t counter = 0;
      for (int step = 0; step < 60; ++step) {
        aclrtStream stream = streams[random() % 3];
        aclrtEvent event = events[random() % 3];
        ASSERT_EQ(aclrtStreamWaitEvent(stream, events[static_cast<size_t>(step + 2) % 3]), ACL_SUCCESS);
        if (step) {
          aclrtEvent chain = events[static_cast<size_t>(step - 1) % 3];
          ASSERT_EQ(aclrtStreamWaitEvent(stream, chain), ACL_SUCCESS);
        }
        const float us = random() % 2 ? 0.0f : 100.0f;
        ASSERT_TRUE(cann::enqueue(stream, cann::Task("count", us,
                                                     [&counter](cann::TaskContext& context) {
                                                       context.team.run(5, [](int64_t) {});
                                                       ++counter;
                                                     }))
                        .ok());
        ASSERT_EQ(aclrtRecordEvent(events[static_cast<size_t>(step) % 3], stream), ACL_SUCCESS);
        if (random() % 8 == 0) {
          ASSERT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
        }
        if (random() % 16 == 0) {
          ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
        }
      }
      for (auto& event : events) ASSERT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
      for (auto& stream : streams) ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
      ASSERT_EQ(counter, 60);
    }
  });
}

TEST(Stress, ManyThreadsOneStream) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  static aclrtStream stream;
  static int64_t counter;  // plain: the stream's order protects it
  counter = 0;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  on_threads(kThreads, [](int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int i = 0; i < 500; ++i) {
      const float us = random() % 3 ? 0.0f : random() % 2 ? 5.0f : 100.0f;
      ASSERT_TRUE(cann::enqueue(stream, cann::Task("count", us, [](cann::TaskContext&) { ++counter; })).ok());
      if (random() % 50 == 0) {
        ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
      }
      aclrtStreamStatus status;
      if (random() % 50 == 0) {
        ASSERT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
      }
    }
  });
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(counter, kThreads * 500);
  ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST(Stress, SharedEvents) {
  static std::vector<aclrtEvent> events(8);
  for (auto& event : events) ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  on_threads(kThreads, [](int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    aclrtStream stream;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (int i = 0; i < 300; ++i) {
      aclrtEvent event = events[random() % events.size()];
      aclrtEventRecordedStatus status;
      switch (random() % 5) {
        case 0: ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS); break;
        case 1: ASSERT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS); break;
        case 2: ASSERT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS); break;
        case 3: ASSERT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS); break;
        default:
          ASSERT_TRUE(
              cann::enqueue(stream, cann::Task("work", 100,
                                               [](cann::TaskContext& context) { context.team.run(3, [](int64_t) {}); }))
                  .ok());
      }
    }
    ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  });
  for (auto& event : events) ASSERT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST(Stress, AllocatesAndCopiesFromManyThreads) {
  on_threads(kThreads, [](int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int i = 0; i < 60; ++i) {
      const size_t n = 1 + random() % 300000;
      std::vector<unsigned char> there(n, static_cast<unsigned char>(i)), back(n);
      void *device = nullptr, *pinned = nullptr;
      ASSERT_EQ(aclrtMalloc(&device, n, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
      ASSERT_EQ(aclrtMallocHost(&pinned, n), ACL_SUCCESS);
      ASSERT_EQ(aclrtMemcpyAsync(device, n, there.data(), n, ACL_MEMCPY_HOST_TO_DEVICE, nullptr), ACL_SUCCESS);
      ASSERT_EQ(aclrtMemcpyAsync(pinned, n, device, n, ACL_MEMCPY_DEVICE_TO_HOST, nullptr), ACL_SUCCESS);
      ASSERT_EQ(aclrtMemcpyAsync(back.data(), n, device, n, ACL_MEMCPY_DEVICE_TO_HOST, nullptr), ACL_SUCCESS);
      ASSERT_EQ(back, there);
      ASSERT_EQ(aclrtFree(device), ACL_SUCCESS);
      ASSERT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
    }
    ASSERT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  });
}

TEST(Stress, FailuresOfOneStreamLeaveTheOthersAlone) {
  on_threads(kThreads, [](int seed) {
    aclrtStream stream;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (int i = 0; i < 100; ++i) {
      const bool fails = seed % 2 == 0 && i % 10 == 9;
      ASSERT_TRUE(cann::enqueue(stream, cann::Task("maybe", i % 3 * 20.0f,
                                                   [fails](cann::TaskContext&) {
                                                     return fails ? cann::bad_parameter("asked for") : cann::Status();
                                                   }))
                      .ok());
      if (i % 10 == 9) {
        ASSERT_EQ(aclrtSynchronizeStream(stream), fails ? 161002 : 0);
      }
    }
    ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  });
}

}  // namespace
