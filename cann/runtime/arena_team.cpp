#include "cann/runtime/arena_team.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <sched.h>

#include <exception>
#include <optional>

#include "cann/runtime/clock.h"

namespace cann {

struct ArenaTeam::Job {
  Job(int64_t n, const ChunkBody& b) : chunks(n), body(b) {}

  // Claims and runs chunks until none is left.
  void work() noexcept {
    for (int64_t chunk; (chunk = next.fetch_add(1, std::memory_order_relaxed)) < chunks;) {
      try {
        body(chunk);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
        next.store(chunks, std::memory_order_relaxed);  // the rest would be thrown away anyhow
      }
    }
  }

  const int64_t chunks;
  const ChunkBody& body;
  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) std::atomic<int> inside{0};  // helpers at work
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
};

struct ArenaTeam::Arena {
  explicit Arena(int helpers) : arena(helpers, 0) {
    // oneTBB grants no more threads than cores by itself, and other users of it in the process keep what they have.
    if (helpers >= tbb::info::default_concurrency())
      allowed.emplace(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(helpers) + 1);
  }
  std::optional<tbb::global_control> allowed;
  tbb::task_arena arena;
};

ArenaTeam::ArenaTeam(int threads) : threads_(threads) {
  if (threads > 1) arena_ = std::make_unique<Arena>(threads - 1);
}

// For tests: the runtime's own Team is never destroyed.
ArenaTeam::~ArenaTeam() {
  while (serving_.load(std::memory_order_acquire) != 0) sched_yield();
}

void ArenaTeam::run(int64_t chunks, ChunkBody body) {
  Job job(chunks, body);
  const bool shared = chunks > 1 && arena_ && open(job);
  if (shared) summon(chunks - 1);
  job.work();
  if (shared) {
    close(job);
    // Those who have begun are within a chunk; one of them may have lost its core.
    for (int spins = 0; job.inside.load(std::memory_order_acquire) != 0; ++spins)
      spins < 200 ? pause() : (void)sched_yield();
  }
  if (job.failed.load(std::memory_order_acquire)) std::rethrow_exception(job.failure);
}

bool ArenaTeam::help() {
  if (open_jobs_.load(std::memory_order_seq_cst) == 0) return false;
  Job* job = nullptr;
  {
    std::lock_guard lock(mutex_);
    for (Job* candidate : jobs_) {
      if (candidate && candidate->next.load(std::memory_order_relaxed) < candidate->chunks) {
        job = candidate;
        job->inside.fetch_add(1, std::memory_order_relaxed);
        break;
      }
    }
  }
  if (!job) return false;
  job->work();
  job->inside.fetch_sub(1, std::memory_order_release);
  return true;
}

bool ArenaTeam::open(Job& job) {
  std::lock_guard lock(mutex_);
  for (Job*& slot : jobs_) {
    if (slot) continue;
    slot = &job;
    open_jobs_.fetch_add(1, std::memory_order_seq_cst);
    return true;
  }
  return false;  // 64 at once: the caller works alone
}

void ArenaTeam::close(Job& job) {
  std::lock_guard lock(mutex_);
  for (Job*& slot : jobs_)
    if (slot == &job) slot = nullptr;
  open_jobs_.fetch_sub(1, std::memory_order_seq_cst);
}

void ArenaTeam::summon(int64_t wanted) {
  for (int64_t i = std::min<int64_t>(wanted, threads_ - 1); i > 0; --i) {
    if (summoned_.fetch_add(1, std::memory_order_seq_cst) >= threads_ - 1) {  // all are up, and will look once more
      summoned_.fetch_sub(1, std::memory_order_seq_cst);
      return;
    }
    serving_.fetch_add(1, std::memory_order_relaxed);
    arena_->arena.enqueue([this] {
      serve();
      serving_.fetch_sub(1, std::memory_order_release);
    });
  }
}

void ArenaTeam::serve() {
  for (;;) {
    while (help()) {
    }
    summoned_.fetch_sub(1, std::memory_order_seq_cst);
    // A job opened after the last look found this helper still counted as up, and did not call another.
    if (!anything_to_do()) return;
    if (summoned_.fetch_add(1, std::memory_order_seq_cst) >= threads_ - 1) {
      summoned_.fetch_sub(1, std::memory_order_seq_cst);
      return;
    }
  }
}

bool ArenaTeam::anything_to_do() {
  if (open_jobs_.load(std::memory_order_seq_cst) == 0) return false;
  std::lock_guard lock(mutex_);
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [](const Job* job) { return job && job->next.load(std::memory_order_relaxed) < job->chunks; });
}

}  // namespace cann
