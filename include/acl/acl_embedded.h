// What the embedded CANN has beyond AscendCL. A real CANN has none of it: look the functions up (dlsym) before use.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// How this embedded CANN computes, as lines "key=value": `isa` (instruction-set level of the kernels), `threads` (that
// compute, shared by all devices), `guard` (1: guarded allocations). Touches no device. Empty if an option is wrong
// (aclInit says which). The text stays valid.
const char* aclEmbeddedDescribe(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
