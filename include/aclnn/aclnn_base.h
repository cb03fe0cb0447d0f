// The ground of the aclnn operators. Each operator X is a pair: aclnnXGetWorkspaceSize(inputs, attributes, outputs,
// &workspaceSize, &executor) checks and plans on the calling thread, aclnnX(workspace, workspaceSize, executor, stream)
// enqueues and consumes the executor.
#pragma once

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

aclnnStatus aclnnInit(const char* configPath);
aclnnStatus aclnnFinalize(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
