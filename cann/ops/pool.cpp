#include "cann/ops/pool.h"

#include "cann/kernels/pool/pool.h"
#include "cann/ops/pool_common.h"

namespace cann::ops {
namespace {

Result<kernels::WindowShape> windows(const char* op, int dims, const TensorView& in, const TensorView& out,
                                     IntArray kernel, IntArray stride, IntArray padding, IntArray dilation) {
  kernels::WindowShape s{};
  ASSIGN_OR_RETURN(s.in, spatial(op, dims, in));
  ASSIGN_OR_RETURN(s.out, spatial(op, dims, out));
  ASSIGN_OR_RETURN(s.kernel, extent(op, dims, kernel, "kernel_size", 1));
  ASSIGN_OR_RETURN(s.stride, extent(op, dims, stride.empty() ? kernel : stride, "stride", 1));
  ASSIGN_OR_RETURN(s.pad, extent(op, dims, padding, "padding", 0));
  ASSIGN_OR_RETURN(s.dilation, extent(op, dims, dilation, "dilation", 1));
  s.planes = planes_of(dims, in);
  if (s.planes != planes_of(dims, out) || s.in.count() > INT32_MAX)
    return bad_parameter(std::string(op) + ": " + describe(in) + " beside " + describe(out) +
                         ": the planes must match and be below 2^31");
  return s;
}

Result<kernels::AdaptiveShape> adaptive(const char* op, int dims, const TensorView& in, const TensorView& out) {
  kernels::AdaptiveShape s{};
  ASSIGN_OR_RETURN(s.in, spatial(op, dims, in));
  ASSIGN_OR_RETURN(s.out, spatial(op, dims, out));
  s.planes = planes_of(dims, in);
  if (s.planes != planes_of(dims, out))
    return bad_parameter(std::string(op) + ": " + describe(in) + " beside " + describe(out) +
                         ": the planes must match");
  return s;
}

constexpr IntArray kNoDilation{};

// What the kernels of channels-last images need beside the shape.
struct ImageRows {
  int64_t channels, rows, grain;  // rows of the output
};
template <class Shape>
ImageRows image_rows(const Shape& s, const TensorView& self) {
  const int64_t rows = self.sizes[0] * s.out.d * s.out.h;
  return {self.sizes[1], rows, plane_grain((s.in.count() + s.out.count()) * s.planes / std::max<int64_t>(rows, 1))};
}

template <class Shape, class Kernel>
Launch average_last(const char* op, Kernel kernel, int type, const Shape& s, const TensorView& self,
                    const TensorView& out, double us) {
  Staging staging;
  Slot x = staging.input(channels_behind(self), kPoolTypes[type]),
       y = staging.output(channels_behind(out), kPoolTypes[type]);
  return std::move(staging).launch(op, us, [=, at = image_rows(s, self)](TaskContext& c) {
    c.team.for_ranges(at.rows, at.grain,
                      [&](int64_t begin, int64_t end) { kernel(x.in(c), s, at.channels, y.in(c), begin, end); });
  });
}

}  // namespace

Result<Launch> max_pool(int dims, const TensorView& self, IntArray kernel_size, IntArray stride, IntArray padding,
                        IntArray dilation, const TensorView& out, const TensorView& indices) {
  ASSIGN_OR_RETURN(const int type, pool_type("max_pool", self, out));
  ASSIGN_OR_RETURN(const auto s, windows("max_pool", dims, self, out, kernel_size, stride, padding, dilation));
  RETURN_IF_ERROR(check_same_shape("max_pool", "out", out, "indices", indices));
  const double work = static_cast<double>(s.planes * s.out.count() * s.kernel.count());
  Staging staging;
  if (type < 2 && is_channels_last(dims, self)) {
    Slot x = staging.input(channels_behind(self), kPoolTypes[type]),
         y = staging.output(channels_behind(out), kPoolTypes[type]),
         where = staging.output(channels_behind(indices), DType::Int64);
    return std::move(staging).launch(
        "max_pool", work / 1500,
        [=, at = image_rows(s, self), k = kernels::pool().max_pool_last[type]](TaskContext& c) {
          c.team.for_ranges(at.rows, at.grain, [&](int64_t begin, int64_t end) {
            k(x.in(c), s, at.channels, y.in(c), where.in<int64_t>(c), begin, end);
          });
        });
  }
  Slot x = staging.input(self, kPoolTypes[type]), y = staging.output(out, kPoolTypes[type]);
  Slot where = staging.output(indices, DType::Int64);
  auto kernel = kernels::pool().max_pool[type];
  return std::move(staging).launch("max_pool", work / 1500, [=](TaskContext& c) {
    c.team.for_ranges(s.planes, plane_grain(s.in.count() + s.out.count()), [&](int64_t begin, int64_t end) {
      kernel(x.in(c), s, y.in(c), where.in<int64_t>(c), begin, end);
    });
  });
}

Result<Launch> max_pool_backward(int dims, const TensorView& grad_output, const TensorView& indices,
                                 const TensorView& grad_input) {
  ASSIGN_OR_RETURN(const int type, pool_type("max_pool_backward", grad_output, grad_input));
  ASSIGN_OR_RETURN(const auto s, adaptive("max_pool_backward", dims, grad_input, grad_output));
  RETURN_IF_ERROR(check_same_shape("max_pool_backward", "grad_output", grad_output, "indices", indices));
  Staging staging;
  Slot dy = staging.input(grad_output, kPoolTypes[type]), where = staging.input(indices, DType::Int64);
  Slot dx = staging.output(grad_input, kPoolTypes[type]);
  auto kernel = kernels::pool().scatter[type];
  return std::move(staging).launch(
      "max_pool_backward", static_cast<double>(grad_input.numel()) / 1000, [=](TaskContext& c) {
        c.team.for_ranges(s.planes, plane_grain(s.in.count()), [&](int64_t begin, int64_t end) {
          kernel(dy.in(c), where.in<int64_t>(c), s.in.count(), s.out.count(), true, dx.in(c), begin, end);
        });
      });
}

Result<Launch> avg_pool(int dims, const TensorView& self, IntArray kernel_size, IntArray stride, IntArray padding,
                        bool count_include_pad, int64_t divisor_override, const TensorView& out) {
  ASSIGN_OR_RETURN(const int type, pool_type("avg_pool", self, out));
  ASSIGN_OR_RETURN(auto s, windows("avg_pool", dims, self, out, kernel_size, stride, padding, kNoDilation));
  s.count_include_pad = count_include_pad;
  s.divisor = divisor_override;
  const double work = static_cast<double>(s.planes * s.out.count() * s.kernel.count());
  if (type < 2 && is_channels_last(dims, self))
    return average_last("avg_pool", kernels::pool().avg_pool_last[type], type, s, self, out, work / 1500);
  Staging staging;
  Slot x = staging.input(self, kPoolTypes[type]), y = staging.output(out, kPoolTypes[type]);
  auto kernel = kernels::pool().avg_pool[type];
  return std::move(staging).launch("avg_pool", work / 800, [=](TaskContext& c) {
    c.team.for_ranges(s.planes, plane_grain(s.in.count() + s.out.count()),
                      [&](int64_t begin, int64_t end) { kernel(x.in(c), s, y.in(c), begin, end); });
  });
}

Result<Launch> avg_pool_backward(int dims, const TensorView& grad_output, IntArray kernel_size, IntArray stride,
                                 IntArray padding, bool count_include_pad, int64_t divisor_override,
                                 const TensorView& grad_input) {
  ASSIGN_OR_RETURN(const int type, pool_type("avg_pool_backward", grad_output, grad_input));
  ASSIGN_OR_RETURN(
      auto s, windows("avg_pool_backward", dims, grad_input, grad_output, kernel_size, stride, padding, kNoDilation));
  s.count_include_pad = count_include_pad;
  s.divisor = divisor_override;
  Staging staging;
  Slot dy = staging.input(grad_output, kPoolTypes[type]), dx = staging.output(grad_input, kPoolTypes[type]);
  auto kernel = kernels::pool().avg_pool_backward[type];
  const double work = static_cast<double>(s.planes * s.out.count() * s.kernel.count());
  return std::move(staging).launch("avg_pool_backward", work / 600, [=](TaskContext& c) {
    c.team.for_ranges(s.planes, plane_grain(s.in.count() + s.out.count()),
                      [&](int64_t begin, int64_t end) { kernel(dy.in(c), s, dx.in(c), begin, end); });
  });
}

Result<Launch> adaptive_max_pool(int dims, const TensorView& self, const TensorView& out, const TensorView& indices) {
  ASSIGN_OR_RETURN(const int type, pool_type("adaptive_max_pool", self, out));
  ASSIGN_OR_RETURN(const auto s, adaptive("adaptive_max_pool", dims, self, out));
  RETURN_IF_ERROR(check_same_shape("adaptive_max_pool", "out", out, "indices", indices));
  Staging staging;
  Slot x = staging.input(self, kPoolTypes[type]), y = staging.output(out, kPoolTypes[type]);
  Slot where = staging.output(indices, DType::Int64);
  auto kernel = kernels::pool().adaptive_max[type];
  return std::move(staging).launch(
      "adaptive_max_pool", static_cast<double>(self.numel() + out.numel()) / 500, [=](TaskContext& c) {
        c.team.for_ranges(s.planes, plane_grain(s.in.count() + s.out.count()), [&](int64_t begin, int64_t end) {
          kernel(x.in(c), s, y.in(c), where.in<int64_t>(c), begin, end);
        });
      });
}

Result<Launch> adaptive_avg_pool(int dims, const TensorView& self, const TensorView& out) {
  ASSIGN_OR_RETURN(const int type, pool_type("adaptive_avg_pool", self, out));
  ASSIGN_OR_RETURN(const auto s, adaptive("adaptive_avg_pool", dims, self, out));
  if (type < 2 && is_channels_last(dims, self))
    return average_last("adaptive_avg_pool", kernels::pool().adaptive_avg_last[type], type, s, self, out,
                        static_cast<double>(self.numel() + out.numel()) / 1500);
  Staging staging;
  Slot x = staging.input(self, kPoolTypes[type]), y = staging.output(out, kPoolTypes[type]);
  auto kernel = kernels::pool().adaptive_avg[type];
  return std::move(staging).launch(
      "adaptive_avg_pool", static_cast<double>(self.numel() + out.numel()) / 800, [=](TaskContext& c) {
        c.team.for_ranges(s.planes, plane_grain(s.in.count() + s.out.count()),
                          [&](int64_t begin, int64_t end) { kernel(x.in(c), s, y.in(c), begin, end); });
      });
}

Result<Launch> adaptive_avg_pool_backward(int dims, const TensorView& grad_output, const TensorView& grad_input) {
  ASSIGN_OR_RETURN(const int type, pool_type("adaptive_avg_pool_backward", grad_output, grad_input));
  ASSIGN_OR_RETURN(const auto s, adaptive("adaptive_avg_pool_backward", dims, grad_input, grad_output));
  Staging staging;
  Slot dy = staging.input(grad_output, kPoolTypes[type]), dx = staging.output(grad_input, kPoolTypes[type]);
  auto kernel = kernels::pool().adaptive_avg_backward[type];
  return std::move(staging).launch(
      "adaptive_avg_pool_backward", static_cast<double>(grad_input.numel()) / 800, [=](TaskContext& c) {
        c.team.for_ranges(s.planes, plane_grain(s.in.count() + s.out.count()),
                          [&](int64_t begin, int64_t end) { kernel(dy.in(c), s, dx.in(c), begin, end); });
      });
}

Result<Launch> max_unpool(int dims, const TensorView& self, const TensorView& indices, const TensorView& out) {
  ASSIGN_OR_RETURN(const int type, pool_type("max_unpool", self, out));
  ASSIGN_OR_RETURN(const auto s, adaptive("max_unpool", dims, out, self));
  RETURN_IF_ERROR(check_same_shape("max_unpool", "self", self, "indices", indices));
  Staging staging;
  Slot x = staging.input(self, kPoolTypes[type]), where = staging.input(indices, DType::Int64);
  Slot y = staging.output(out, kPoolTypes[type]);
  auto kernel = kernels::pool().scatter[type];
  return std::move(staging).launch(
      "max_unpool", static_cast<double>(out.numel()) / 1000, [=](TaskContext& c) -> Status {
        for (int64_t p = 0; p < s.planes; ++p)
          if (!kernel(x.in(c), where.in<int64_t>(c), s.in.count(), s.out.count(), false, y.in(c), p, p + 1))
            return bad_parameter("max_unpool: found an invalid max index in plane " + std::to_string(p) +
                                 ": indices must lie below " + std::to_string(s.in.count()));
        return {};
      });
}

Result<Launch> max_unpool_backward(int dims, const TensorView& grad_output, const TensorView& indices,
                                   const TensorView& grad_input) {
  ASSIGN_OR_RETURN(const int type, pool_type("max_unpool_backward", grad_output, grad_input));
  ASSIGN_OR_RETURN(const auto s, adaptive("max_unpool_backward", dims, grad_output, grad_input));
  RETURN_IF_ERROR(check_same_shape("max_unpool_backward", "grad_input", grad_input, "indices", indices));
  Staging staging;
  Slot dy = staging.input(grad_output, kPoolTypes[type]), where = staging.input(indices, DType::Int64);
  Slot dx = staging.output(grad_input, kPoolTypes[type]);
  auto kernel = kernels::pool().gather[type];
  return std::move(staging).launch(
      "max_unpool_backward", static_cast<double>(grad_input.numel()) / 1000, [=](TaskContext& c) -> Status {
        if (kernel(dy.in(c), where.in<int64_t>(c), s.in.count(), s.out.count(), dx.in(c), 0, s.planes)) return {};
        return bad_parameter("max_unpool_backward: invalid max index: indices must lie below " +
                             std::to_string(s.in.count()));
      });
}

}  // namespace cann::ops
