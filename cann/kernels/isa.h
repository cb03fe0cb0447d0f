// Every kernel file is compiled once per instruction-set level, into the namespace CANN_ISA (v2, v3, v4; `base` off
// x86-64). A kernel file fills a table of function pointers there; the caller gets the table of the level chosen when
// the library loads.
//
//   reduce.h    struct ReduceKernels { void (*sum_f32)(...); };   CANN_KERNEL_TABLE(ReduceKernels, reduce)
//   reduce.cpp  namespace cann::kernels::CANN_ISA { extern const ReduceKernels reduce_table{...}; }
//   caller      kernels::reduce().sum_f32(...)
//
// Everything in a kernel file stands inside CANN_ISA's namespace or is static: a weak symbol outside it could be merged
// by the linker with the copy of another level (tests/kernels/test_isa_symbols.py).
#pragma once

#include "cann/base/isa.h"

namespace cann {

// The level in use: the highest that the CPU and this build have, or NPU_EMBEDDED_ISA's.
IsaLevel isa_level();

}  // namespace cann

#if defined(NPU_ISA_ONLY)  // a development build with one level
#define CANN_KERNEL_TABLE(Type, name) \
  namespace NPU_ISA_ONLY {            \
  extern const Type name##_table;     \
  }                                   \
  static inline const Type& name() { return NPU_ISA_ONLY::name##_table; }
#elif defined(__x86_64__)
#define CANN_KERNEL_TABLE(Type, name)                     \
  namespace v2 {                                          \
  extern const Type name##_table;                         \
  }                                                       \
  namespace v3 {                                          \
  extern const Type name##_table;                         \
  }                                                       \
  namespace v4 {                                          \
  extern const Type name##_table;                         \
  }                                                       \
  static inline const Type& name() {                      \
    switch (::cann::isa_level()) {                        \
      case ::cann::IsaLevel::V4: return v4::name##_table; \
      case ::cann::IsaLevel::V3: return v3::name##_table; \
      default: return v2::name##_table;                   \
    }                                                     \
  }
#else
#define CANN_KERNEL_TABLE(Type, name) \
  namespace base {                    \
  extern const Type name##_table;     \
  }                                   \
  static inline const Type& name() { return base::name##_table; }
#endif
