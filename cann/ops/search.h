// Operators on sorted values and on counts: searchsorted, bucketize, isin, histc, bincount, nonzero, unique.
// Outputs whose size depends on the data are given as large as they can be; the Task sets the first size of their
// descriptors, which must live until the stream has been waited for (aclGetViewShape tells it then).
#pragma once

#include "cann/base/scalar.h"
#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// sorted has one dimension, or self's but for the last. sorter may be null.
Result<Launch> searchsorted(const char* name, const TensorView& sorted, const TensorView& self, bool right,
                            const TensorView* sorter, const TensorView& out);
Result<Launch> searchsorted(const char* name, const TensorView& sorted, const Scalar& self, bool right,
                            const TensorView* sorter, const TensorView& out);

// out = whether each element occurs among `tests` (or does not, if `invert`).
Result<Launch> is_in(const TensorView& elements, const TensorView& tests, bool invert, const TensorView& out);
Result<Launch> is_in(const TensorView& elements, const Scalar& test, bool invert, const TensorView& out);
Result<Launch> is_in(const Scalar& element, const TensorView& tests, bool invert, const TensorView& out);

// out (one boolean) = whether both have the same shape and values.
Result<Launch> equal(const TensorView& self, const TensorView& other, const TensorView& out);

// Counts of self in bins of equal width over [min, max], the last one closed; if they are equal, over the range of
// self.
Result<Launch> histc(const TensorView& self, int64_t bins, double min, double max, const TensorView& out);

// out[v] = how often v occurs in self, or the sum of its weights. pre: 0 <= self < out's size (else the Task fails)
Result<Launch> bincount(const TensorView& self, const TensorView* weights, const TensorView& out);

// Coordinates of what is not zero, row by row.
Result<Launch> nonzero(const TensorView& self, const TensorView& out);
// The same as [dims, count], the rows one after the other: out is a contiguous place for as many as self has elements.
Result<Launch> nonzero_transposed(const TensorView& self, const TensorView& out);
// The first rows of it, as many as out has; rows too many are filled.
Result<Launch> nonzero_static(const TensorView& self, int64_t fill, const TensorView& out);

struct UniqueOutputs {
  const TensorView* values;
  const TensorView* inverse;  // null or empty: not wanted
  const TensorView* counts;
};

// The different values of all of self (dim null) or slices along a dimension; sorted, or runs of equal neighbours where
// they stand.
Result<Launch> unique(const char* name, const TensorView& self, std::optional<int64_t> dim, bool consecutive,
                      UniqueOutputs outputs);

}  // namespace cann::ops
