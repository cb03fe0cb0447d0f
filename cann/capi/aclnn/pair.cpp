// Executors from a pool; tasks through the runtime's one inner door.
#include "cann/capi/aclnn/pair.h"

#include "cann/capi/aclnn/pool.h"
#include "cann/runtime/enqueue.h"

namespace cann::capi {

Status null_pointer(const char* function, const char* parameter) {
  return {Code::NullPointer, std::string(function) + ": " + parameter + " is a null pointer; a value is needed"};
}

aclnnStatus report(const char* function, const Status& status) noexcept {
  try {
    const std::string& text = status.message();
    const bool named = text.compare(0, std::string_view(function).size(), function) == 0;
    set_recent_error(named ? text : std::string(function) + ": " + text);
  } catch (...) {  // no memory for the text: the code still tells
  }
  return status.code();
}

aclnnStatus report_exception(const char* function, const std::exception* error) noexcept {
  try {
    return report(function, Status(Code::InternalFailure, error ? error->what() : "an unknown exception"));
  } catch (...) {
    return static_cast<int>(Code::InternalFailure);
  }
}

aclOpExecutor* make_executor(Task&& task) {
  aclOpExecutor* executor = Pool<aclOpExecutor>::take();
  executor->task = std::move(task);
  return executor;
}

namespace {

class GivenBack {
 public:
  explicit GivenBack(aclOpExecutor* executor) : executor_(executor) {}
  GivenBack(const GivenBack&) = delete;
  ~GivenBack() {
    executor_->task = Task();  // one that ran on the caller was never moved away
    Pool<aclOpExecutor>::give(executor_);
  }

 private:
  aclOpExecutor* executor_;
};

}  // namespace

aclnnStatus run(const char* function, void* workspace, uint64_t, aclOpExecutor* executor, aclrtStream stream) noexcept {
  try {
    if (executor == nullptr) return report(function, null_pointer(function, "executor"));
    const GivenBack consumed(executor);
    executor->task.workspace = workspace;
    Status status = enqueue(stream, std::move(executor->task), function);
    return status.ok() ? 0 : report(function, status);
  } catch (const std::exception& error) {
    return report_exception(function, &error);
  } catch (...) {
    return report_exception(function, nullptr);
  }
}

}  // namespace cann::capi
