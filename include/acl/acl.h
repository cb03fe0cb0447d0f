// AscendCL in one include.
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt.h"
#include "acl/acl_rt_memory.h"
