// The one inner door of libascendcl: how operators (libopapi) and graphs (libge_runner) reach a stream.
#pragma once

#include "cann/base/options.h"
#include "cann/base/task.h"
#include "cann/runtime/recent_error.h"

namespace cann {

CANN_EXPORT Status enqueue_task(void* stream, Task&& task, const char* api);
CANN_EXPORT bool finish_before_this_library();

// Null is the current context's default stream. A Task that fails while it runs sticks to the stream; what comes back
// here is about the launch alone (but see ASCEND_LAUNCH_BLOCKING). `api` is the call that asks for it, for the trace: a
// literal.
inline Status enqueue(void* stream, Task&& task, const char* api = nullptr) {
  // One a library: at exit its Tasks are done before the statics go that it and what it links had made.
  static const bool watched = finish_before_this_library();
  (void)watched;
  return enqueue_task(stream, std::move(task), api);
}

// The Status of the option table; enqueue and every other call give it too.
CANN_EXPORT Status runtime_status();

// pre: runtime_status() is ok
CANN_EXPORT const Options& runtime_options();
CANN_EXPORT Team& runtime_team();

// The bytes from this address to the end of its device allocation; -1 if it is none of ours.
CANN_EXPORT int64_t bytes_to_end(const void* address);

}  // namespace cann
