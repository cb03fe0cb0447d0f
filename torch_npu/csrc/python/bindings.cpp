// torch_npu._C: what Python cannot reach through torch's own hooks. Numbers, strings and dicts only; the Python files
// in torch_npu/ give them their public form. Errors become Python's as torch's own do.
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>

#include "torch_npu/csrc/device/allocator.h"
#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/generator.h"
#include "torch_npu/csrc/device/graph.h"
#include "torch_npu/csrc/device/information.h"
#include "torch_npu/csrc/device/stream.h"
#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/dispatch/ascend.h"
#include "torch_npu/csrc/loader/library.h"
#include "torch_npu/csrc/python/diagnostics.h"

namespace torch_npu {
namespace {

namespace py = pybind11;

template <class Function>
auto wrapped(Function f) {
  return torch::wrap_pybind_function(f);
}
// For what may wait: other Python threads go on meanwhile.
template <class Function>
auto waiting(Function f) {
  return torch::wrap_pybind_function_no_gil(f);
}

void bind_device(py::module_& m) {
  m.def("start", waiting([] { device::start(); }));
  m.def("is_started", [] { return device::started(); });
  m.def("is_in_bad_fork", [] { return device::in_bad_fork(); });
  m.def("device_count", [] { return static_cast<int>(device::count()); });
  m.def("current_device", [] { return static_cast<int>(device::current()); });
  m.def("set_device", waiting([](int index) { device::use(static_cast<c10::DeviceIndex>(index)); }));
  m.def("exchange_device", wrapped([](int index) {
          const auto former = device::current();
          if (index >= 0) device::set_current(static_cast<c10::DeviceIndex>(index));
          return static_cast<int>(former);
        }));
  m.def("synchronize", waiting([](int index) {
          const events::Occurrence waited(events::Kind::Sync, "synchronize");
          device::synchronize(static_cast<c10::DeviceIndex>(index));
        }));
  m.def("elapsed_time", waiting([](uintptr_t start, uintptr_t end) { return information::elapsed_time(start, end); }));
  m.def("soc_name", wrapped([] { return information::soc_name(); }));
  m.def("runtime_version", wrapped([] { return information::runtime_version(); }));
  m.def("core_counts",
        wrapped([](int index) { return information::core_counts(static_cast<c10::DeviceIndex>(index)); }));
  m.def("can_access_peer", wrapped([](int device, int peer) { return information::can_access_peer(device, peer); }));
  m.def("default_generator",
        wrapped([](int index) { return random::default_generator(static_cast<c10::DeviceIndex>(index)); }));
  m.def("external_stream_id", wrapped([](uintptr_t address, int index) {
          return stream::external(reinterpret_cast<aclrtStream>(address), static_cast<c10::DeviceIndex>(index)).id();
        }));
}

void bind_graph(py::module_& m) {
  using graph::Graph;
  m.def("is_capturing", wrapped([] { return graph::is_capturing(device::current()); }));
  m.def("new_graph_pool", [] { return graph::new_pool(); });
  py::class_<Graph>(m, "Graph")
      .def(py::init<>())
      .def("begin",
           waiting([](Graph& g, int64_t pool, int mode) { g.begin(pool, static_cast<aclmdlRICaptureMode>(mode)); }))
      .def("end", waiting([](Graph& g) { g.end(); }))
      .def("replay", waiting([](Graph& g) { g.replay(); }))
      .def("reset", waiting([](Graph& g) { g.reset(); }))
      .def("dump", waiting([](const Graph& g, const std::string& path) { g.dump(path); }))
      .def("pool", [](const Graph& g) { return g.pool(); });
}

py::dict segment(const c10::CachingDeviceAllocator::SegmentInfo& info) {
  using namespace pybind11::literals;
  py::list blocks;
  size_t address = info.address;
  for (const auto& block : info.blocks) {
    const char* state = block.allocated ? "active_allocated" : block.active ? "active_pending_free" : "inactive";
    blocks.append(py::dict("address"_a = address, "size"_a = block.size, "requested_size"_a = block.requested_size,
                           "state"_a = state, "frames"_a = py::list()));
    address += block.size;
  }
  return py::dict(
      "device"_a = static_cast<int>(info.device), "address"_a = info.address, "total_size"_a = info.total_size,
      "allocated_size"_a = info.allocated_size, "active_size"_a = info.active_size,
      "requested_size"_a = info.requested_size, "stream"_a = reinterpret_cast<uintptr_t>(info.stream),
      "segment_type"_a = info.is_large ? "large" : "small", "segment_pool_id"_a = info.owner_private_pool_id,
      "is_expandable"_a = info.is_expandable, "frames"_a = py::list(), "blocks"_a = blocks);
}

void bind_memory(py::module_& m) {
  m.def("set_memory_fraction", wrapped([](double fraction, int index) {
          memory::set_fraction(fraction, static_cast<c10::DeviceIndex>(index));
        }));
  m.def("memory_snapshot", [] {
    py::list segments;
    for (c10::DeviceIndex i = 0; i < device::count(); ++i)
      for (const auto& info : memory::snapshot(i)) segments.append(segment(info));
    return segments;
  });
  m.def("memory_allocate", wrapped([](size_t bytes, int index) {
          c10::DataPtr data = memory::allocate(bytes, device::resolve(static_cast<c10::DeviceIndex>(index)));
          const auto address = reinterpret_cast<uintptr_t>(data.get());
          information::keep(std::move(data));
          return address;
        }));
  m.def("memory_release", wrapped([](uintptr_t address) { information::release(address); }));
}

py::dict as_dict(const CannLocation& cann) {
  using namespace pybind11::literals;
  return py::dict("root"_a = cann.root, "lib_dir"_a = cann.lib_dir, "embedded"_a = cann.embedded,
                  "chosen_by"_a = cann.chosen_by);
}

const char* name_of(ascend::Runs runs) {
  switch (runs) {
    case ascend::Runs::Native: return "native";
    case ascend::Runs::AiCpu: return "aicpu";
    case ascend::Runs::Cpu: break;
  }
  return "cpu";
}

void bind_ascend(py::module_& m) {
  // ("native" | "aicpu" | "cpu", dtypes) of an operator such as "aten::fmax"; None where nothing is known.
  m.def("ascend", [](const std::string& name) -> py::object {
    const ascend::Overload* known = ascend::find(name);
    return known == nullptr ? py::object(py::none()) : py::make_tuple(name_of(known->runs), known->dtypes);
  });
  m.def("cann_operators", [] {
    py::list names;
    for (const std::string_view name : ascend::functions()) names.append(name);
    return names;
  });
}

void bind_cann(py::module_& m) {
  m.def("find_cann", [] {
    const auto [cann, problem] = find_cann();
    return py::make_tuple(as_dict(cann), problem);
  });
  m.def("open_cann", wrapped([] { return as_dict(cann_location()); }));
}

}  // namespace
}  // namespace torch_npu

PYBIND11_MODULE(_C, m) {
  torch_npu::bind_device(m);
  torch_npu::bind_graph(m);
  torch_npu::bind_memory(m);
  torch_npu::bind_diagnostics(m);
  torch_npu::bind_cann(m);
  torch_npu::bind_ascend(m);
  torch_npu::ascend::imitate();
}
