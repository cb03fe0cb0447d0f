// How wide the registers of an instruction-set level are. For kernel files only: it needs CANN_ISA.
#pragma once

namespace cann::kernels::CANN_ISA {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

}  // namespace cann::kernels::CANN_ISA
