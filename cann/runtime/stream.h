// A stream: Tasks run one after the other, in the order in which they came. Knows nothing of what is in them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cann/base/brief_mutex.h"
#include "cann/base/task.h"
#include "cann/runtime/clock.h"
#include "cann/runtime/event.h"
#include "cann/trace/trace.h"

namespace cann {

class ArenaTeam;
class Recording;

// The ring is filled under producer_ and emptied by whoever holds `running_`: the stream's worker, or a thread that
// waits. A short Task on an idle stream runs on the caller, under producer_, and never enters the ring.
class Stream {
 public:
  static constexpr size_t kRingSize = 512;
  static constexpr float kNeverInlineUs = 1e9f;
  static constexpr uint64_t kOnCaller = UINT64_MAX;  // the position of a Task that never enters the ring
  static constexpr uint64_t kStopOnFailure = 1;  // a failure_mode: what follows is not run until the error is raised

  Stream() = default;
  ~Stream();

  // Makes a fresh or reused object work. The worker thread starts with the first Task that needs it.
  void open(ArenaTeam& team, int device, uint32_t id, bool launch_blocking);
  void close();  // waits for the work, ends the worker

  Status enqueue(Task&& task);
  Status mark(const MarkPtr& mark);  // the mark is done when all work before it is

  bool idle();
  bool capturing() const { return capturing_.load(std::memory_order_relaxed); }
  Status synchronize(Deadline deadline);                    // raises the sticky error
  Status wait_until(uint64_t position, Deadline deadline);  // leaves the sticky error
  Status drain(Deadline deadline);                          // the same, for all that came so far
  Status take_error();                                      // the first failure since the last call

  Status begin_capture();
  Status join_capture(const std::shared_ptr<Recording>& recording);
  Result<std::shared_ptr<Recording>> end_capture();
  std::shared_ptr<Recording> capture();
  void leave_capture(const Recording* recording);

  int device() const { return device_.load(std::memory_order_relaxed); }
  uint32_t id() const { return id_.load(std::memory_order_relaxed); }

  std::atomic<bool> live{false};
  uint32_t priority = 0, flags = 0;
  std::atomic<uint64_t> failure_mode{0};

 private:
  bool runs_on_caller(const Task& task);
  Status run(Task& task, uint64_t position);
  Status execute(Task& task);
  trace::Launch launch_of(uint64_t position) const;
  void run_keeping_error(Task& task, uint64_t position);
  Status push(Task&& task);
  void run_ring(uint64_t until);
  bool begin_running() {
    return !running_.load(std::memory_order_relaxed) && !running_.exchange(true, std::memory_order_seq_cst);
  }
  void end_running();
  void work();
  bool worker_spins_for_work();
  void worker_sleeps();
  void wake_worker();
  void wake_waiters();
  void sleep_until(uint64_t position, const Deadline& deadline);

  // Who waited for an old event may still look in here when the object is opened anew: hence atomic, and team_ set
  // once.
  ArenaTeam* team_ = nullptr;
  std::atomic<int> device_{0};
  std::atomic<uint32_t> id_{0};
  bool launch_blocking_ = false;
  std::unique_ptr<Task[]> ring_;
  // Who launched the Task in each slot of the ring; written only while there is a trace.
  struct Launched {
    uint64_t position = UINT64_MAX;
    trace::Launch launch;
  };
  std::unique_ptr<Launched[]> launched_;

  alignas(64) BriefMutex producer_;
  std::atomic<uint64_t> head_{0};  // Tasks that came into the ring
  std::shared_ptr<Recording> capture_;
  std::atomic<bool> capturing_{false};
  int short_tasks_in_a_row_ = 0;

  alignas(64) std::atomic<uint64_t> tail_{0};  // Tasks of the ring that have ended
  std::atomic<bool> running_{false};

  alignas(64) std::atomic<bool> worker_asleep_{false};
  std::atomic<uint64_t> wake_at_{UINT64_MAX};  // the least position that a sleeping waiter wants
  std::atomic<bool> failed_{false};
  std::mutex sleep_mutex_;  // guards the sleeping, and error_
  std::condition_variable worker_wakes_, waiters_wake_;
  Status error_;
  std::atomic<bool> stop_{false};
  std::thread worker_;
};

}  // namespace cann
