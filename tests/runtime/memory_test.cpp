// One device's memory: reuse, budget, and the guard's forbidden edges.
#include "cann/runtime/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "cann/runtime/error.h"

namespace cann {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(DeviceMemory, BlocksDoNotOverlapAndComeBack) {
  DeviceMemory memory(0, 256 * kMiB, false);
  std::mt19937 random(0);
  std::map<std::byte*, size_t> held;
  for (int i = 0; i < 4000; ++i) {
    if (held.size() > 40 || (!held.empty() && random() % 3 == 0)) {
      auto block = std::next(held.begin(), static_cast<ptrdiff_t>(random() % held.size()));
      ASSERT_TRUE(memory.release(block->first).ok());
      held.erase(block);
      continue;
    }
    const size_t bytes = 1 + random() % (random() % 4 ? 3000 : 5 * kMiB);
    Result<void*> got = memory.allocate(bytes);
    ASSERT_TRUE(got.ok()) << got.status().message();
    auto* const address = static_cast<std::byte*>(*got);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(address) % 512, 0u);
    auto next = held.lower_bound(address);
    ASSERT_TRUE(next == held.end() || address + bytes <= next->first);
    ASSERT_TRUE(next == held.begin() || std::prev(next)->first + std::prev(next)->second <= address);
    address[0] = address[bytes - 1] = std::byte{1};
    held[address] = bytes;
  }
  for (auto& [address, bytes] : held) ASSERT_TRUE(memory.release(address).ok());
  EXPECT_EQ(memory.used_bytes(), 0u);
  Result<void*> all = memory.allocate(256 * kMiB);
  EXPECT_TRUE(all.ok()) << "freed neighbours are one block again";
}

TEST(DeviceMemory, LargeBlocksFitHugePages) {
  DeviceMemory memory(0, 64 * kMiB, false);
  ASSERT_TRUE(memory.allocate(100).ok());
  Result<void*> large = memory.allocate(20 * kMiB);
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(*large) % (2 * kMiB), 0u);
}

TEST(DeviceMemory, ReusesTouchedPagesFirst) {
  DeviceMemory memory(0, 64 * kMiB, false);
  void* const first = *memory.allocate(8 * kMiB);
  ASSERT_TRUE(memory.release(first).ok());
  EXPECT_EQ(*memory.allocate(8 * kMiB), first);
}

TEST(DeviceMemory, TheBudgetIsTheLimit) {
  DeviceMemory memory(3, 8 * kMiB, false);
  Result<void*> most = memory.allocate(7 * kMiB);
  ASSERT_TRUE(most.ok());
  Result<void*> more = memory.allocate(2 * kMiB);
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.status().code(), error::kMemoryAllocation);
  EXPECT_EQ(more.status().message(),
            "allocate 2.0 MiB on npu:3: only 1.0 MiB of its 8.0 MiB are free (NPU_EMBEDDED_MEMORY sets the size of a "
            "device)");
  EXPECT_FALSE(memory.allocate(SIZE_MAX - 100).ok());
  ASSERT_TRUE(memory.release(*most).ok());
  EXPECT_TRUE(memory.allocate(2 * kMiB).ok());
}

TEST(DeviceMemory, RefusesForeignAndFreedAddresses) {
  DeviceMemory memory(0, 8 * kMiB, false);
  int local = 0;
  EXPECT_FALSE(memory.release(&local).ok());
  auto* const block = static_cast<std::byte*>(*memory.allocate(1024));
  EXPECT_FALSE(memory.release(block + 8).ok());
  EXPECT_TRUE(memory.release(block).ok());
  EXPECT_FALSE(memory.release(block).ok());
}

TEST(DeviceMemory, FindsTheBlockOfAnAddress) {
  DeviceMemory memory(0, 8 * kMiB, false);
  auto* const block = static_cast<std::byte*>(*memory.allocate(1000));
  EXPECT_EQ(memory.find(block + 999).address, block);
  EXPECT_EQ(memory.find(block + 1024).address, nullptr) << "rounded up to 1024";
  EXPECT_TRUE(memory.owns(block + 1024));
}

using DeviceMemoryDeathTest = ::testing::Test;

TEST(DeviceMemoryDeathTest, GuardForbidsTheEdgesAndTheTimeAfter) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto allocate = [](size_t bytes) {
    static DeviceMemory memory(0, 8 * kMiB, true);
    return std::pair(&memory, static_cast<volatile char*>(*memory.allocate(bytes)));
  };
  auto [memory, block] = allocate(1024);
  EXPECT_EQ(block[0], '\xFF') << "poison: NaN in every floating type";
  block[1023] = 1;
  EXPECT_DEATH(block[1024] = 1, "");
  EXPECT_DEATH(block[-4096] = 1, "");
  EXPECT_TRUE(memory->owns(const_cast<char*>(block)));
  ASSERT_TRUE(memory->release(const_cast<char*>(block)).ok());
  EXPECT_DEATH(block[0] = 1, "");
  EXPECT_EQ(memory->used_bytes(), 0u);
}

}  // namespace
}  // namespace cann
