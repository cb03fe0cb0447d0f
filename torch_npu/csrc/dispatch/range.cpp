// Tensors made of numbers: how many elements there are is settled here, by PyTorch's rules; the device fills them.
#include <ATen/native/RangeUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/sum.h>

#include "functions_range.h"
#include "handwritten_range.h"
#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/dispatch/creation.h"
#include "torch_npu/csrc/dispatch/launch.h"

namespace torch_npu::op {

namespace {

// Fills `out`, or a contiguous stand-in that is copied back.
template <class Fill>
void fill_dense(at::Tensor& out, Fill&& fill) {
  if (out.numel() == 0) return;
  if (out.is_contiguous()) {
    fill(out);
    return;
  }
  const at::Tensor dense = empty(out.sizes(), out.scalar_type(), out.device());
  fill(dense);
  out.copy_(dense);
}

void check_steps(at::Tensor& out, int64_t steps) {
  TORCH_CHECK(steps >= 0, "number of steps must be non-negative");
  if (out.numel() != steps) out.resize_({steps});
}

c10::Device device_of(const std::optional<at::Device>& device) {
  return device.has_value() && device->has_index() ? *device
                                                   : c10::Device(c10::DeviceType::PrivateUse1, device::current());
}

}  // namespace

at::Tensor& arange_start_out(const at::Scalar& start, const at::Scalar& end, const at::Scalar& step, at::Tensor& out) {
  const bool exact = out.scalar_type() == at::kLong;
  const int64_t size = exact ? at::native::compute_arange_size<int64_t>(start, end, step)
                             : at::native::compute_arange_size<double>(start, end, step);
  if (out.numel() != size) {
    if (out.numel() > 0)
      TORCH_WARN("The number of elements in the out tensor of shape ", out.sizes(), " is ", out.numel(),
                 " which does not match the computed number of elements ", size,
                 ". Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor "
                 "of shape (",
                 size, ",).");
    out.resize_({size});
  }
  fill_dense(out, [&](const at::Tensor& to) { launch(aclnn::Arange, start, end, step, to); });
  return out;
}

at::Tensor& range_out(const at::Scalar& start, const at::Scalar& end, const at::Scalar& step, at::Tensor& out) {
  at::native::arange_check_bounds(start, end, step);
  const double count = (end.to<double>() - start.to<double>()) / step.to<double>() + 1;
  TORCH_CHECK(count >= 0 && count <= static_cast<double>(std::numeric_limits<int64_t>::max()),
              "invalid size, possible overflow?");
  const int64_t size = static_cast<int64_t>(count);
  if (out.numel() != size) out.resize_({size});
  fill_dense(out, [&](const at::Tensor& to) { launch(aclnn::Range, start, end, step, to); });
  return out;
}

at::Tensor& linspace_out(const at::Scalar& start, const at::Scalar& end, int64_t steps, at::Tensor& out) {
  check_steps(out, steps);
  fill_dense(out, [&](const at::Tensor& to) { launch(aclnn::Linspace, start, end, steps, to); });
  return out;
}

at::Tensor& logspace_out(const at::Scalar& start, const at::Scalar& end, int64_t steps, double base, at::Tensor& out) {
  check_steps(out, steps);
  fill_dense(out, [&](const at::Tensor& to) { launch(aclnn::LogSpace, start, end, steps, base, to); });
  return out;
}

at::Tensor& eye_m_out(int64_t n, int64_t m, at::Tensor& out) {
  TORCH_CHECK(n >= 0, "n must be greater or equal to 0, got ", n);
  TORCH_CHECK(m >= 0, "m must be greater or equal to 0, got ", m);
  out.resize_({n, m});
  if (out.numel() > 0) launch(aclnn::Eye, n, m, out);
  return out;
}

at::Tensor& eye_out(int64_t n, at::Tensor& out) { return eye_m_out(n, n, out); }

at::Tensor tril_indices(int64_t row, int64_t col, int64_t offset, std::optional<at::ScalarType> dtype,
                        std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool>) {
  at::native::check_args(row, col, layout);
  const at::Tensor out =
      empty({2, at::native::get_tril_size(row, col, offset)}, dtype.value_or(at::kLong), device_of(device));
  if (out.numel() > 0) launch(aclnn::TriangleIndices, row, col, offset, false, out);
  return out;
}

at::Tensor triu_indices(int64_t row, int64_t col, int64_t offset, std::optional<at::ScalarType> dtype,
                        std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool>) {
  at::native::check_args(row, col, layout);
  const int64_t size = row * col - at::native::get_tril_size(row, col, offset - 1);
  const at::Tensor out = empty({2, size}, dtype.value_or(at::kLong), device_of(device));
  if (out.numel() > 0) launch(aclnn::TriangleIndices, row, col, offset, true, out);
  return out;
}

at::Tensor repeat_interleave_Tensor(const at::Tensor& repeats, std::optional<int64_t> output_size) {
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  TORCH_CHECK(repeats.scalar_type() == at::kLong || repeats.scalar_type() == at::kInt,
              "repeats has to be Long or Int tensor");
  if (repeats.size(0) == 0) return empty(repeats.sizes(), repeats.scalar_type(), repeats.device());
  const events::Cause cause("repeat_interleave");
  const int64_t total = output_size.has_value() ? *output_size : at::sum(repeats).item<int64_t>();
  TORCH_CHECK(total >= 0, "repeats can not be negative");
  const at::Tensor out = empty({total}, at::kLong, repeats.device());
  launch(aclnn::RepeatInterleaveTensor, repeats, total, out);
  return out.to(repeats.scalar_type());
}

}  // namespace torch_npu::op
