// Chooses the instruction-set level once, when the first kernel is asked for. A bad NPU_EMBEDDED_ISA was refused by
// aclInit.
#include "cann/kernels/isa.h"

#include <cstdlib>

namespace cann {

IsaLevel isa_level() {
  static const IsaLevel level = [] {
    const char* requested = std::getenv("NPU_EMBEDDED_ISA");
    auto chosen = choose_isa_level(requested ? requested : "");
    return chosen.ok() ? *chosen : highest_isa_level();
  }();
  return level;
}

}  // namespace cann
