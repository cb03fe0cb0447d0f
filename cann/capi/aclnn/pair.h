// The two phases of every aclnn operator: plan() turns an operator's Launch into an executor, run() hands its task to
// the stream. Nothing is thrown across the boundary; a refusal leaves its text for aclGetRecentErrMsg.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "aclnn/aclnn_base.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/capi/aclnn/descriptors.h"

namespace cann::capi {

Status null_pointer(const char* function, const char* parameter);

// Remembers the message and gives the code.
aclnnStatus report(const char* function, const Status& status) noexcept;
aclnnStatus report_exception(const char* function, const std::exception* error) noexcept;

aclOpExecutor* make_executor(Task&& task);

// pre: executor comes from plan() and has not run; it is consumed.
aclnnStatus run(const char* function, void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                aclrtStream stream) noexcept;

template <class MakeLaunch>
aclnnStatus plan(const char* function, uint64_t* workspace_size, aclOpExecutor** executor,
                 MakeLaunch&& make_launch) noexcept {
  try {
    if (workspace_size == nullptr) return report(function, null_pointer(function, "workspaceSize"));
    if (executor == nullptr) return report(function, null_pointer(function, "executor"));
    Result<Launch> launch = make_launch();
    if (!launch.ok()) [[unlikely]]
      return report(function, launch.status());
    *workspace_size = launch->workspace_bytes;
    *executor = make_executor(std::move(launch->task));
    return 0;
  } catch (const std::exception& error) {
    return report_exception(function, &error);
  } catch (...) {
    return report_exception(function, nullptr);
  }
}

}  // namespace cann::capi
