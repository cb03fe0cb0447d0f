#include "torch_npu/csrc/diagnostics/operators.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/node.h>

#include "torch_npu/csrc/diagnostics/events.h"

namespace torch_npu::events {

namespace detail {

std::atomic<bool> is_tracing{false};

namespace {
constexpr uint64_t bit(at::ScalarType type) { return uint64_t{1} << static_cast<int>(type); }
constexpr uint64_t kAlways =
    bit(at::kDouble) | bit(at::kComplexHalf) | bit(at::kComplexFloat) | bit(at::kComplexDouble);
}  // namespace

std::atomic<uint64_t> remarkable_dtypes{kAlways};

}  // namespace detail

namespace {

PlaceFinder finder;

// The outermost operator of this thread.
struct Running {
  int depth = 0;
  const char* name = nullptr;
  uint64_t call = 0;              // numbers the outermost calls of this thread
  bool moves_data = false;        // gives the device nothing to compute
  uint64_t counted_call[kKinds];  // of each kind that counts once a call: the latest that has been counted
  bool counted_operand[2];        // float64, complex: the same without tracing, between two operands_done()
};
thread_local Running running{};

std::atomic<uint64_t> work{0};

bool moves_data(std::string_view name) {
  static constexpr std::string_view names[] = {
      "aten::to",    "aten::copy_", "aten::_to_copy",      "aten::item", "aten::_local_scalar_dense",
      "aten::empty", "aten::clone", "aten::empty_strided", "aten::cpu",  "aten::empty_like"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// The lines of the forward calls that made autograd's nodes: a ring a thread, since nodes are numbered by thread. One
// word a node, so that the backward thread can read while the forward thread writes.
constexpr size_t kNodes = size_t{1} << 16;
struct ForwardLines {
  std::array<std::atomic<uint64_t>, kNodes> nodes{};

  void put(uint64_t sequence, Place place) {
    nodes[sequence % kNodes].store(sequence << 32 | place, std::memory_order_relaxed);
  }
  Place get(uint64_t sequence) const {
    const uint64_t node = nodes[sequence % kNodes].load(std::memory_order_relaxed);
    return node >> 32 == (sequence & 0xffffffff) ? static_cast<Place>(node) : kNowhere;
  }
};

struct AllForwardLines {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::unique_ptr<ForwardLines>> by_thread;

  ForwardLines& of(uint64_t thread) {
    std::lock_guard lock(mutex);
    auto& lines = by_thread[thread];
    if (lines == nullptr) lines = std::make_unique<ForwardLines>();
    return *lines;
  }
};
AllForwardLines& forward_lines() {
  static auto& all = *new AllForwardLines();
  return all;
}

ForwardLines& own_forward_lines() {
  thread_local ForwardLines& lines = forward_lines().of(at::RecordFunction::currentThreadId());
  return lines;
}

// Of which calls the line is looked up, though nothing happens: visits tell how often loops run (traps.py), and need no
// more than a sample of an operator that is called again and again. Most of a look-up is the interpreter's lock, which
// torch has given back: 1000 to 1500 instructions, a tenth of a small operator.
class Sample {
 public:
  // How many calls this one stands for; 0: none. A random choice, so that no loop falls into step with it.
  uint64_t weight(const char* name) {
    Seen& seen = seen_[(reinterpret_cast<uintptr_t>(name) >> 3) % kNames];
    if (seen.name != name) seen = {name, 0};
    if (seen.calls < kAll) return ++seen.calls, 1;
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return (random_ >> 33) % kOneOf == 0 ? kOneOf : 0;
  }

 private:
  static constexpr size_t kNames = 64;    // two names that meet here are both looked up more often
  static constexpr uint64_t kAll = 256;   // calls of one operator that are all looked up
  static constexpr uint64_t kOneOf = 16;  // then one of these
  struct Seen {
    const char* name = nullptr;
    uint64_t calls = 0;
  };
  std::array<Seen, kNames> seen_{};
  uint64_t random_ = 1;
};
thread_local Sample sample;

// Autograd's engine announces each node as a function of its own; the operators inside are what is wanted.
bool is_engine(const at::RecordFunction& function) { return std::strncmp(function.name(), "autograd::", 10) == 0; }

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
  if (is_engine(function) || running.depth++ > 0) return nullptr;
  running.name = function.name();
  running.moves_data = moves_data(running.name);
  ++running.call;
  return nullptr;
}

// After the operator, when it is known whether it made nodes, whose backward is told by this line.
void note_line(const at::RecordFunction& function) {
  if (finder.of_operator == nullptr || torch::autograd::get_current_node() != nullptr) return;  // the forward's line
  const int64_t first = function.seqNr();
  const auto next = static_cast<int64_t>(at::sequence_number::peek());
  const bool made_nodes = first >= 0 && next > first;
  const uint64_t calls = made_nodes ? 1 : sample.weight(running.name);
  if (calls == 0) return;
  const Place place = finder.of_operator(running.name, calls);
  if (!made_nodes || place == kNowhere) return;
  for (int64_t node = first; node < next; ++node) own_forward_lines().put(static_cast<uint64_t>(node), place);
}

void leave(const at::RecordFunction& function, at::ObserverContext*) {
  if (running.depth == 0 || is_engine(function)) return;  // entered before tracing began
  if (--running.depth > 0) return;
  note_line(function);
  running.name = nullptr;
}

struct Tracing {
  std::mutex mutex;
  int users = 0;
  at::CallbackHandle callback = at::INVALID_CALLBACK_HANDLE;
};
Tracing& tracing_state() {
  static auto& state = *new Tracing();
  return state;
}

}  // namespace

void set_place_finder(const PlaceFinder& given) { finder = given; }
const PlaceFinder& place_finder() { return finder; }

void start_tracing() {
  Tracing& state = tracing_state();
  std::lock_guard lock(state.mutex);
  if (++state.users > 1) return;
  state.callback =
      at::addGlobalCallback(at::RecordFunctionCallback(&enter, &leave).scopes({at::RecordScope::FUNCTION}));
  detail::remarkable_dtypes = ~uint64_t{0};
  detail::is_tracing = true;
}

void stop_tracing() {
  Tracing& state = tracing_state();
  std::lock_guard lock(state.mutex);
  if (state.users == 0 || --state.users > 0) return;
  detail::is_tracing = false;
  detail::remarkable_dtypes = detail::kAlways;
  at::removeCallback(state.callback);
}

namespace operators {

std::string_view current_name() { return running.name == nullptr ? std::string_view() : running.name; }

Place place() {
  if (finder.here == nullptr) return kNowhere;
  if (const Place own = finder.here(); own != kNowhere) return own;  // in a backward pass: a hook's, or a Function's
  const auto node = torch::autograd::get_current_node();
  if (node == nullptr) return kNowhere;
  const Place forward = forward_lines().of(node->thread_id()).get(node->sequence_nr());
  return forward != kNowhere ? forward : finder.of_backward();
}

bool is_first_in_call(Kind kind) {
  return running.depth == 0 ||
         std::exchange(running.counted_call[static_cast<size_t>(kind)], running.call) != running.call;
}

uint64_t work_done() { return work.load(std::memory_order_relaxed); }

}  // namespace operators

void note_operand(at::ScalarType dtype) {
  const bool traced = tracing();
  if (traced && !running.moves_data) work.fetch_add(1, std::memory_order_relaxed);
  if ((detail::kAlways & detail::bit(dtype)) == 0) return;
  detail::counted_operands.store(true, std::memory_order_relaxed);
  const bool complex = dtype != at::kDouble;
  const Kind kind = complex ? Kind::Complex : Kind::Float64;
  // Once an operator as the user called it; once a kernel where that is not known.
  if (traced && running.depth > 0) {
    if (!operators::is_first_in_call(kind)) return;
  } else if (std::exchange(running.counted_operand[complex], true)) {
    return;
  }
  if (!traced) {
    static Tally tallies[] = {{Kind::Float64, "operator", "float64"}, {Kind::Complex, "operator", "complex"}};
    return tallies[complex].note();
  }
  const std::string_view name = operators::current_name();
  record(kind, name.empty() ? "operator" : name,
         {.reason = c10::getDtypeNames(dtype).first, .operands = {}, .op_name = {}});
}

namespace detail {
std::atomic<bool> counted_operands{false};
void end_counted_call() { running.counted_operand[0] = running.counted_operand[1] = false; }
}  // namespace detail

}  // namespace torch_npu::events
