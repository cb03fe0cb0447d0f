// Instruction-set levels: what the CPU has, and what NPU_EMBEDDED_ISA may ask for.
#pragma once

#include <string_view>

#include "cann/base/status.h"

namespace cann {

enum class IsaLevel { Base, V2, V3, V4 };

const char* name_of(IsaLevel level);
IsaLevel highest_isa_level();

// "" gives the highest level; "v2", "v3", "v4" that level, or an error where the CPU lacks it.
Result<IsaLevel> choose_isa_level(std::string_view requested);

}  // namespace cann
