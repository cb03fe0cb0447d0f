// The events for Python: numbers, strings and tuples; torch_npu/diagnostics/ gives them their public form.
#include "torch_npu/csrc/python/diagnostics.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>

#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/diagnostics/float64.h"
#include "torch_npu/csrc/diagnostics/operators.h"
#include "torch_npu/csrc/diagnostics/policies.h"
#include "torch_npu/csrc/python/frames.h"

namespace torch_npu {
namespace {

namespace py = pybind11;
using namespace pybind11::literals;

const char* name_of(events::Kind kind) { return events::kNames[static_cast<size_t>(kind)]; }

events::Kind kind_of(const std::string& name) {
  for (size_t i = 0; i < events::kKinds; ++i)
    if (name == events::kNames[i]) return static_cast<events::Kind>(i);
  throw py::value_error("no such kind of event: " + name);
}

py::tuple as_tuple(const frames::Line& line) { return py::make_tuple(line.file, line.line, line.function, line.own); }

py::list event_counts() {
  py::list result;
  for (const events::Count& count : events::counts())
    result.append(py::dict("kind"_a = name_of(count.kind), "what"_a = count.what, "place"_a = count.place,
                           "calls"_a = count.calls, "rounds"_a = count.rounds, "bytes"_a = count.bytes,
                           "time_ns"_a = count.time_ns, "op_name"_a = count.op_name, "reason"_a = count.reason,
                           "operands"_a = count.operands));
  return result;
}

py::list event_timeline() {
  py::list result;
  for (const events::Moment& moment : events::timeline())
    result.append(py::make_tuple(name_of(moment.kind), moment.what, moment.place, moment.thread, moment.start_ns,
                                 moment.duration_ns, moment.bytes));
  return result;
}

}  // namespace

void bind_diagnostics(py::module_& m) {
  frames::lend();
  m.def("event_kinds", [] { return std::vector<std::string>(std::begin(events::kNames), std::end(events::kNames)); });
  m.def("event_counts", &event_counts);
  m.def("event_timeline", &event_timeline);
  m.def("event_time_ns", &events::now_ns);
  m.def("event_lines", [](events::Place place) {
    py::list lines;
    for (const frames::Line& line : frames::lines_of(place)) lines.append(as_tuple(line));
    return lines;
  });
  m.def("event_visits", [] {
    py::list result;
    for (const frames::Visits& visits : frames::visits())
      result.append(py::make_tuple(as_tuple(visits.line), visits.times));
    return result;
  });
  m.def("reset_events", [] {
    events::reset();
    frames::reset_visits();
  });
  m.def("set_event_roots", &frames::set_roots);
  m.def("start_tracing", &events::start_tracing);
  m.def("stop_tracing", &events::stop_tracing);
  m.def("event_policy", [](const std::string& kind) { return static_cast<int>(policies::of(kind_of(kind))); });
  m.def("set_event_policy", [](const std::string& kind, int policy) {
    policies::set(kind_of(kind), static_cast<policies::Policy>(policy));
  });
  m.def("set_float64_mode", [](int mode) { float64::set_mode(static_cast<float64::Mode>(mode)); });
  m.def("record_event", torch::wrap_pybind_function([](const std::string& kind, const std::string& what,
                                                       const std::string& reason, uint64_t bytes) {
          events::record(kind_of(kind), what, {.reason = reason, .operands = {}, .op_name = {}}, bytes);
        }));
}

}  // namespace torch_npu
