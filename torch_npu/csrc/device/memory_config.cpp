// Reads the allocator's settings. A key that CANN's own adapter knows and that means nothing here is accepted with a
// warning; an unknown key is an error, since a misspelt setting would be a silent one.
#include "torch_npu/csrc/device/memory_config.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <c10/util/Exception.h>

namespace torch_npu::memory {
namespace {

constexpr std::array kWithoutEffect = {"expandable_segments",
                                       "base_addr_aligned_kb",
                                       "page_size",
                                       "segment_size_mb",
                                       "roundup_power2_divisions",
                                       "multi_stream_lazy_reclaim",
                                       "pinned_use_background_threads",
                                       "pin_memory_expandable_segments",
                                       "pinned_mem_register",
                                       "pinned_reserve_segment_size_mb",
                                       "pinned_max_round_threshold_mb",
                                       "pinned_max_cached_size_mb",
                                       "throw_on_npumalloc_oom",
                                       "max_non_split_rounding_mb",
                                       "release_lock_on_npumalloc"};

double number(std::string_view key, const std::string& value, double low, double high, const char* variable) {
  char* end = nullptr;
  const double parsed = std::strtod(value.c_str(), &end);
  TORCH_CHECK(!value.empty() && *end == '\0' && parsed >= low && parsed <= high, variable, ": ", key,
              " must be a number from ", low, " to ", high, ", but got \"", value, "\"");
  return parsed;
}

void set(Config& config, std::string_view key, const std::string& value, const char* variable) {
  constexpr double kMaxMegabytes = 1 << 30;
  constexpr size_t kMegabyte = size_t{1} << 20;
  if (key == "max_split_size_mb") {
    config.max_split_bytes = static_cast<size_t>(number(key, value, 20, kMaxMegabytes, variable)) * kMegabyte;
  } else if (key == "large_segment_size_mb") {
    config.large_segment_bytes = static_cast<size_t>(number(key, value, 10, kMaxMegabytes, variable)) * kMegabyte;
  } else if (key == "garbage_collection_threshold") {
    config.garbage_collection_threshold = number(key, value, 0, 1, variable);
  } else if (key == "per_process_memory_fraction") {
    config.fraction = number(key, value, 0, 1, variable);
  } else if (std::find(kWithoutEffect.begin(), kWithoutEffect.end(), key) != kWithoutEffect.end()) {
    TORCH_WARN(variable, ": ", key, " has no effect with this allocator");
  } else {
    TORCH_CHECK(false, variable, ": unknown setting \"", key, "\". Known: max_split_size_mb, large_segment_size_mb, ",
                "garbage_collection_threshold, per_process_memory_fraction");
  }
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool flag(const char* name) {
  const char* value = environment(name);
  if (value == nullptr) return false;
  const std::string_view text(value);
  TORCH_CHECK(text == "0" || text == "1", name, " should be 0 or 1, but got \"", text, "\"");
  return text == "1";
}

Config from_environment() {
  const char* own = environment("PYTORCH_NPU_ALLOC_CONF");
  const char* common = environment("PYTORCH_ALLOC_CONF");
  TORCH_CHECK(own == nullptr || common == nullptr,
              "PYTORCH_NPU_ALLOC_CONF and PYTORCH_ALLOC_CONF are both set: unset one");
  Config config;
  if (own != nullptr) config = parse(own, "PYTORCH_NPU_ALLOC_CONF");
  if (common != nullptr) config = parse(common, "PYTORCH_ALLOC_CONF");
  // Guarded memory only means something if every tensor has its own pages.
  config.caching = !flag("PYTORCH_NO_NPU_MEMORY_CACHING") && !flag("NPU_EMBEDDED_GUARD");
  return config;
}

}  // namespace

Config parse(const std::string& text, const char* variable) {
  Config config;
  std::string_view rest(text);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    if (trimmed(item).empty()) continue;
    const auto colon = item.find(':');
    TORCH_CHECK(colon != std::string_view::npos, variable, ": expected key:value, but got \"", item, "\"");
    set(config, trimmed(item.substr(0, colon)), trimmed(item.substr(colon + 1)), variable);
  }
  return config;
}

const Config& config() {
  static const Config instance = from_environment();
  return instance;
}

}  // namespace torch_npu::memory
