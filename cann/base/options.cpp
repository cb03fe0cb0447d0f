// Reads the option table. Keeps no state: the runtime holds the one value that counts.
#include "cann/base/options.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace cann {
namespace {

Status malformed(const char* name, const std::string& value, const char* needed) {
  return {Code::InvalidArgument, std::string(name) + "='" + value + "': needs " + needed};
}

Status read_int(const char* name, const std::string& value, int low, int high, int& out) {
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
  if (error == std::errc() && end == value.data() + value.size() && out >= low && out <= high) return {};
  return malformed(name, value, ("a whole number from " + std::to_string(low) + " to " + std::to_string(high)).c_str());
}

Status read_flag(const char* name, const std::string& value, bool& out) {
  if (value != "0" && value != "1") return malformed(name, value, "0 or 1");
  out = value == "1";
  return {};
}

// As CANN reads it: ascending numbers; the first that does not fit ends the list; an empty list hides every device.
void read_visible(const std::string& value, Options& options) {
  options.visible.clear();
  int previous = -1;
  for (const char* at = value.c_str(); *at;) {
    char* end = nullptr;
    const long number = std::strtol(at, &end, 10);
    if (end == at || number <= previous || number >= options.devices) return;
    options.visible.push_back(static_cast<int>(number));
    previous = static_cast<int>(number);
    if (*end != ',') return;
    at = end + 1;
  }
}

constexpr OptionRow kTable[] = {
    {"NPU_EMBEDDED_DEVICES", "1", "number of devices",
     [](Options& o, const std::string& v) { return read_int("NPU_EMBEDDED_DEVICES", v, 1, 64, o.devices); }},
    {"NPU_EMBEDDED_MEMORY", "three quarters of the machine's, shared out", "memory of each device: 512M, 8G, bytes",
     [](Options& o, const std::string& v) -> Status {
       o.memory_bytes = parse_bytes(v);
       if (o.memory_bytes < (int64_t{1} << 20))
         return malformed("NPU_EMBEDDED_MEMORY", v, "at least 1M, such as 512M or 8G");
       return {};
     }},
    {"NPU_EMBEDDED_SOC_NAME", "Ascend910B2", "the name that aclrtGetSocName reports",
     [](Options& o, const std::string& v) -> Status {
       if (v.empty()) return malformed("NPU_EMBEDDED_SOC_NAME", v, "a name such as Ascend910B2");
       o.soc_name = v;
       return {};
     }},
    {"NPU_EMBEDDED_THREADS", "the cores that the process may use", "threads that compute, the stream's own included",
     [](Options& o, const std::string& v) { return read_int("NPU_EMBEDDED_THREADS", v, 1, 1024, o.threads); }},
    {"NPU_EMBEDDED_ISA", "the best that the processor has", "forces the kernels' instruction set: v2, v3, v4",
     [](Options& o, const std::string& v) -> Status {
       if (v != "v2" && v != "v3" && v != "v4") return malformed("NPU_EMBEDDED_ISA", v, "v2, v3 or v4");
       o.isa = v;
       return {};
     }},
    {"NPU_EMBEDDED_GUARD", "0",
     "1: each allocation in pages of its own with forbidden edges, poisoned before and after use",
     [](Options& o, const std::string& v) { return read_flag("NPU_EMBEDDED_GUARD", v, o.guard); }},
    {"NPU_EMBEDDED_TRACE", "off", "a folder: what ran when is written there at exit, for chrome://tracing",
     [](Options& o, const std::string& v) -> Status {
       o.trace = v;
       return {};
     }},
    {"NPU_EMBEDDED_FIDELITY", "embedded",
     "ascend: the adapter leaves to the CPU what it would on an Ascend, with the same copies and waits",
     [](Options& o, const std::string& v) -> Status {
       if (v != "embedded" && v != "ascend") return malformed("NPU_EMBEDDED_FIDELITY", v, "embedded or ascend");
       o.ascend = v == "ascend";
       return {};
     }},
    {"ASCEND_LAUNCH_BLOCKING", "0", "1: every launch waits for its end, so that errors come at once",
     [](Options& o, const std::string& v) { return read_flag("ASCEND_LAUNCH_BLOCKING", v, o.launch_blocking); }},
    {"ASCEND_RT_VISIBLE_DEVICES", "all", "the devices that the program sees, ascending: 0,2",
     [](Options& o, const std::string& v) -> Status {
       read_visible(v, o);
       return {};
     }},
};

// How many letters differ at least: enough to propose the option that was meant.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, substitute}));
    }
  }
  return row[b.size()];
}

Status unknown_option(const std::string& name) {
  const OptionRow* nearest = &kTable[0];
  std::string known;
  for (const OptionRow& row : kTable) {
    if (edit_distance(name, row.name) < edit_distance(name, nearest->name)) nearest = &row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return {Code::InvalidArgument,
          "environment: " + name + " is not an option; did you mean " + nearest->name + "? The options are " + known};
}

}  // namespace

std::span<const OptionRow> option_table() { return kTable; }

Environment process_environment() {
  Environment environment;
  for (char** line = ::environ; line && *line; ++line) {
    const std::string_view text = *line;
    if (const size_t equals = text.find('='); equals != text.npos)
      environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Result<Options> read_options(const Environment& environment) {
  for (const auto& [name, value] : environment) {
    const bool ours = name.starts_with("NPU_EMBEDDED_");
    if (ours &&
        std::none_of(std::begin(kTable), std::end(kTable), [&](const OptionRow& row) { return name == row.name; }))
      return unknown_option(name);
  }
  Options options;
  const auto number_devices = [&] {
    options.visible.resize(options.devices);
    for (int i = 0; i < options.devices; ++i) options.visible[i] = i;
  };
  for (const OptionRow& row : kTable) {  // in the table's order: what is visible depends on how many there are
    for (const auto& [name, value] : environment)
      if (name == row.name) RETURN_IF_ERROR(row.read(options, value));
    if (&row == &kTable[0]) number_devices();
  }
  if (options.memory_bytes == 0) options.memory_bytes = available_memory_bytes() / 4 * 3 / options.devices;
  if (options.threads == 0) options.threads = available_cores();
  return options;
}

int64_t parse_bytes(std::string_view text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return -1;
  std::string_view unit(end, text.data() + text.size() - end);
  double factor = 1;
  if (!unit.empty()) {
    const size_t power = std::string_view("KMGT").find(unit.front() & ~0x20);
    if (power != std::string_view::npos) {
      factor = std::exp2(10.0 * static_cast<double>(power + 1));
      unit.remove_prefix(1);
    }
    if (!unit.empty() && unit != "B" && unit != "iB" && unit != "b") return -1;
  }
  return number * factor < 9e18 ? static_cast<int64_t>(number * factor) : -1;
}

int available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

int64_t available_memory_bytes() {
  int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    int64_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace cann
