// Shape rules with PyTorch's checks.
#include "torch_npu/csrc/dispatch/shape.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TypeProperties.h>

#include "handwritten_shape.h"

namespace torch_npu {

std::vector<at::Tensor> same_type(const at::ITensorListRef& tensors, const at::Tensor& out) {
  std::vector<at::Tensor> same;
  same.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors)
    same.push_back(tensor.scalar_type() == out.scalar_type() ? tensor : tensor.to(out.scalar_type()));
  return same;
}

shape::Spec stack_spec(at::TensorList tensors, int64_t dim) {
  TORCH_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  const int64_t axis = at::maybe_wrap_dim(dim, tensors[0].dim() + 1);
  for (size_t i = 1; i < tensors.size(); ++i)
    TORCH_CHECK(tensors[i].sizes() == tensors[0].sizes(), "stack expects each tensor to be equal size, but got ",
                tensors[0].sizes(), " at entry 0 and ", tensors[i].sizes(), " at entry ", i);
  shape::Spec spec = shape::sized(tensors[0].sizes(), at::native::result_type(tensors), tensors[0].device());
  spec.sizes.insert(spec.sizes.begin() + axis, static_cast<int64_t>(tensors.size()));
  return spec;
}

shape::Spec flip_spec(const at::Tensor& self, at::IntArrayRef dims) {
  at::dim_list_to_bitset(dims, self.dim());  // throws for a dim that is out of range or given twice
  return shape::like(self);
}

shape::Spec roll_spec(const at::Tensor& self, at::IntArrayRef shifts, at::IntArrayRef dims) {
  TORCH_CHECK(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.size() == 1) return shape::sized(self.sizes(), self);
  TORCH_CHECK(shifts.size() == dims.size(), "shifts and dimensions must align. shifts: ", shifts.size(),
              ", dims:", dims.size());
  for (const int64_t dim : dims) at::maybe_wrap_dim(dim, self.dim(), /*wrap_scalar=*/false);
  return shape::sized(self.sizes(), self);
}

shape::Spec repeat_spec(const at::Tensor& self, at::IntArrayRef repeats) {
  TORCH_CHECK(static_cast<int64_t>(repeats.size()) >= self.dim(),
              "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  shape::Spec spec = shape::sized(repeats, self);
  const size_t added = repeats.size() - static_cast<size_t>(self.dim());
  for (size_t d = 0; d < repeats.size(); ++d) {
    TORCH_CHECK(repeats[d] >= 0, "Trying to create tensor with negative dimension ", repeats[d], ": ", repeats);
    if (d >= added) spec.sizes[d] *= self.size(static_cast<int64_t>(d - added));
  }
  return spec;
}

shape::Spec constant_pad_spec(const at::Tensor& self, at::IntArrayRef pad) {
  TORCH_CHECK(pad.size() % 2 == 0, "Length of pad must be even but instead it equals ", pad.size());
  const size_t padded = pad.size() / 2, dims = static_cast<size_t>(self.dim());
  TORCH_CHECK(dims >= padded,
              "Length of pad should be no more than twice the number of dimensions of the input. Pad length is ",
              pad.size(), "while the input has ", dims, "dimensions.");
  shape::Spec spec = shape::sized(self.sizes(), self);
  for (size_t i = 0; i < padded; ++i) {
    int64_t& size = spec.sizes[dims - 1 - i];
    const int64_t given = size;
    size += pad[2 * i] + pad[2 * i + 1];
    TORCH_CHECK(size >= 0, "The input size ", given, ", plus negative padding ", pad[2 * i], " and ", pad[2 * i + 1],
                " resulted in a negative output size, which is invalid. Check dimension ", dims - 1 - i,
                " of your input.");
  }
  const at::MemoryFormat format = self.suggest_memory_format();
  if (format != at::MemoryFormat::Contiguous) {
    const auto strides = format == at::MemoryFormat::ChannelsLast ? c10::get_channels_last_strides_2d(spec.sizes)
                                                                  : c10::get_channels_last_strides_3d(spec.sizes);
    spec.strides.assign(strides.begin(), strides.end());
  }
  return spec;
}

shape::Spec channel_shuffle_spec(const at::Tensor& self, int64_t groups) {
  TORCH_CHECK(self.dim() > 2, "channel_shuffle expects input with > 2 dims, but got input with sizes ", self.sizes());
  TORCH_CHECK(groups > 0, "Number of groups to divide channels in must be positive. Value of groups:", groups);
  TORCH_CHECK(self.size(1) % groups == 0, "Number of channels must be divisible by groups. Got ", self.size(1),
              " channels and ", groups, " groups.");
  return shape::sized(self.sizes(), self);
}

namespace op {

at::Tensor& narrow_copy_out(const at::Tensor& self, int64_t dim, int64_t start, int64_t length, at::Tensor& out) {
  TORCH_CHECK(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  TORCH_CHECK(dim < self.dim(), "narrow(): dim ", dim, " is out of range for a tensor of ", self.dim(), " dimensions");
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "Expected out tensor to have dtype ", self.scalar_type(),
              ", but got ", out.scalar_type(), " instead");
  dim = at::maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.size(dim);
  TORCH_CHECK_INDEX(-size <= start && start <= size, "start out of range (expected to be in range of [", -size, ", ",
                    size, "], but got ", start, ")");
  if (start < 0) start += size;
  TORCH_CHECK(length >= 0 && start <= size - length, "start (", start, ") + length (", length,
              ") exceeds dimension size (", size, ").");
  const at::Tensor piece = self.narrow(dim, start, length);
  at::native::resize_output(out, piece.sizes());
  return out.copy_(piece);
}

at::Tensor narrow_copy(const at::Tensor& self, int64_t dim, int64_t start, int64_t length) {
  at::Tensor out = empty({0}, self.scalar_type(), self.device());
  return narrow_copy_out(self, dim, start, length, out);
}

}  // namespace op

}  // namespace torch_npu
