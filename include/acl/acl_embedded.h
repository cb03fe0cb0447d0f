// What the embedded CANN has beyond AscendCL. A real CANN has none of it: look the functions up (dlsym) before use.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// How this embedded CANN computes, as lines "key=value": `isa` (instruction-set level of the kernels), `threads` (that
// compute, shared by all devices), `guard` (1: guarded allocations). Touches no device. Empty if an option is wrong
// (aclInit says which). The text stays valid.
const char* aclEmbeddedDescribe(void);

// A piece of device work that ran between aclprofStart and aclprofStop. Times are nanoseconds of CLOCK_MONOTONIC; texts
// stay valid.
typedef struct {
  const char* name;  // of the kernel: "softplus"; "copy", "copy to device", "copy to host", "fill"; or of what a stream
                     // does besides, such as waiting for an event
  const char* api;   // the call that launched it: "aclnnSoftplus"; null where that was no operator, copy, fill or graph
  int32_t device;
  uint32_t stream;  // its number on the device: 0 is the default stream
  int64_t start_ns, end_ns;
  int32_t launch_thread;  // gettid() of the caller; 0 if it was launched before aclprofStart
  int64_t launch_begin_ns, launch_end_ns;
} aclEmbeddedTraceRecord;

// Calls visit(record, user) for each, in the order of their ends. Returns how many more there were, which did not fit.
uint64_t aclEmbeddedReadTrace(void (*visit)(const aclEmbeddedTraceRecord* record, void* user), void* user);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
