#include "cann/ops/staging.h"

#include "cann/ops/pointwise.h"

namespace cann::ops {
namespace {

// The pointwise family's copy: it changes types, and takes planes of channels-last tensors through registers.
Status run_copy(const TensorView& from, const TensorView& to, TaskContext& context) {
  ASSIGN_OR_RETURN(Launch launch, copy(from, to));
  return launch.task(context);
}

}  // namespace

Slot Staging::scratch(size_t bytes) {
  Slot slot;
  slot.offset_ = static_cast<int64_t>(bytes_);
  bytes_ += (bytes + 63) / 64 * 64;
  return slot;
}

Slot Staging::stage(const TensorView& t, DType as, bool before, bool after) {
  if (as == DType::Undefined) as = t.dtype;
  if (as == t.dtype && t.is_contiguous()) {
    Slot slot;
    slot.data_ = t.data;
    if (!t.data) return scratch(0);  // an empty tensor is present all the same
    return slot;
  }
  size_t bytes = static_cast<size_t>(t.numel() * size_of(as));
  Slot slot = scratch(bytes);
  if (!copies_) copies_ = std::make_unique<Copies>();
  copies_->push_back({t, as, before, after, slot.offset_});
  copied_bytes_ += bytes;
  return slot;
}

Slot Staging::input(const TensorView& t, DType as) { return stage(t, as, true, false); }
Slot Staging::output(const TensorView& t, DType as) { return stage(t, as, false, true); }
Slot Staging::update(const TensorView& t, DType as) { return stage(t, as, true, true); }

TensorView Staging::dense_view(const Copy& copy, const TaskContext& context) {
  TensorView view = copy.strided;
  view.dtype = copy.as;
  view.data = static_cast<char*>(context.workspace) + copy.offset;
  int64_t stride = 1;
  for (int d = view.ndim - 1; d >= 0; --d) {
    view.strides[d] = stride;
    stride *= view.sizes[d];
  }
  return view;
}

Status Staging::gather(const Copies& copies, TaskContext& context) {
  for (const Copy& copy : copies)
    if (copy.before) RETURN_IF_ERROR(run_copy(copy.strided, dense_view(copy, context), context));
  return {};
}

Status Staging::scatter(const Copies& copies, TaskContext& context) {
  for (const Copy& copy : copies)
    if (copy.after) RETURN_IF_ERROR(run_copy(dense_view(copy, context), copy.strided, context));
  return {};
}

}  // namespace cann::ops
