// Fourier transforms over several dimensions. normalization: 0 none, 1 by the root of the number of points, 2 by that
// number.
#pragma once

#include "cann/base/status.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// Complex to complex.
Result<Launch> fft_c2c(const TensorView& self, IntArray dim, int64_t normalization, bool forward,
                       const TensorView& out);
// Real to complex, forwards; onesided: out's last transformed dimension holds n / 2 + 1 numbers.
Result<Launch> fft_r2c(const TensorView& self, IntArray dim, int64_t normalization, const TensorView& out);
// Complex to real, backwards; self's last transformed dimension holds n / 2 + 1 numbers of out's n.
Result<Launch> fft_c2r(const TensorView& self, IntArray dim, int64_t normalization, const TensorView& out);

}  // namespace cann::ops
