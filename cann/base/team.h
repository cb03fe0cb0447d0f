// The device's cores, as a kernel sees them. The runtime owns the one Team that computes; tests may pass an InlineTeam.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace cann {

// A reference to a callable of one int64_t: no allocation, valid while the callable lives.
class ChunkBody {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, ChunkBody>>>
  ChunkBody(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(&f))),
        call_([](void* object, int64_t chunk) { (*static_cast<std::remove_reference_t<F>*>(object))(chunk); }) {}
  void operator()(int64_t chunk) const { call_(object_, chunk); }

 private:
  void* object_;
  void (*call_)(void*, int64_t);
};

class Team {
 public:
  virtual ~Team() = default;
  virtual int threads() const = 0;

  // Calls body(0) ... body(chunks - 1), each once, in any order, from one or more threads; returns when all have ended.
  // The caller chooses chunks by the size of the work alone, never by threads(): same input, same bits.
  virtual void run(int64_t chunks, ChunkBody body) = 0;

  // Calls body(begin, end) over [0, n) in pieces of `grain` (the last may be shorter). One piece runs without ceremony.
  template <class F>
  void for_ranges(int64_t n, int64_t grain, F&& body) {
    if (n <= 0) return;
    grain = std::max<int64_t>(grain, 1);
    if (n <= grain) return body(int64_t{0}, n);
    run((n + grain - 1) / grain, [&](int64_t chunk) { body(chunk * grain, std::min(n, (chunk + 1) * grain)); });
  }
};

class InlineTeam final : public Team {
 public:
  int threads() const override { return 1; }
  void run(int64_t chunks, ChunkBody body) override {
    for (int64_t i = 0; i < chunks; ++i) body(i);
  }
};

}  // namespace cann
