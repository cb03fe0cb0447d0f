// The events' one owner: a table per kind behind a lock, and a ring of the latest ones.
#include "torch_npu/csrc/diagnostics/events.h"

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <sstream>

#include <ATen/record_function.h>

#include "torch_npu/csrc/diagnostics/operators.h"
#include "torch_npu/csrc/diagnostics/policies.h"

namespace torch_npu::events {

using Subject = std::pair<Place, std::string_view>;
struct BySubject {
  using is_transparent = void;
  static Subject of(const std::pair<Place, std::string>& key) { return {key.first, key.second}; }
  static Subject of(const Subject& key) { return key; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return of(a) < of(b);
  }
};

struct Store {
  std::mutex mutex;
  std::array<std::map<std::pair<Place, std::string>, Count, BySubject>, kKinds> tables;
  std::vector<Tally*> tallies;
  std::vector<Moment> ring;
  size_t written = 0;

  Count& entry(Kind kind, std::string_view what, Place place);
  void keep(Moment moment);
  void take_tallies();
};

namespace {

// Never destroyed: a stream may be waited for by other libraries' exit handlers.
Store& store() {
  static auto& one = *new Store();
  return one;
}

}  // namespace

Count& Store::entry(Kind kind, std::string_view what, Place place) {
  auto& table = tables[static_cast<size_t>(kind)];
  const auto found = table.find(Subject{place, what});
  if (found != table.end()) return found->second;
  Count& fresh = table[{place, std::string(what)}];
  fresh.kind = kind;
  fresh.what = what;
  fresh.place = place;
  return fresh;
}

void Store::keep(Moment moment) {
  if (ring.size() < kTimeline)
    ring.push_back(std::move(moment));
  else
    ring[written % kTimeline] = std::move(moment);
  ++written;
}

void Store::take_tallies() {
  for (Tally* tally : tallies) {
    const uint64_t calls = tally->untold_.exchange(0, std::memory_order_relaxed);
    if (calls == 0) continue;
    Count& count = entry(tally->kind_, tally->what_, kNowhere);
    count.calls += calls;
    count.reason = tally->reason_;
  }
}

namespace {

void put(Kind kind, std::string_view what, Place place, const Detail& detail, uint64_t bytes, int64_t start_ns,
         int64_t duration_ns) {
  const bool traced = tracing();
  Store& all = store();
  std::lock_guard lock(all.mutex);
  Count& count = all.entry(kind, what, place);
  ++count.calls;
  count.bytes += bytes;
  count.time_ns += duration_ns;
  if (!detail.reason.empty()) count.reason = detail.reason;
  if (!traced) return;
  if (count.rounds == 0 || operators::work_done() != count.last_work) ++count.rounds;
  count.last_work = operators::work_done();
  const std::string_view op_name = detail.op_name.empty() ? operators::current_name() : detail.op_name;
  if (!op_name.empty()) count.op_name = op_name;
  if (!detail.operands.empty()) count.operands = detail.operands;
  all.keep({kind, std::string(what), place, at::RecordFunction::currentThreadId(), start_ns, duration_ns, bytes});
}

thread_local const char* current_cause = nullptr;

}  // namespace

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Occurrence::Occurrence(Kind kind, std::string_view what, Detail detail)
    : kind_(kind), wanted_(policies::of(kind) != policies::Policy::Ignore), detail_(std::move(detail)) {
  if (!wanted_) return;
  what_ = what;
  place_ = tracing() ? operators::place() : kNowhere;
  start_ns_ = now_ns();
  try {
    policies::apply(kind, what_, place_, detail_);
  } catch (...) {  // an error by policy is an event too
    put(kind_, what_, place_, detail_, 0, start_ns_, 0);
    throw;
  }
}

Occurrence::~Occurrence() {
  if (wanted_) put(kind_, what_, place_, detail_, bytes_, start_ns_, now_ns() - start_ns_);
}

void record(Kind kind, std::string_view what, Detail detail, uint64_t bytes) {
  if (policies::of(kind) == policies::Policy::Ignore) return;
  const Place place = tracing() ? operators::place() : kNowhere;
  put(kind, what, place, detail, bytes, tracing() ? now_ns() : 0, 0);
  policies::apply(kind, what, place, detail);
}

Tally::Tally(Kind kind, const char* what, const char* reason) : kind_(kind), what_(what), reason_(reason) {
  Store& all = store();
  std::lock_guard lock(all.mutex);
  all.tallies.push_back(this);
}

void Tally::note() {
  if (policies::of(kind_) == policies::Policy::Ignore) return;
  if (!tracing())
    untold_.fetch_add(1, std::memory_order_relaxed);
  else if (operators::is_first_in_call(kind_))
    record(kind_, what_, {.reason = reason_, .operands = {}, .op_name = {}});
}

std::vector<Count> counts() {
  Store& all = store();
  std::lock_guard lock(all.mutex);
  all.take_tallies();
  std::vector<Count> result;
  for (const auto& table : all.tables)
    for (const auto& [key, count] : table) result.push_back(count);
  return result;
}

std::vector<Moment> timeline() {
  Store& all = store();
  std::lock_guard lock(all.mutex);
  if (all.written <= kTimeline) return all.ring;
  const auto oldest = all.ring.begin() + static_cast<ptrdiff_t>(all.written % kTimeline);
  std::vector<Moment> ordered(oldest, all.ring.end());
  ordered.insert(ordered.end(), all.ring.begin(), oldest);
  return ordered;
}

void reset() {
  Store& all = store();
  std::lock_guard lock(all.mutex);
  all.take_tallies();
  for (auto& table : all.tables) table.clear();
  all.ring.clear();
  all.written = 0;
}

Cause::Cause(const char* name) : former_(current_cause) {
  if (former_ == nullptr) current_cause = name;  // the outermost is what the user called
}
Cause::~Cause() { current_cause = former_; }
const char* Cause::current() { return current_cause; }

std::string operands_of(at::ArrayRef<at::Tensor> tensors) {
  if (!tracing()) return {};
  std::ostringstream text;
  for (const at::Tensor& t : tensors) {
    if (!t.defined()) continue;
    if (text.tellp() > 0) text << ", ";
    text << c10::getDtypeNames(t.scalar_type()).first << t.sizes();
  }
  return text.str();
}

}  // namespace torch_npu::events
