// Upsampling, grid sampling, im2col, renorm; each with its gradient. Any strides.
#pragma once

#include <array>
#include <span>

#include "cann/base/scalar.h"
#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// The last dims (1, 2 or 3) dimensions are planes.
// scales: of depth, height, width as far as they are there; 0: from the sizes. exact: pixel centres.
Result<Launch> upsample_nearest(int dims, bool exact, const TensorView& self, std::span<const double> scales,
                                const TensorView& out);
Result<Launch> upsample_nearest_backward(int dims, bool exact, const TensorView& grad_output,
                                         std::span<const double> scales, const TensorView& grad_input);

enum class Filter { Linear, Cubic, LinearAntialias, CubicAntialias };
Result<Launch> upsample_filtered(int dims, Filter filter, const TensorView& self, bool align_corners,
                                 std::span<const double> scales, const TensorView& out);
Result<Launch> upsample_filtered_backward(int dims, Filter filter, const TensorView& grad_output, bool align_corners,
                                          std::span<const double> scales, const TensorView& grad_input);

// interpolation: 0 bilinear, 1 nearest, 2 bicubic (not in 3d); padding: 0 zeros, 1 border, 2 reflection.
Result<Launch> grid_sampler(int dims, const TensorView& input, const TensorView& grid, int64_t interpolation,
                            int64_t padding, bool align_corners, const TensorView& out);
Result<Launch> grid_sampler_backward(int dims, const TensorView& grad_output, const TensorView& input,
                                     const TensorView& grid, int64_t interpolation, int64_t padding, bool align_corners,
                                     std::span<const bool> output_mask, const TensorView* grad_input,
                                     const TensorView* grad_grid);

// self [N, C, H, W] or [C, H, W]; out [N, C kh kw, L] or [C kh kw, L].
Result<Launch> im2col(const TensorView& self, IntArray kernel_size, IntArray dilation, IntArray padding,
                      IntArray stride, const TensorView& out);
Result<Launch> col2im(const TensorView& self, IntArray output_size, IntArray kernel_size, IntArray dilation,
                      IntArray padding, IntArray stride, const TensorView& out);

Result<Launch> renorm(const TensorView& self, const Scalar& p, int64_t dim, const Scalar& maxnorm,
                      const TensorView& out);

}  // namespace cann::ops
