// Does handing work to a stream pay? A loop of host work and a pointwise kernel over n floats, three ways: the kernel
// on the caller with one thread, on the caller with the Team, and on a stream. Microseconds per launch, the best of
// several runs. The stream must not lose to the better of the others by more than 10 % anywhere, and must win where
// host and device overlap.
//
//   worker_vs_inline [--quick]      exit code 1 if it loses somewhere
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "cann/base/options.h"
#include "cann/runtime/arena_team.h"
#include "cann/runtime/clock.h"
#include "cann/runtime/stream.h"

namespace {

using namespace cann;

void host_work(double us) {
  const int64_t end = now_ns() + static_cast<int64_t>(us * 1e3);
  while (now_ns() < end) {
  }
}

constexpr int64_t kGrain = 16384;

void kernel(Team& team, const float* a, const float* b, float* out, int64_t n) {
  team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = a[i] * b[i] + a[i];
  });
}

// Each run: `launches` rounds, then one wait. The best run, as a busy neighbour only ever adds.
double us_per_launch(int launches, int runs, const std::function<void()>& round, const std::function<void()>& wait) {
  std::vector<double> times;
  for (int run = 0; run <= runs; ++run) {
    const int64_t start = now_ns();
    for (int i = 0; i < launches; ++i) round();
    wait();
    if (run > 0) times.push_back(static_cast<double>(now_ns() - start) * 1e-3 / launches);
  }
  return *std::min_element(times.begin(), times.end());
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && !std::strcmp(argv[1], "--quick");
  const int runs = quick ? 10 : 60;
  ArenaTeam team(available_cores());
  InlineTeam alone;
  Stream stream;
  stream.open(team, 0, 0, false);

  // What a launch costs by itself: a Task that does nothing, on the caller.
  const double empty =
      us_per_launch(20000, runs, [&] { (void)stream.enqueue(Task("empty", 0, [](TaskContext&) {})); }, [] {});
  std::printf("%d threads; launching a tiny Task: %.0f ns\n", team.threads(), empty * 1e3);
  const double wait = us_per_launch(
      200, runs,
      [&] {
        (void)stream.enqueue(Task("short", 100, [](TaskContext&) { host_work(1); }));
        (void)stream.synchronize({});
      },
      [] {});
  std::printf("a Task of 1 us handed over and waited for: %.2f us\n", wait);

  std::printf("%8s %6s %10s %12s %8s %8s\n", "n", "host", "inline 1", "inline team", "stream", "ratio");
  bool lost = false;
  for (int64_t n : {1000, 5000, 20000, 100000, 400000, 1000000, 4000000}) {
    std::vector<float> a(static_cast<size_t>(n), 1), b(static_cast<size_t>(n), 2), out(static_cast<size_t>(n));
    // Short runs: on a machine with neighbours, one of many short ones has both cores for itself.
    const int launches = static_cast<int>(std::clamp<int64_t>(20'000'000 / n, 8, 200));
    const double one = us_per_launch(launches, runs, [&] { kernel(alone, a.data(), b.data(), out.data(), n); }, [] {});
    for (double host_us : {3.0, 10.0, 30.0}) {
      const double inline_one = us_per_launch(
          launches, runs,
          [&] {
            host_work(host_us);
            kernel(alone, a.data(), b.data(), out.data(), n);
          },
          [] {});
      const double inline_team = us_per_launch(
          launches, runs,
          [&] {
            host_work(host_us);
            kernel(team, a.data(), b.data(), out.data(), n);
          },
          [] {});
      const double streamed = us_per_launch(
          launches, runs,
          [&] {
            host_work(host_us);
            (void)stream.enqueue(Task("fma", static_cast<float>(one), [&, n](TaskContext& context) {
              kernel(context.team, a.data(), b.data(), out.data(), n);
            }));
          },
          [&] { (void)stream.synchronize({}); });
      const double ratio = std::min(inline_one, inline_team) / streamed;
      lost |= ratio < 0.9;
      std::printf("%8ld %6.0f %10.1f %12.1f %8.1f %8.2f%s\n", static_cast<long>(n), host_us, inline_one, inline_team,
                  streamed, ratio, ratio < 0.9 ? "  LOST" : "");
    }
  }
  stream.close();
  return lost;
}
