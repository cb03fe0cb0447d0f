// The counters' one owner: a table per kind behind a lock. Everything counted here costs microseconds by itself.
#include "torch_npu/csrc/dispatch/counters.h"

#include <array>
#include <mutex>
#include <set>

namespace torch_npu::counters {
namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, Count, std::less<>> counts;
  std::set<std::string, std::less<>> seen;  // outlives reset(): warnings are given once a process
};

Table& table(Kind kind) {
  static auto& tables = *new std::array<Table, 4>();
  return tables[static_cast<size_t>(kind)];
}

Count& entry(Table& table, std::string_view what) {
  auto found = table.counts.find(what);
  if (found == table.counts.end()) found = table.counts.emplace(std::string(what), Count{}).first;
  return found->second;
}

}  // namespace

bool count(Kind kind, std::string_view what, uint64_t bytes) {
  Table& counted = table(kind);
  std::lock_guard lock(counted.mutex);
  Count& one = entry(counted, what);
  ++one.calls;
  one.bytes += bytes;
  return counted.seen.find(what) == counted.seen.end() && counted.seen.emplace(what).second;
}

void add_bytes(Kind kind, std::string_view what, uint64_t bytes) {
  Table& counted = table(kind);
  std::lock_guard lock(counted.mutex);
  entry(counted, what).bytes += bytes;
}

void note_reason(Kind kind, std::string_view what, std::string reason) {
  Table& counted = table(kind);
  std::lock_guard lock(counted.mutex);
  entry(counted, what).reason = std::move(reason);
}

std::map<std::string, Count> read(Kind kind) {
  Table& counted = table(kind);
  std::lock_guard lock(counted.mutex);
  return {counted.counts.begin(), counted.counts.end()};
}

void reset() {
  for (const Kind kind : {Kind::Fallback, Kind::HostWait, Kind::HiddenCopy, Kind::Float64}) {
    Table& counted = table(kind);
    std::lock_guard lock(counted.mutex);
    counted.counts.clear();
  }
}

}  // namespace torch_npu::counters
