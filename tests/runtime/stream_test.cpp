// Streams from the inside: order, waiting, errors, with Tasks of our own.
#include "cann/runtime/stream.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cann/runtime/arena_team.h"
#include "cann/runtime/error.h"
#include "cann/runtime/recording.h"

namespace cann {
namespace {

// A Task that says how long it takes; the policy looks at nothing else.
template <class F>
Task task(float estimated_us, F f) {
  return Task("test", estimated_us, [f = std::move(f)](TaskContext&) mutable { f(); });
}

constexpr float kTiny = 0, kShort = 10, kLong = 1000;

class StreamTest : public ::testing::Test {
 protected:
  void SetUp() override { stream_.open(team_, 0, 7, false); }
  void TearDown() override { stream_.close(); }
  Status wait() { return stream_.synchronize(std::nullopt); }

  ArenaTeam team_{2};
  Stream stream_;
};

TEST_F(StreamTest, ATinyTaskHasRunWhenEnqueueReturns) {
  std::thread::id ran;
  ASSERT_TRUE(stream_.enqueue(task(kTiny, [&] { ran = std::this_thread::get_id(); })).ok());
  EXPECT_EQ(ran, std::this_thread::get_id());
  EXPECT_TRUE(stream_.idle());
}

TEST_F(StreamTest, KeepsTheOrderWhateverRunsWhere) {
  std::vector<int> order;
  const float kinds[] = {kTiny, kLong, kTiny, kShort, kShort, kLong};
  for (int i = 0; i < 3000; ++i)
    ASSERT_TRUE(stream_.enqueue(task(kinds[i % 6], [&order, i] { order.push_back(i); })).ok());
  ASSERT_TRUE(wait().ok());
  ASSERT_EQ(order.size(), 3000u);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(order[static_cast<size_t>(i)], i);
}

TEST_F(StreamTest, TasksOfSeveralThreadsRunOneAtATime) {
  int sum = 0;  // no atomic: the stream is what orders the additions
  const float kinds[] = {kTiny, kTiny, kShort, kLong};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) EXPECT_TRUE(stream_.enqueue(task(kinds[i % 4], [&sum] { ++sum; })).ok());
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(wait().ok());
  EXPECT_EQ(sum, 8000);
}

TEST_F(StreamTest, TheHostRunsAheadOfALongTask) {
  std::atomic<bool> go{false};
  ASSERT_TRUE(stream_
                  .enqueue(task(kLong,
                                [&] {
                                  while (!go) std::this_thread::yield();
                                }))
                  .ok());
  ASSERT_TRUE(stream_.enqueue(task(kTiny, [] {})).ok()) << "tiny, but it must wait for its turn";
  EXPECT_FALSE(stream_.idle());
  EXPECT_EQ(stream_.synchronize(deadline_after_ms(1)).code(), error::kStreamSyncTimeout);
  go = true;
  EXPECT_TRUE(wait().ok());
  EXPECT_TRUE(stream_.idle());
}

TEST_F(StreamTest, AFailureSticksUntilSomebodyWaits) {
  ASSERT_TRUE(stream_
                  .enqueue(Task("softplus", kLong,
                                [](TaskContext&) { return bad_parameter("self float7 [3]: needs a floating type"); }))
                  .ok());
  int later = 0;
  ASSERT_TRUE(stream_.enqueue(task(kLong, [&] { ++later; })).ok());
  Status status = wait();
  EXPECT_EQ(status.code(), 161002);
  EXPECT_EQ(status.message(), "softplus (npu:0, stream 7): self float7 [3]: needs a floating type");
  EXPECT_EQ(later, 1);
  EXPECT_TRUE(wait().ok()) << "raised once; the stream works on";
}

TEST_F(StreamTest, AnExceptionBecomesAStatus) {
  for (float kind : {kTiny, kLong}) {
    ASSERT_TRUE(stream_.enqueue(task(kind, [] { throw std::bad_alloc(); })).ok());
    EXPECT_EQ(wait().code(), error::kMemoryAllocation);
    ASSERT_TRUE(stream_.enqueue(task(kind, [] { throw std::runtime_error("oneDNN says no"); })).ok());
    EXPECT_EQ(wait().message(), "test (npu:0, stream 7): oneDNN says no");
    ASSERT_TRUE(stream_.enqueue(task(kind, [] { throw 3; })).ok());
    EXPECT_EQ(wait().code(), error::kTaskException);
  }
}

TEST_F(StreamTest, AnExceptionOfAHelperReachesTheTask) {
  ASSERT_TRUE(stream_
                  .enqueue(Task("sum", kLong,
                                [](TaskContext& context) {
                                  context.team.run(64, [](int64_t chunk) {
                                    if (chunk == 63) throw std::runtime_error("chunk 63");
                                  });
                                }))
                  .ok());
  EXPECT_EQ(wait().message(), "sum (npu:0, stream 7): chunk 63");
}

TEST_F(StreamTest, LaunchBlockingGivesTheErrorAtOnce) {
  Stream blocking;
  blocking.open(team_, 0, 8, true);
  EXPECT_EQ(blocking.enqueue(Task("gelu", kLong, [](TaskContext&) { return bad_parameter("no"); })).message(),
            "gelu (npu:0, stream 8): no");
  EXPECT_EQ(
      blocking.enqueue(Task("gelu", Stream::kNeverInlineUs, [](TaskContext&) { return bad_parameter("no"); })).code(),
      161002);
  EXPECT_TRUE(blocking.synchronize(std::nullopt).ok());
  blocking.close();
}

TEST_F(StreamTest, StopsAfterAFailureIfAsked) {
  stream_.failure_mode = Stream::kStopOnFailure;
  int later = 0;
  ASSERT_TRUE(stream_.enqueue(Task("bad", kLong, [](TaskContext&) { return bad_parameter("no"); })).ok());
  ASSERT_TRUE(stream_.enqueue(task(kLong, [&] { ++later; })).ok());
  EXPECT_EQ(wait().code(), 161002);
  EXPECT_EQ(later, 0);
  ASSERT_TRUE(stream_.enqueue(task(kLong, [&] { ++later; })).ok());
  EXPECT_TRUE(wait().ok());
  EXPECT_EQ(later, 1) << "raised, and over";
}

TEST_F(StreamTest, WorkMustNotWaitForItsOwnStream) {
  Status inner;
  ASSERT_TRUE(stream_.enqueue(task(Stream::kNeverInlineUs, [&] { inner = wait(); })).ok());
  ASSERT_TRUE(wait().ok());
  EXPECT_EQ(inner.message(), "wait for stream 7: from within its own work, which would never end");
}

TEST_F(StreamTest, ATaskLetsGoOfWhatItHeldWhenItHasRun) {
  auto held = std::make_shared<int>(1);
  ASSERT_TRUE(stream_.enqueue(task(kLong, [held] {})).ok());
  ASSERT_TRUE(wait().ok());
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(StreamTest, AnEventOrdersTwoStreams) {
  Stream other;
  other.open(team_, 1, 9, false);
  for (int round = 0; round < 200; ++round) {
    int value = 0, seen = -1;
    Event event;
    ASSERT_TRUE(stream_.enqueue(task(kLong, [&] { value = round; })).ok());
    ASSERT_TRUE(event.record(stream_).ok());
    ASSERT_TRUE(event.make_wait(other).ok());
    ASSERT_TRUE(other.enqueue(task(round % 2 ? kTiny : kLong, [&] { seen = value; })).ok());
    event.reset();  // who waits keeps the record
    ASSERT_TRUE(other.synchronize(std::nullopt).ok());
    ASSERT_EQ(seen, round);
    ASSERT_TRUE(wait().ok());
  }
  other.close();
}

TEST_F(StreamTest, ACaptureFollowsEventsToOtherStreams) {
  Stream other;
  other.open(team_, 0, 10, false);
  std::vector<int> order;
  Event fork, join;
  ASSERT_TRUE(stream_.begin_capture().ok());
  ASSERT_TRUE(stream_.enqueue(task(kTiny, [&] { order.push_back(1); })).ok());
  ASSERT_TRUE(fork.record(stream_).ok());
  ASSERT_TRUE(fork.make_wait(other).ok());
  ASSERT_TRUE(other.enqueue(task(kTiny, [&] { order.push_back(2); })).ok());
  ASSERT_TRUE(join.record(other).ok());
  ASSERT_TRUE(join.make_wait(stream_).ok());
  ASSERT_TRUE(stream_.enqueue(task(kTiny, [&] { order.push_back(3); })).ok());
  auto recording = stream_.end_capture();
  ASSERT_TRUE(recording.ok());
  other.leave_capture(recording->get());
  EXPECT_TRUE(order.empty());
  ASSERT_TRUE(stream_.enqueue(replay(*recording)).ok());
  ASSERT_TRUE(stream_.enqueue(replay(*recording)).ok());
  ASSERT_TRUE(wait().ok());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(stream_.end_capture().status().code(), error::kStreamNotCaptured);
  other.close();
}

TEST_F(StreamTest, ACaptureLeavesEarlierWorkToBeWaitedFor) {
  std::atomic<bool> go{false}, ran{false};
  ASSERT_TRUE(stream_
                  .enqueue(task(kLong,
                                [&] {
                                  while (!go) std::this_thread::yield();
                                  ran = true;
                                }))
                  .ok());
  ASSERT_TRUE(stream_.begin_capture().ok());
  EXPECT_EQ(wait().code(), error::kStreamCaptured);
  go = true;
  EXPECT_TRUE(stream_.drain(std::nullopt).ok()) << "as freeing memory does";
  EXPECT_TRUE(ran);
  stream_.close();
  stream_.open(team_, 0, 7, false);
  EXPECT_EQ(stream_.capture(), nullptr) << "given up with the stream";
}

TEST_F(StreamTest, AClosedStreamCanBeOpenedAgain) {
  int runs = 0;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(stream_.enqueue(task(kLong, [&] { ++runs; })).ok());
    stream_.close();
    stream_.open(team_, 0, 7, false);
  }
  EXPECT_EQ(runs, 5);
}

TEST(ArenaTeamTest, RunsEveryChunkOnce) {
  for (int threads : {1, 2, 5}) {
    ArenaTeam team(threads);
    for (int64_t chunks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> counts(static_cast<size_t>(chunks));
      team.run(chunks, [&](int64_t chunk) { ++counts[static_cast<size_t>(chunk)]; });
      for (auto& count : counts) ASSERT_EQ(count, 1);
    }
  }
}

TEST(ArenaTeamTest, ManyCallersAndNestedRuns) {
  ArenaTeam team(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) team.run(8, [&](int64_t) { team.run(4, [&](int64_t chunk) { sum += chunk; }); });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sum, 6 * 200 * 8 * 6);
}

}  // namespace
}  // namespace cann
