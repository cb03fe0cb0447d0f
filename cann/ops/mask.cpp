// Counts each chunk of the mask, adds the counts up, then moves each chunk by itself. Operands that are not contiguous
// are made so in the workspace.
#include "cann/ops/mask.h"

#include <vector>

#include "cann/kernels/index/mask.h"
#include "cann/ops/box_copy.h"

namespace cann::ops {

namespace {

constexpr int64_t kChunk = 32 * 1024;

TensorView contiguous_at(const TensorView& like, void* data) {
  TensorView view = like;
  view.data = data;
  int64_t stride = 1;
  for (int d = view.ndim - 1; d >= 0; stride *= view.sizes[d], --d) view.strides[d] = stride;
  return view;
}

int64_t bytes_if_strided(const TensorView& view) {
  return view.is_contiguous() ? 0 : (view.numel() * size_of(view.dtype) + 63) / 64 * 64;
}

// The view itself, or its copy in the workspace, which moves on.
TensorView made_contiguous(Team& team, const TensorView& view, char*& workspace) {
  const int64_t bytes = bytes_if_strided(view);
  if (bytes == 0) return view;
  const TensorView copy = contiguous_at(view, workspace);
  workspace += bytes;
  const CopyBox box = copy_box(view, copy);
  run(team, {&box, 1});
  return copy;
}

// Where the elements of each chunk begin among those selected; the last entry is their number.
std::vector<int64_t> starts_of(Team& team, const uint8_t* mask, int64_t n) {
  std::vector<int64_t> starts(static_cast<size_t>((n + kChunk - 1) / kChunk) + 1);
  team.for_ranges(n, kChunk, [&](int64_t begin, int64_t end) {
    starts[static_cast<size_t>(begin / kChunk) + 1] = kernels::mask().count(mask + begin, end - begin);
  });
  for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  return starts;
}

Status check(const char* op, const TensorView& self, const TensorView& mask, const TensorView& other) {
  if (mask.dtype != DType::Bool && mask.dtype != DType::UInt8)
    return bad_parameter(std::string(op) + ": mask " + describe(mask) + ": needs bool");
  if (!same_shape(self, mask))
    return bad_parameter(std::string(op) + ": self " + to_string(self.shape()) + ", mask " + to_string(mask.shape()) +
                         ": shapes must be equal");
  if (self.dtype != other.dtype)
    return bad_parameter(std::string(op) + ": " + describe(self) + " and " + describe(other) + ": types must be equal");
  return {};
}

Status too_many(const char* op, int64_t selected, int64_t room) {
  return bad_parameter(std::string(op) + ": the mask selects " + std::to_string(selected) + " elements, there are " +
                       std::to_string(room));
}

}  // namespace

Result<Launch> masked_select(const TensorView& self, const TensorView& mask, const TensorView& out) {
  RETURN_IF_ERROR(check("masked_select", self, mask, out));
  if (out.ndim != 1 || !out.is_contiguous()) return bad_parameter("masked_select: out must be a contiguous vector");
  const int64_t n = self.numel(), bytes = size_of(self.dtype);
  const ReportedShape::Handle selected = promise_shape(out);
  if (n == 0) return Launch{Task("masked_select", 0, [selected](TaskContext&) { selected.report(0, 0); })};
  const size_t workspace = static_cast<size_t>(bytes_if_strided(self) + bytes_if_strided(mask));
  return Launch{Task("masked_select", copy_us(n * (bytes + 4)),
                     [=](TaskContext& context) -> Status {
                       char* room = static_cast<char*>(context.workspace);
                       const TensorView from = made_contiguous(context.team, self, room);
                       const TensorView where = made_contiguous(context.team, mask, room);
                       const auto starts = starts_of(context.team, where.as<const uint8_t>(), n);
                       if (starts.back() > out.numel()) return too_many("masked_select", starts.back(), out.numel());
                       selected.report(0, starts.back());
                       context.team.for_ranges(n, kChunk, [&](int64_t begin, int64_t end) {
                         kernels::mask().select(bytes, from.as<char>() + begin * bytes,
                                                where.as<const uint8_t>() + begin, end - begin,
                                                out.as<char>() + starts[static_cast<size_t>(begin / kChunk)] * bytes);
                       });
                       return {};
                     }),
                workspace};
}

Result<Launch> masked_scatter(const TensorView& self, const TensorView& mask, const TensorView& source) {
  RETURN_IF_ERROR(check("masked_scatter", self, mask, source));
  const int64_t n = self.numel(), bytes = size_of(self.dtype);
  if (n == 0) return Launch{Task("masked_scatter", 0, [](TaskContext&) {})};
  const size_t workspace =
      static_cast<size_t>(bytes_if_strided(self) + bytes_if_strided(mask) + bytes_if_strided(source));
  return Launch{Task("masked_scatter", copy_us(n * (bytes + 4)),
                     [=](TaskContext& context) -> Status {
                       char* room = static_cast<char*>(context.workspace);
                       const TensorView to = made_contiguous(context.team, self, room);
                       const TensorView where = made_contiguous(context.team, mask, room);
                       const TensorView from = made_contiguous(context.team, source, room);
                       const auto starts = starts_of(context.team, where.as<const uint8_t>(), n);
                       if (starts.back() > source.numel())
                         return too_many("masked_scatter", starts.back(), source.numel());
                       context.team.for_ranges(n, kChunk, [&](int64_t begin, int64_t end) {
                         kernels::mask().scatter(bytes, to.as<char>() + begin * bytes,
                                                 where.as<const uint8_t>() + begin, end - begin,
                                                 from.as<char>() + starts[static_cast<size_t>(begin / kChunk)] * bytes);
                       });
                       if (to.data != self.data) {
                         const CopyBox back = copy_box(to, self);
                         run(context.team, {&back, 1});
                       }
                       return {};
                     }),
                workspace};
}

}  // namespace cann::ops
