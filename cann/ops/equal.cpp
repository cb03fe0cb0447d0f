// Whether two tensors are equal as a whole: chunks are compared until one differs.
#include <algorithm>
#include <atomic>

#include "cann/kernels/sort/search.h"
#include "cann/ops/dense.h"
#include "cann/ops/search.h"

namespace cann::ops {

Result<Launch> equal(const TensorView& self, const TensorView& other, const TensorView& out) {
  const DType part = real_of(self.dtype);  // complex numbers are compared as pairs
  const kernels::Searcher* searcher = kernels::search().find(part);
  if (searcher == nullptr || self.dtype != other.dtype || out.dtype != DType::Bool || out.numel() != 1)
    return bad_parameter("equal: self " + describe(self) + ", other " + describe(other) + ", out " + describe(out) +
                         ": needs one type and one boolean");
  return Launch{Task("equal", 0.5f + static_cast<float>(self.numel()) / 4e3f, [=](TaskContext& context) {
    std::atomic<bool> same{same_shape(self, other)};
    if (same) {
      const Dense a(self, self.dtype), b(other, other.dtype);
      const int64_t item = size_of(part), n = self.numel() * size_of(self.dtype) / item;
      context.team.for_ranges(n, 64 * 1024, [&](int64_t begin, int64_t end) {
        if (same && !searcher->equal(a.data() + begin * item, b.data() + begin * item, end - begin)) same = false;
      });
    }
    *out.as<bool>() = same;
  })};
}

}  // namespace cann::ops
