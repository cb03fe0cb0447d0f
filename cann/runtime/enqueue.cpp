#include "cann/runtime/enqueue.h"

#include "cann/runtime/runtime.h"
#include "cann/trace/trace.h"

namespace cann {

Status enqueue_task(void* handle, Task&& task, const char* api) {
  ASSIGN_OR_RETURN(Stream * stream, Runtime::get().stream(handle));
  if (!trace::on()) [[likely]]
    return stream->enqueue(std::move(task));
  trace::Call call(api);
  return stream->enqueue(std::move(task));
}

bool finish_before_this_library() {
  Runtime::shut_down_at_exit();
  return true;
}

Status runtime_status() {
  const Status& status = Runtime::get().options_status();
  return status.ok() ? Status() : Status(status.code(), status.message());
}

const Options& runtime_options() { return Runtime::get().options(); }

Team& runtime_team() { return Runtime::get().team(); }

int64_t bytes_to_end(const void* address) {
  for (Device* device : Runtime::get().devices()) {
    const Block block = device->memory.find(address);
    if (block.address) return block.address + block.bytes - static_cast<const std::byte*>(address);
  }
  return -1;
}

}  // namespace cann
