#include "cann/base/isa.h"

#include <string>

namespace cann {

const char* name_of(IsaLevel level) {
  switch (level) {
    case IsaLevel::V4: return "x86-64-v4";
    case IsaLevel::V3: return "x86-64-v3";
    case IsaLevel::V2: return "x86-64-v2";
    default: return "baseline";
  }
}

IsaLevel highest_isa_level() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("x86-64-v4")) return IsaLevel::V4;
  if (__builtin_cpu_supports("x86-64-v3")) return IsaLevel::V3;
  return IsaLevel::V2;
#else
  return IsaLevel::Base;
#endif
}

Result<IsaLevel> choose_isa_level(std::string_view requested) {
  const IsaLevel highest = highest_isa_level();
  if (requested.empty()) return highest;
  IsaLevel level;
  if (requested == "v4")
    level = IsaLevel::V4;
  else if (requested == "v3")
    level = IsaLevel::V3;
  else if (requested == "v2")
    level = IsaLevel::V2;
  else
    return Status(Code::InvalidArgument, "NPU_EMBEDDED_ISA=" + std::string(requested) + ": needs v2, v3 or v4");
  if (level > highest)
    return Status(Code::InvalidArgument,
                  "NPU_EMBEDDED_ISA=" + std::string(requested) + ": this CPU has " + name_of(highest) + " at most");
  return level;
}

}  // namespace cann
