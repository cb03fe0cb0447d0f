// Grid sampling, im2col and renorm.
#include "cann/kernels/pool/resample.h"
#include "cann/ops/pool_common.h"
#include "cann/ops/upsample.h"

namespace cann::ops {
namespace {

Result<kernels::GridShape> grid_shape(const char* op, int dims, const TensorView& input, const TensorView& grid,
                                      int64_t interpolation, int64_t padding, bool align_corners) {
  if (input.ndim != dims + 2 || grid.ndim != dims + 2 || grid.sizes[dims + 1] != dims ||
      grid.sizes[0] != input.sizes[0] || floating_index(input.dtype) < 0 || grid.dtype != input.dtype ||
      interpolation < 0 || interpolation > (dims == 2 ? 2 : 1) || padding < 0 || padding > 2)
    return bad_parameter(std::string(op) + ": input " + describe(input) + ", grid " + describe(grid) +
                         ", interpolation " + std::to_string(interpolation) + ", padding " + std::to_string(padding) +
                         ": they do not fit");
  kernels::GridShape s{};
  s.channels = input.sizes[1];
  ASSIGN_OR_RETURN(s.in, spatial(op, dims, input));
  s.out = {dims == 3 ? grid.sizes[1] : 1, grid.sizes[dims - 1], grid.sizes[dims]};
  s.interpolation = static_cast<int>(interpolation);
  s.padding = static_cast<int>(padding);
  s.align_corners = align_corners;
  return s;
}

Result<kernels::WindowShape> columns_shape(const char* op, const TensorView& image, const TensorView& columns,
                                           IntArray kernel_size, IntArray dilation, IntArray padding, IntArray stride) {
  kernels::WindowShape s{};
  ASSIGN_OR_RETURN(s.in, spatial(op, 2, image));
  ASSIGN_OR_RETURN(s.kernel, extent(op, 2, kernel_size, "kernel_size", 1));
  ASSIGN_OR_RETURN(s.dilation, extent(op, 2, dilation, "dilation", 1));
  ASSIGN_OR_RETURN(s.pad, extent(op, 2, padding, "padding", 0));
  ASSIGN_OR_RETURN(s.stride, extent(op, 2, stride, "stride", 1));
  auto outputs = [](int64_t in, int64_t pad, int64_t dilation, int64_t kernel, int64_t stride) {
    return (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  };
  s.out = {1, outputs(s.in.h, s.pad.h, s.dilation.h, s.kernel.h, s.stride.h),
           outputs(s.in.w, s.pad.w, s.dilation.w, s.kernel.w, s.stride.w)};
  if (image.ndim < 3)
    return bad_parameter(std::string(op) + ": " + describe(image) + ": three or four dimensions needed");
  s.planes = image.sizes[image.ndim - 3];
  const int64_t samples = image.ndim == 4 ? image.sizes[0] : 1;
  if (image.dtype != columns.dtype || columns.numel() != samples * s.planes * s.kernel.count() * s.out.count())
    return bad_parameter(std::string(op) + ": " + describe(image) + " beside " + describe(columns) +
                         ": they do not fit");
  return s;
}

int64_t samples_of(const TensorView& image) { return image.ndim == 4 ? image.sizes[0] : 1; }

}  // namespace

Result<Launch> grid_sampler(int dims, const TensorView& input, const TensorView& grid, int64_t interpolation,
                            int64_t padding, bool align_corners, const TensorView& out) {
  ASSIGN_OR_RETURN(const auto s, grid_shape("grid_sampler", dims, input, grid, interpolation, padding, align_corners));
  const int64_t samples = input.sizes[0];
  if (out.numel() != samples * s.channels * s.out.count())
    return bad_parameter("grid_sampler: grid " + describe(grid) + ", out " + describe(out) + ": they do not fit");
  const DType compute = compute_type(input.dtype);
  Staging staging;
  Slot x = staging.input(input, compute), points = staging.input(grid, compute), y = staging.output(out, compute);
  auto kernel = kernels::resample().grid[compute == DType::Float64];
  return std::move(staging).launch("grid_sampler", static_cast<double>(out.numel()) / 50, [=](TaskContext& c) {
    c.team.for_ranges(samples, 1,
                      [&](int64_t begin, int64_t end) { kernel(dims, x.in(c), points.in(c), s, y.in(c), begin, end); });
  });
}

Result<Launch> grid_sampler_backward(int dims, const TensorView& grad_output, const TensorView& input,
                                     const TensorView& grid, int64_t interpolation, int64_t padding, bool align_corners,
                                     std::span<const bool> output_mask, const TensorView* grad_input,
                                     const TensorView* grad_grid) {
  ASSIGN_OR_RETURN(const auto s,
                   grid_shape("grid_sampler_backward", dims, input, grid, interpolation, padding, align_corners));
  const int64_t samples = input.sizes[0];
  if (grad_output.numel() != samples * s.channels * s.out.count() || output_mask.size() != 2)
    return bad_parameter("grid_sampler_backward: grad_output " + describe(grad_output) + ", grid " + describe(grid) +
                         ": they do not fit");
  const DType compute = compute_type(input.dtype);
  Staging staging;
  Slot dy = staging.input(grad_output, compute), x = staging.input(input, compute),
       points = staging.input(grid, compute);
  Slot dx = staging.output(output_mask[0] ? grad_input : nullptr, compute);
  Slot moved = staging.output(output_mask[1] ? grad_grid : nullptr, compute);
  auto kernel = kernels::resample().grid_backward[compute == DType::Float64];
  return std::move(staging).launch(
      "grid_sampler_backward", static_cast<double>(grad_output.numel()) / 30, [=](TaskContext& c) {
        c.team.for_ranges(samples, 1, [&](int64_t begin, int64_t end) {
          kernel(dims, dy.in(c), x.in(c), points.in(c), s, dx.in(c), moved.in(c), begin, end);
        });
      });
}

Result<Launch> im2col(const TensorView& self, IntArray kernel_size, IntArray dilation, IntArray padding,
                      IntArray stride, const TensorView& out) {
  ASSIGN_OR_RETURN(const auto s, columns_shape("im2col", self, out, kernel_size, dilation, padding, stride));
  const int64_t samples = samples_of(self);
  const int64_t bytes = size_of(self.dtype);
  Staging staging;
  Slot x = staging.input(self), y = staging.output(out);
  auto kernel = kernels::resample().im2col[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4];
  return std::move(staging).launch("im2col", static_cast<double>(out.numel()) / 800, [=](TaskContext& c) {
    c.team.for_ranges(samples, 1, [&](int64_t begin, int64_t end) { kernel(x.in(c), s, y.in(c), begin, end); });
  });
}

Result<Launch> col2im(const TensorView& self, IntArray, IntArray kernel_size, IntArray dilation, IntArray padding,
                      IntArray stride, const TensorView& out) {
  ASSIGN_OR_RETURN(const auto s, columns_shape("col2im", out, self, kernel_size, dilation, padding, stride));
  const int64_t samples = samples_of(out);
  int type = 2;
  DType sum = DType::Int64;
  if (self.dtype == DType::Complex64)
    type = 3, sum = self.dtype;
  else if (self.dtype == DType::Complex128)
    type = 4, sum = self.dtype;
  else if (is_complex(self.dtype))
    return bad_parameter("col2im: self " + describe(self) + ": complex64 or complex128 needed");
  else if (is_floating(self.dtype))
    sum = compute_type(self.dtype), type = sum == DType::Float64;
  Staging staging;
  Slot x = staging.input(self, sum), y = staging.output(out, sum);
  auto kernel = kernels::resample().col2im[type];
  return std::move(staging).launch("col2im", static_cast<double>(self.numel()) / 500, [=](TaskContext& c) {
    c.team.for_ranges(samples, 1, [&](int64_t begin, int64_t end) { kernel(x.in(c), s, y.in(c), begin, end); });
  });
}

Result<Launch> renorm(const TensorView& self, const Scalar& p, int64_t dim, const Scalar& maxnorm,
                      const TensorView& out) {
  ASSIGN_OR_RETURN(dim, wrap_dim("renorm", self, dim));
  if (floating_index(self.dtype) < 0 || out.dtype != self.dtype)
    return bad_parameter("renorm: self " + describe(self) + ", out " + describe(out) + ": one floating type needed");
  RETURN_IF_ERROR(check_same_shape("renorm", "self", self, "out", out));
  int64_t outer = 1, n = 1, inner = 1;
  for (int d = 0; d < self.ndim; ++d) (d < dim ? outer : d == dim ? n : inner) *= self.sizes[d];
  const DType compute = compute_type(self.dtype);
  const double power = p.to_double(), largest = maxnorm.to_double();
  Staging staging;
  Slot x = staging.input(self, compute), y = staging.output(out, compute);
  auto kernel = kernels::resample().renorm[compute == DType::Float64];
  return std::move(staging).launch("renorm", static_cast<double>(self.numel()) / 300, [=](TaskContext& c) {
    c.team.for_ranges(n, plane_grain(outer * inner), [&](int64_t begin, int64_t end) {
      kernel(x.in(c), outer, n, inner, power, largest, y.in(c), begin, end);
    });
  });
}

}  // namespace cann::ops
