// Copies and fills: what may be copied where, and the Tasks that do it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/runtime/runtime.h"

namespace cann {

// Numbered as aclrtMemcpyKind is.
enum class CopyKind {
  HostToHost = 0,
  HostToDevice = 1,
  DeviceToHost = 2,
  DeviceToDevice = 3,
  Default = 4,
  InnerDevice = 6,
  InterDevice = 7
};

struct Copy {
  void* dst;
  const void* src;
  size_t bytes;  // of one row
  size_t rows = 1, dst_pitch = 0, src_pitch = 0;
};

// dst_max: bytes that may be written from dst on (of one row: the pitch).
Status check_copy(Runtime& runtime, const char* what, const Copy& copy, size_t dst_max, CopyKind kind);

// What the trace calls it: "copy to device", "copy to host" or "copy". Looks for nothing while there is no trace.
const char* copy_name(Runtime& runtime, const Copy& copy);

void copy_now(Team& team, const Copy& copy);

// In stream order. Memory of the host that is not pinned belongs to the caller again when this returns.
Status copy_on(Runtime& runtime, Stream& stream, const Copy& copy);

Status check_fill(Runtime& runtime, const char* what, void* dst, size_t dst_max, size_t bytes);
void fill_now(Team& team, void* dst, uint32_t pattern, size_t bytes);  // pattern: four bytes, repeated
Status fill_on(Stream& stream, void* dst, uint32_t pattern, size_t bytes);

}  // namespace cann
