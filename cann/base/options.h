// What the environment may ask of the embedded CANN: one table, read once (runtime/runtime.cpp), handed to tests as a
// value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cann/base/status.h"

namespace cann {

struct Options {
  int devices = 1;
  std::vector<int> visible = {0};  // the device behind each number that the program sees
  int64_t memory_bytes = 0;        // of one device
  std::string soc_name = "Ascend910B2";
  int threads = 0;  // of the Team, the caller included
  bool guard = false;
  bool launch_blocking = false;
  std::string isa;      // "" chooses by the processor
  std::string trace;    // a folder for trace_view.json, or ""
  bool ascend = false;  // the adapter is to leave to the CPU what an Ascend leaves to it
};

struct OptionRow {
  const char* name;
  const char* standard;  // what holds if it is not set, in words
  const char* meaning;
  Status (*read)(Options&, const std::string& value);
};

// Every option, in the order of the manual.
std::span<const OptionRow> option_table();

using Environment = std::vector<std::pair<std::string, std::string>>;
Environment process_environment();

// Refuses a malformed value, and a name that begins with NPU_EMBEDDED_ but is not in the table.
Result<Options> read_options(const Environment& environment);

// "512M", "8G", "1.5GiB", "1073741824"; -1 if it is none.
int64_t parse_bytes(std::string_view text);

// Cores that this process may run on, and the memory it may use (its control group's limit counts).
int available_cores();
int64_t available_memory_bytes();

}  // namespace cann
