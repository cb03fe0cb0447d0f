// The device's cores: one Team for all streams, its helpers from a oneTBB arena.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "cann/base/team.h"

namespace cann {

// A running `run` is open: whoever is idle takes chunks of it one by one. Helpers are called, never waited for unless
// they have begun: with OpenMP's barrier the caller waited for a core that the host thread held (two cores, 400k
// floats, 30 us of host work between launches: 94 us a launch against 57).
class ArenaTeam final : public Team {
 public:
  explicit ArenaTeam(int threads);
  ~ArenaTeam() override;

  int threads() const override { return threads_; }
  void run(int64_t chunks, ChunkBody body) override;

  // Takes chunks of whatever is open; false if there was nothing. For threads that would only wait.
  bool help();

 private:
  struct Job;
  struct Arena;  // keeps oneTBB's headers out of everybody else's way

  bool open(Job& job);
  void close(Job& job);
  void summon(int64_t wanted);
  void serve();
  bool anything_to_do();

  const int threads_;
  std::unique_ptr<Arena> arena_;
  std::atomic<int> open_jobs_{0};
  std::atomic<int> summoned_{0};  // helpers that are up, or called
  std::atomic<int> serving_{0};   // the same, until they have left this object
  std::mutex mutex_;              // guards jobs_; held for a few instructions
  std::array<Job*, 64> jobs_{};
};

}  // namespace cann
