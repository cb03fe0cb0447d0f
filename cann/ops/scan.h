// Running folds along one dimension. Shapes have been settled by the caller: out (and indices) are sized as self.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"
#include "cann/kernels/scan/scan.h"

namespace cann::ops {

using kernels::ScanOp;

// cumsum, cumprod, logcumsumexp; cummax and cummin with indices.
Result<Launch> scan(const char* name, ScanOp op, const TensorView& self, int64_t dim, const TensorView& out,
                    const TensorView* indices = nullptr);

}  // namespace cann::ops
