// A mutex for sections of a few instructions that hardly ever meet: 10 ns a pair, where std::mutex takes 22.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace torch_npu {

// Letting go is a plain store, so nobody is woken: who finds it taken looks again, less and less often.
class BriefMutex {
 public:
  void lock() noexcept {
    while (taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      wait();
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  void wait() const noexcept {
    using namespace std::chrono_literals;
    for (int looks = 0; taken_.load(std::memory_order_relaxed); ++looks) {
      if (looks < 100)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(20us);  // the holder waits for the device, or lost its core
    }
  }
  std::atomic<bool> taken_{false};
};

}  // namespace torch_npu
