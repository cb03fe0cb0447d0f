// One small buffer a thread, never freed before the thread: the pointer that C callers hold stays good.
#include "cann/runtime/recent_error.h"

namespace cann {
namespace {

struct Recent {
  std::string message;
  int code = 0;
};

Recent& recent() {
  thread_local Recent value;
  return value;
}

}  // namespace

int report(const Status& status) noexcept {
  if (status.ok()) return 0;
  try {
    recent().code = status.code();
    recent().message = status.message();
  } catch (...) {  // no memory for the text: the code still arrives
  }
  return status.code();
}

const char* recent_error_message() noexcept { return recent().message.c_str(); }

int recent_error_code(bool forget) noexcept {
  const int code = recent().code;
  if (forget) recent().code = 0;
  return code;
}

}  // namespace cann
