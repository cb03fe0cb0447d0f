// Order along one dimension: sort, topk, k-th value, median, mode. Outputs have been sized by the caller.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// values may be null (argsort). Stable even if it need not be, except that a small tensor then gives equal values the
// places that they have on the CPU.
Result<Launch> sort(const char* name, const TensorView& self, bool stable, int64_t dim, bool descending,
                    const TensorView* values, const TensorView& indices);

Result<Launch> topk(const TensorView& self, int64_t k, int64_t dim, bool largest, bool sorted, const TensorView& values,
                    const TensorView& indices);

// k counts from 1.
Result<Launch> kthvalue(const TensorView& self, int64_t k, int64_t dim, const TensorView& values,
                        const TensorView& indices);

// indices may be null. `flat`: of all elements.
Result<Launch> median(const char* name, const TensorView& self, int64_t dim, bool ignore_nan, const TensorView& values,
                      const TensorView* indices);
Result<Launch> median_of_all(const char* name, const TensorView& self, bool ignore_nan, const TensorView& value);

Result<Launch> mode(const TensorView& self, int64_t dim, const TensorView& values, const TensorView& indices);

}  // namespace cann::ops
