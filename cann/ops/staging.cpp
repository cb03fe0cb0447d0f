#include "cann/ops/staging.h"

#include "cann/kernels/stage/stage.h"

namespace cann::ops {
namespace {
constexpr int64_t kGrain = 16384;  // elements a chunk: well above the cost of handing a chunk to a helper
}

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

void Staging::gather(const Copies& copies, TaskContext& context) {
  for (const Copy& copy : copies) {
    if (!copy.before) continue;
    void* dense = static_cast<char*>(context.workspace) + copy.offset;
    context.team.for_ranges(copy.strided.numel(), kGrain, [&](int64_t begin, int64_t end) {
      kernels::stage().gather(copy.strided, dense, copy.as, begin, end);
    });
  }
}

void Staging::scatter(const Copies& copies, TaskContext& context) {
  for (const Copy& copy : copies) {
    if (!copy.after) continue;
    const void* dense = static_cast<char*>(context.workspace) + copy.offset;
    context.team.for_ranges(copy.strided.numel(), kGrain, [&](int64_t begin, int64_t end) {
      kernels::stage().scatter(copy.strided, dense, copy.as, begin, end);
    });
  }
}

}  // namespace cann::ops
