#include "cann/runtime/stream.h"

#include <pthread.h>
#include <sched.h>

#include <exception>
#include <new>

#include "cann/runtime/arena_team.h"
#include "cann/runtime/error.h"
#include "cann/runtime/recording.h"

namespace cann {
namespace {

// Below this, running a Task costs the caller less than handing it over to a worker that is awake.
constexpr float kTinyUs = 1.5f;
// Below this, it costs less than waking the worker up; but a row of them is worth a worker (see runs_on_caller).
constexpr float kShortUs = 15.0f;
constexpr int kShortInARow = 6;
// A worker looks out for more work for so long: host work between two launches of a model is 3 to 30 us, waking up
// takes 50 and more (175 us on a virtual machine).
constexpr int64_t kWorkerSpinNs = 60'000;
constexpr int64_t kWaiterSpinNs = 30'000;

thread_local const Stream* t_running = nullptr;  // whose Task this thread is in: it must not wait for that stream

}  // namespace

Stream::~Stream() {
  if (worker_.joinable()) close();
}

void Stream::open(ArenaTeam& team, int device, uint32_t id, bool launch_blocking) {
  if (team_ != &team) team_ = &team;
  device_.store(device, std::memory_order_relaxed);
  id_.store(id, std::memory_order_relaxed);
  launch_blocking_ = launch_blocking;
  priority = flags = 0;
  failure_mode = 0;
  stop_ = false;
  live.store(true, std::memory_order_release);
}

void Stream::close() {
  if (t_running == this) return;  // the process ends from within a host function
  (void)drain(std::nullopt);
  live.store(false, std::memory_order_release);
  leave_capture(capture().get());
  stop_.store(true, std::memory_order_seq_cst);
  wake_worker();
  if (worker_.joinable()) worker_.join();
  worker_ = {};
  (void)take_error();
}

// ---- producing -------------------------------------------------------------------------------------------

bool Stream::runs_on_caller(const Task& task) {
  const uint64_t head = head_.load(std::memory_order_relaxed);
  if (tail_.load(std::memory_order_acquire) != head) return false;
  const float us = task.estimated_us();
  if (launch_blocking_ && us < kNeverInlineUs) return true;
  if (us <= kTinyUs) return true;
  if (us > kShortUs) return false;
  const bool worker_awake = worker_.joinable() && !worker_asleep_.load(std::memory_order_relaxed);
  if (worker_awake) return false;
  // One short Task, then a wait: run it here. One after the other with nobody waiting: the host could be further on by
  // now.
  return ++short_tasks_in_a_row_ < kShortInARow;
}

Status Stream::enqueue(Task&& task) {
  std::unique_lock lock(producer_);
  if (capturing_.load(std::memory_order_relaxed)) {
    capture_->append(std::move(task));
    return {};
  }
  if (launch_blocking_) {
    if (runs_on_caller(task)) return run(task, kOnCaller);
    RETURN_IF_ERROR(push(std::move(task)));
    const uint64_t position = head_.load(std::memory_order_relaxed);
    lock.unlock();
    RETURN_IF_ERROR(wait_until(position, std::nullopt));
    return take_error();
  }
  if (!runs_on_caller(task)) return push(std::move(task));
  run_keeping_error(task, kOnCaller);
  return {};
}

Status Stream::mark(const MarkPtr& mark) {
  std::lock_guard lock(producer_);
  mark->stream = this;
  if (capturing_.load(std::memory_order_relaxed)) {
    mark->capture = capture_;
    return {};
  }
  const uint64_t head = head_.load(std::memory_order_relaxed);
  if (tail_.load(std::memory_order_acquire) == head) {
    mark->done_ns.store(now_ns(), std::memory_order_release);
    return {};
  }
  mark->position = head + 1;
  return push(
      Task("record an event", 0, [mark](TaskContext&) { mark->done_ns.store(now_ns(), std::memory_order_release); }));
}

// pre: producer_ is held
Status Stream::push(Task&& task) {
  if (!ring_) {
    ring_ = std::make_unique<Task[]>(kRingSize);
    launched_ = std::make_unique<Launched[]>(kRingSize);
  }
  if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
  const uint64_t head = head_.load(std::memory_order_relaxed);
  if (head - tail_.load(std::memory_order_acquire) >= kRingSize)
    RETURN_IF_ERROR(wait_until(head - kRingSize + 1, std::nullopt));
  ring_[head % kRingSize] = std::move(task);
  if (trace::on()) [[unlikely]]
    launched_[head % kRingSize] = {head, trace::launch_now()};
  short_tasks_in_a_row_ = 0;
  head_.store(head + 1, std::memory_order_seq_cst);
  if (worker_asleep_.load(std::memory_order_seq_cst)) wake_worker();
  return {};
}

// ---- running ---------------------------------------------------------------------------------------------

trace::Launch Stream::launch_of(uint64_t position) const {
  if (position == kOnCaller) return trace::launch_now();
  const Launched& slot = launched_[position % kRingSize];
  return slot.position == position ? slot.launch : trace::Launch{};  // or it was launched before the trace began
}

Status Stream::run(Task& task, uint64_t position) {
  if (!trace::on()) [[likely]]
    return execute(task);
  trace::Span span(task.name(), device(), id(), launch_of(position));
  return execute(task);
}

Status Stream::execute(Task& task) {
  TaskContext context{*team_, task.workspace};
  const auto failure = [&](int code, const char* what) {
    return Status(code, std::string(task.name()) + " (npu:" + std::to_string(device()) + ", stream " +
                            std::to_string(id()) + "): " + what);
  };
  try {
    Status status = task(context);
    if (status.ok()) return status;
    return failure(status.code(), status.message().c_str());
  } catch (const std::bad_alloc&) {
    return failure(error::kMemoryAllocation, "no memory for its temporaries");
  } catch (const std::exception& exception) {
    return failure(error::kTaskException, exception.what());
  } catch (...) {
    return failure(error::kTaskException, "failed with an exception of unknown type");
  }
}

void Stream::run_keeping_error(Task& task, uint64_t position) {
  if (failed_.load(std::memory_order_relaxed) && failure_mode.load(std::memory_order_relaxed) == kStopOnFailure) return;
  Status status = run(task, position);
  if (status.ok()) [[likely]]
    return;
  std::lock_guard lock(sleep_mutex_);
  if (failed_.load(std::memory_order_relaxed)) return;  // the first failure explains the later ones
  error_ = std::move(status);
  failed_.store(true, std::memory_order_release);
}

// pre: begin_running() gave true. Runs Tasks until the position is reached or the ring is empty.
void Stream::run_ring(uint64_t until) {
  uint64_t tail = tail_.load(std::memory_order_relaxed);
  const Stream* const outer = std::exchange(t_running, this);
  while (tail < until && tail < head_.load(std::memory_order_acquire)) {
    Task& task = ring_[tail % kRingSize];
    run_keeping_error(task, tail);
    task = Task();  // what it held is given back now, not when the ring comes round
    tail_.store(++tail, std::memory_order_seq_cst);
    if (tail >= wake_at_.load(std::memory_order_seq_cst)) wake_waiters();
  }
  t_running = outer;
}

void Stream::end_running() {
  running_.store(false, std::memory_order_seq_cst);
  // Whoever slept or looked away because the ring was being run must learn that it no longer is.
  if (worker_asleep_.load(std::memory_order_seq_cst) &&
      tail_.load(std::memory_order_relaxed) != head_.load(std::memory_order_seq_cst))
    wake_worker();
}

void Stream::work() {
  pthread_setname_np(pthread_self(),
                     ("npu" + std::to_string(device()) + "-s" + std::to_string(id())).substr(0, 15).c_str());
  while (!stop_.load(std::memory_order_acquire)) {
    if (tail_.load(std::memory_order_acquire) != head_.load(std::memory_order_acquire) && begin_running()) {
      run_ring(UINT64_MAX);
      end_running();
    } else if (!worker_spins_for_work()) {
      worker_sleeps();
    }
  }
}

bool Stream::worker_spins_for_work() {
  const int64_t start = now_ns();
  for (int round = 0;; ++round) {
    for (int i = 0; i < 32; ++i) {
      if (stop_.load(std::memory_order_relaxed)) return true;
      if (tail_.load(std::memory_order_acquire) != head_.load(std::memory_order_acquire) &&
          !running_.load(std::memory_order_relaxed))
        return true;
      pause();
    }
    if (now_ns() - start > kWorkerSpinNs) return false;
    if (round % 4 == 3) sched_yield();  // on two cores somebody may need this one
  }
}

void Stream::worker_sleeps() {
  std::unique_lock lock(sleep_mutex_);
  worker_asleep_.store(true, std::memory_order_seq_cst);
  const bool work = tail_.load(std::memory_order_seq_cst) != head_.load(std::memory_order_seq_cst) &&
                    !running_.load(std::memory_order_seq_cst);
  if (work || stop_.load(std::memory_order_seq_cst)) {
    worker_asleep_.store(false, std::memory_order_relaxed);
    return;
  }
  worker_wakes_.wait(lock, [this] { return !worker_asleep_.load(std::memory_order_relaxed); });
}

void Stream::wake_worker() {
  {
    std::lock_guard lock(sleep_mutex_);
    worker_asleep_.store(false, std::memory_order_seq_cst);
  }
  worker_wakes_.notify_one();
}

// ---- waiting ---------------------------------------------------------------------------------------------

Status Stream::wait_until(uint64_t position, Deadline deadline) {
  if (t_running == this && tail_.load(std::memory_order_acquire) < position)
    return {error::kInternal,
            "wait for stream " + std::to_string(id()) + ": from within its own work, which would never end"};
  while (tail_.load(std::memory_order_acquire) < position) {
    if (!deadline && begin_running()) {  // nobody at it: faster than waking the worker (2 us against 175)
      run_ring(position);
      end_running();
      continue;
    }
    if (!deadline && team_->help()) continue;  // a core that waits is better used on the work waited for
    const int64_t start = now_ns();
    bool reached = false;
    for (int i = 0; !reached && (i % 32 || now_ns() - start < kWaiterSpinNs); ++i) {
      pause();
      if (i % 128 == 127) sched_yield();
      reached =
          tail_.load(std::memory_order_acquire) >= position || (!deadline && !running_.load(std::memory_order_relaxed));
    }
    if (!reached) sleep_until(position, deadline);
    if (deadline && std::chrono::steady_clock::now() >= *deadline && tail_.load(std::memory_order_acquire) < position)
      return {error::kStreamSyncTimeout, "synchronize: stream " + std::to_string(id()) +
                                             " of npu:" + std::to_string(device()) + " was not done in time"};
  }
  return {};
}

void Stream::sleep_until(uint64_t position, const Deadline& deadline) {
  std::unique_lock lock(sleep_mutex_);
  wake_at_.store(std::min(wake_at_.load(std::memory_order_relaxed), position), std::memory_order_seq_cst);
  if (tail_.load(std::memory_order_seq_cst) >= position) return;
  if (deadline)
    waiters_wake_.wait_until(lock, *deadline);
  else
    waiters_wake_.wait(lock);
}

void Stream::wake_waiters() {
  {
    std::lock_guard lock(sleep_mutex_);
    wake_at_.store(UINT64_MAX, std::memory_order_seq_cst);  // who wants more says so again
  }
  waiters_wake_.notify_all();
}

bool Stream::idle() {
  std::unique_lock lock(producer_, std::try_to_lock);
  if (!lock.owns_lock()) return false;  // somebody is launching, or runs a short Task here
  return tail_.load(std::memory_order_acquire) == head_.load(std::memory_order_relaxed);
}

Status Stream::drain(Deadline deadline) {
  uint64_t position;
  {
    std::lock_guard lock(producer_);
    position = head_.load(std::memory_order_relaxed);
    short_tasks_in_a_row_ = 0;
  }
  return wait_until(position, deadline);
}

Status Stream::synchronize(Deadline deadline) {
  if (capturing_.load(std::memory_order_relaxed))
    return {error::kStreamCaptured,
            "synchronize: stream " + std::to_string(id()) + " is being captured into a graph and cannot be waited for"};
  RETURN_IF_ERROR(drain(deadline));
  return take_error();
}

Status Stream::take_error() {
  if (!failed_.load(std::memory_order_acquire)) return {};
  std::lock_guard lock(sleep_mutex_);
  failed_.store(false, std::memory_order_relaxed);
  return std::exchange(error_, Status());
}

// ---- capture ---------------------------------------------------------------------------------------------

Status Stream::begin_capture() {
  std::lock_guard lock(producer_);
  if (capture_)
    return {error::kStreamCaptured, "capture: stream " + std::to_string(id()) + " is being captured already"};
  capture_ = std::make_shared<Recording>();
  capture_->origin = this;
  capturing_.store(true, std::memory_order_relaxed);
  return {};
}

Status Stream::join_capture(const std::shared_ptr<Recording>& recording) {
  std::lock_guard lock(producer_);
  if (capture_ && capture_ != recording)
    return {error::kStreamCaptureUnmatched,
            "wait for an event: the event belongs to another capture than stream " + std::to_string(id())};
  capture_ = recording;
  capturing_.store(true, std::memory_order_relaxed);
  return {};
}

Result<std::shared_ptr<Recording>> Stream::end_capture() {
  std::lock_guard lock(producer_);
  if (!capture_)
    return Status{error::kStreamNotCaptured, "capture: stream " + std::to_string(id()) + " is not being captured"};
  if (capture_->origin != this)
    return Status{error::kStreamCaptureUnmatched, "capture: stream " + std::to_string(id()) +
                                                      " did not begin this capture, stream " +
                                                      std::to_string(capture_->origin->id()) + " did"};
  capturing_.store(false, std::memory_order_relaxed);
  return std::exchange(capture_, nullptr);
}

std::shared_ptr<Recording> Stream::capture() {
  std::lock_guard lock(producer_);
  return capture_;
}

void Stream::leave_capture(const Recording* recording) {
  std::lock_guard lock(producer_);
  if (capture_.get() != recording) return;
  capture_.reset();
  capturing_.store(false, std::memory_order_relaxed);
}

}  // namespace cann
