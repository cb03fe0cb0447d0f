#include "torch_npu/csrc/diagnostics/policies.h"

#include <array>
#include <atomic>
#include <mutex>
#include <set>

#include <c10/util/Exception.h>

#include "torch_npu/csrc/diagnostics/operators.h"

namespace torch_npu::policies {
namespace {

using events::Kind;

std::array<std::atomic<Policy>, events::kKinds> chosen{Policy::Count, Policy::Count, Policy::Count, Policy::Count,
                                                       Policy::Count, Policy::Count, Policy::Count, Policy::Count,
                                                       Policy::Count, Policy::Count, Policy::Count};

const char* told(Kind kind) {
  switch (kind) {
    case Kind::Fallback: return "an operator ran on the CPU";
    case Kind::Sync: return "called a synchronizing NPU operation";
    case Kind::Copy: return "a copy between host and device";
    case Kind::Contiguous: return "a hidden copy of an input that is not contiguous";
    case Kind::Float64: return "an operator got float64";
    case Kind::Complex: return "an operator got complex numbers";
    case Kind::Unfused: return "an Ascend would not fuse this operator";
    case Kind::Fused: return "a fused operator";
    case Kind::Retry: return "device memory ran short";
    case Kind::Recompile: return "a graph was compiled again";
    case Kind::Ascend: return "an Ascend does not compute this operator on the device";
  }
  return "";
}

std::string message(Kind kind, std::string_view what, events::Place place, const events::Detail& detail) {
  const auto describe = events::place_finder().describe;
  const std::string line = describe == nullptr ? std::string() : describe(place);
  std::string text = std::string("torch_npu: ") + told(kind) + ": " + std::string(what);
  if (!detail.reason.empty()) text += " (" + std::string(detail.reason) + ")";
  if (!line.empty()) text += ", at " + line;
  return text;
}

}  // namespace

Policy of(Kind kind) { return chosen[static_cast<size_t>(kind)].load(std::memory_order_relaxed); }

void set(Kind kind, Policy policy) {
  const Policy former = chosen[static_cast<size_t>(kind)].exchange(policy);
  const bool needed = former >= Policy::Warn, needs = policy >= Policy::Warn;
  if (needs && !needed) events::start_tracing();
  if (needed && !needs) events::stop_tracing();
}

void apply(Kind kind, std::string_view what, events::Place place, const events::Detail& detail) {
  const Policy policy = of(kind);
  if (policy <= Policy::Count) [[likely]]
    return;
  const std::string text = message(kind, what, place, detail);
  const std::string name = events::kNames[static_cast<size_t>(kind)];
  TORCH_CHECK(policy != Policy::Error, text, ". The policy ", name, "=error makes this an error.");
  if (first_time(name + " " + std::string(what), place)) TORCH_WARN(text);
}

bool first_time(std::string_view subject, events::Place place) {
  static auto& mutex = *new std::mutex();
  static auto& seen = *new std::set<std::pair<events::Place, std::string>>();
  std::lock_guard lock(mutex);
  return seen.emplace(place, subject).second;
}

}  // namespace torch_npu::policies
