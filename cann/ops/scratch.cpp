#include "cann/ops/scratch.h"

#include <new>

namespace cann::ops {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Buffer {
  void* data = nullptr;
  size_t bytes = 0;
  ~Buffer() { ::operator delete(data, kAlignment); }
};

}  // namespace

void* thread_scratch(size_t bytes, int slot) {
  thread_local Buffer buffers[2];
  Buffer& buffer = buffers[slot];
  if (buffer.bytes < bytes) {
    ::operator delete(buffer.data, kAlignment);
    buffer.data = nullptr;
    buffer.bytes = 0;
    buffer.data = ::operator new(bytes, kAlignment);
    buffer.bytes = bytes;
  }
  return buffer.data;
}

}  // namespace cann::ops
