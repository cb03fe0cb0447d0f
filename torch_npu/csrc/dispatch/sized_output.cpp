#include "torch_npu/csrc/dispatch/sized_output.h"

#include <memory>

#include "torch_npu/csrc/dispatch/transfer.h"
#include "torch_npu/csrc/loader/library.h"

namespace torch_npu {

SizedOutput::SizedOutput(at::Tensor largest) : largest_(std::move(largest)), descriptor_(descriptor::make(largest_)) {}

SizedOutput::~SizedOutput() { descriptor::destroy(descriptor_); }

at::Tensor SizedOutput::result() const {
  static const Function<decltype(::aclGetViewShape)> get_view_shape{"aclGetViewShape", Library::Opapi};
  int64_t* sizes = nullptr;
  uint64_t dims = 0;
  TORCH_CHECK(get_view_shape(descriptor_, &sizes, &dims) == 0, "aclGetViewShape failed");
  const std::unique_ptr<int64_t[]> owned(sizes);  // the contract: the caller deletes them
  const at::IntArrayRef real(sizes, dims);
  if (real == largest_.sizes()) return largest_;
  c10::SmallVector<int64_t, 6> strides(dims);
  int64_t numel = 1;
  for (auto d = static_cast<int64_t>(dims) - 1; d >= 0; --d) {
    strides[d] = numel;
    numel *= real[d];
  }
  const at::Tensor view = largest_.as_strided(real, strides);
  return numel * 2 < largest_.numel() ? view.clone() : view;
}

void wait_for(const at::Tensor& tensor) { transfer::wait(tensor.device().index(), "unique"); }

}  // namespace torch_npu
