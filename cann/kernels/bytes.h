// Elements of which only the size counts: 1, 2, 4, 8 or 16 bytes. For kernel files only: it needs CANN_ISA.
#pragma once

#include <cstdint>

namespace cann::kernels::CANN_ISA {

struct Bytes16 {
  uint64_t words[2];
};

// Calls f(T{}) with a T of that many bytes.
template <class F>
static inline auto with_bytes(int64_t element_bytes, F&& f) {
  switch (element_bytes) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    case 8: return f(uint64_t{});
    default: return f(Bytes16{});
  }
}

}  // namespace cann::kernels::CANN_ISA
