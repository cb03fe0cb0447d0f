// Destinations of a walk differ along every dimension that moves `indexed` (a dimension that an index replaced does
// not). So a walk cut along such a dimension gives each chunk its own destinations, and each chunk visits its points in
// order: the same bits for any number of threads. Without such a dimension one thread writes (1-d scatter; advanced
// indexing of single elements).
#include "cann/ops/scatter_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "cann/ops/pointwise.h"

namespace cann::ops {

namespace {

using kernels::Combine;
using kernels::ReduceRuns;
using kernels::ScatterEntry;

constexpr int64_t kChunkElements = 16 * 1024;

// From here on a run's sum in registers saves more than the sort costs (65536 rows of 64 float32 into 4096: 4.4 ms
// direct, 2.7 sorted).
constexpr int64_t kSortedSlice = 16;

bool varies(const IndexWalk& walk, int d) {
  for (int k = 0; k < walk.indices; ++k)
    if (walk.index[k].strides[d] != 0) return true;
  return false;
}

struct Cut {
  int dim = -1;
  int64_t step = 0;  // how much of the dimension a chunk takes
};

// The outermost dimension that is long enough, else the longest. `among` says which dimensions may be cut.
template <class F>
Cut choose_cut(const IndexWalk& walk, F&& among) {
  const int64_t wanted = std::clamp<int64_t>(walk.numel() / kChunkElements, 1, 64);
  if (wanted == 1) return {};
  Cut best;
  int64_t pieces_of_best = 1;
  for (int d = 0; d < walk.ndim; ++d) {
    const int64_t stride = walk.indexed_strides[d];
    if (stride == 0 || !among(d)) continue;
    // Two cores must not share a cache line; and where each point reads its own index, a piece is worth several lines.
    const int64_t least_bytes = varies(walk, d) ? 256 : 64;
    const int64_t least = std::max<int64_t>(1, least_bytes / stride);
    const int64_t pieces = std::min(wanted, walk.sizes[d] / least);
    if (pieces <= pieces_of_best) continue;
    best = {d, (walk.sizes[d] + pieces - 1) / pieces};
    pieces_of_best = pieces;
    if (pieces == wanted) break;
  }
  return best;
}

// Calls body(part, part number) for each part of the walk.
template <class F>
void for_parts(Team& team, const IndexWalk& walk, const Cut& cut, F&& body) {
  if (cut.dim < 0) return body(walk, int64_t{0});
  const int64_t size = walk.sizes[cut.dim];
  team.run((size + cut.step - 1) / cut.step,
           [&](int64_t i) { body(restricted(walk, cut.dim, i * cut.step, std::min(size, (i + 1) * cut.step)), i); });
}

// The dimensions along which an index varies, or those along which none does, as a walk of their own.
IndexWalk only(const IndexWalk& walk, bool varying) {
  IndexWalk part = walk;
  int n = 0;
  for (int d = 0; d < walk.ndim; ++d) {
    if (varies(walk, d) != varying) continue;
    part.sizes[n] = walk.sizes[d];
    part.indexed_strides[n] = walk.indexed_strides[d];
    part.plain_strides[n] = walk.plain_strides[d];
    for (int k = 0; k < walk.indices; ++k) part.index[k].strides[n] = walk.index[k].strides[d];
    ++n;
  }
  part.ndim = n;
  if (!varying) part.indices = 0;
  simplify(part);
  return part;
}

// What changes nothing when it is combined.
ElementBytes identity(Combine combine, DType dtype) {
  const bool floating = is_floating(dtype), is_signed = dtype != DType::UInt8 && dtype != DType::Bool;
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  switch (combine) {
    case Combine::Add: return {};
    case Combine::Multiply: return element_of(Scalar(1), dtype);
    case Combine::Max:
      if (floating) return element_of(Scalar(-std::numeric_limits<double>::infinity()), dtype);
      return is_signed ? element_of(Scalar(int64_t(uint64_t{1} << 63) >> (64 - bits)), dtype) : ElementBytes{};
    case Combine::Min:
      if (floating) return element_of(Scalar(std::numeric_limits<double>::infinity()), dtype);
      if (dtype == DType::Bool) return element_of(Scalar(true), dtype);
      return element_of(Scalar(std::numeric_limits<int64_t>::max() >> (is_signed ? 64 - bits : 55)), dtype);
  }
  return {};
}

BadIndex run_direct(Team& team, const ScatterPlan& plan, const IndexWalk& walk, const ReduceRuns& how) {
  BadIndices bad;
  const ElementBytes neutral = how.include_self ? ElementBytes{} : identity(how.combine, how.dtype);
  for_parts(team, walk, choose_cut(walk, [](int) { return true; }), [&](const IndexWalk& part, int64_t) {
    const auto& kernel = kernels::scatter();
    if (!plan.assign && !how.include_self) {
      IndexWalk clearing = part;
      clearing.plain = const_cast<char*>(reinterpret_cast<const char*>(neutral.data()));
      for (int64_t& stride : clearing.plain_strides) stride = 0;
      kernel.assign(clearing);  // a bad index is met again below
    }
    const BadIndex found = plan.assign ? kernel.assign(part) : kernel.combine(part, how.combine, how.dtype, how.alpha);
    if (found.found) bad.add(found);
  });
  return bad.worst();
}

// Each part sorts its own points and reduces its own runs.
BadIndex run_sorted_parts(Team& team, const IndexWalk& walk, const Cut& cut, const ReduceRuns& how,
                          ScatterEntry* entries) {
  BadIndices bad;
  const auto& kernel = kernels::scatter_runs();
  const int64_t points_of_step = only(walk, true).numel() / walk.sizes[cut.dim] * cut.step;
  for_parts(team, walk, cut, [&](const IndexWalk& part, int64_t i) {
    const IndexWalk points = only(part, true), slice = only(part, false);
    const int64_t n = points.numel();
    ScatterEntry* mine = entries + 2 * i * points_of_step;
    const BadIndex found = kernel.entries(points, 0, n, mine);
    if (found.found) return bad.add(found);
    kernel.reduce_runs(slice, kernel.sort(mine, mine + n, n, walk.element_bytes), n, 0, n, how);
  });
  return bad.worst();
}

int64_t longest_run(const ScatterEntry* sorted, int64_t n) {
  int64_t longest = 0, first = 0;
  for (int64_t i = 1; i <= n; ++i)
    if (i == n || sorted[i].indexed != sorted[first].indexed) {
      longest = std::max(longest, i - first);
      first = i;
    }
  return longest;
}

// One sort; then the runs side by side, or where one of them is a large part of all, stretches of their slices.
BadIndex run_sorted_whole(Team& team, const IndexWalk& walk, const ReduceRuns& how, ScatterEntry* entries) {
  BadIndices bad;
  const auto& kernel = kernels::scatter_runs();
  const IndexWalk points = only(walk, true), slice = only(walk, false);
  const int64_t n = points.numel();
  team.for_ranges(n, kChunkElements, [&](int64_t begin, int64_t end) {
    const BadIndex found = kernel.entries(points, begin, end, entries);
    if (found.found) bad.add(found);
  });
  if (bad.worst().found) return bad.worst();
  const ScatterEntry* sorted = kernel.sort(entries, entries + n, n, walk.element_bytes);
  Cut cut;
  if (longest_run(sorted, n) > n / 4) cut = choose_cut(walk, [&](int d) { return !varies(walk, d); });
  if (cut.dim >= 0) {
    for_parts(team, walk, cut,
              [&](const IndexWalk& part, int64_t) { kernel.reduce_runs(only(part, false), sorted, n, 0, n, how); });
  } else {
    const int64_t grain = std::max<int64_t>(1, kChunkElements / slice.numel());
    team.for_ranges(n, grain,
                    [&](int64_t begin, int64_t end) { kernel.reduce_runs(slice, sorted, n, begin, end, how); });
  }
  return bad.worst();
}

enum class Way { Direct, Sorted, Mirrored };

Way choose_way(const ScatterPlan& plan) {
  if (plan.assign || plan.walk.numel() == 0) return Way::Direct;
  // A minimum or maximum of half types is exact step by step.
  const bool rounds =
      is_half(plan.how.dtype) && (plan.how.combine == Combine::Add || plan.how.combine == Combine::Multiply);
  const bool rows = only(plan.walk, false).numel() >= kSortedSlice && only(plan.walk, true).numel() > 1;
  if (plan.how.mean || rows) return Way::Sorted;
  if (!rounds) return Way::Direct;
  return plan.rebuild && plan.target.numel() <= 4 * plan.walk.numel() ? Way::Mirrored : Way::Sorted;
}

TensorView contiguous_at(TensorView like, DType dtype, void* data) {
  like.data = data;
  like.dtype = dtype;
  int64_t stride = 1;
  for (int d = like.ndim - 1; d >= 0; stride *= like.sizes[d], --d) like.strides[d] = stride;
  return like;
}

// Another operator, planned and run here and now, with a workspace of its own if it wants one.
Status run_now(Team& team, Result<Launch> launch) {
  if (!launch.ok()) return std::move(launch.status());
  std::vector<std::byte> workspace(launch->workspace_bytes);
  TaskContext context{team, workspace.data()};
  return launch->task(context);
}

struct State : ScatterPlan {
  Way way;
  Cut sorted_cut;

  explicit State(const ScatterPlan& plan) : ScatterPlan(plan), way(choose_way(plan)) {
    if (way == Way::Sorted) sorted_cut = choose_cut(walk, [&](int d) { return varies(walk, d); });
  }

  size_t workspace_bytes() const {
    if (way == Way::Mirrored) return static_cast<size_t>(target.numel() + source.numel()) * sizeof(float);
    if (way == Way::Direct) return 0;
    // A part's last step may reach past the end.
    int64_t room = only(walk, true).numel();
    if (sorted_cut.dim >= 0) {
      const int64_t size = walk.sizes[sorted_cut.dim], step = sorted_cut.step;
      room = room / size * ((size + step - 1) / step * step);
    }
    return static_cast<size_t>(2 * room) * sizeof(ScatterEntry);
  }

  // In float32 beside the tensors: widen, add, round once.
  Status run_mirrored(TaskContext& context, BadIndex& bad) const {
    const TensorView wide_target = contiguous_at(target, DType::Float32, context.workspace);
    const TensorView wide_source = contiguous_at(source, DType::Float32, wide_target.as<float>() + target.numel());
    if (Status s = run_now(context.team, copy(target, wide_target)); !s.ok()) return s;
    if (Status s = run_now(context.team, copy(source, wide_source)); !s.ok()) return s;
    ReduceRuns wide = how;
    wide.dtype = DType::Float32;
    bad = run_direct(context.team, *this, rebuild(wide_target, wide_source), wide);
    return bad.found ? Status{} : run_now(context.team, copy(wide_target, target));
  }

  Status run(TaskContext& context) const {
    static constexpr ElementBytes kZero{};
    auto run_box = [&](CopyBox box, bool zero) {
      if (zero) box.from = reinterpret_cast<const char*>(kZero.data());
      if (box.numel() > 0) ops::run(context.team, {&box, 1});
    };
    if (before) run_box(*before, zero_before);
    if (walk.numel() == 0) return {};
    IndexWalk writing = walk;
    if (value) writing.plain = const_cast<char*>(reinterpret_cast<const char*>(value->data()));
    ReduceRuns reduction = how;
    reduction.alpha = alpha ? alpha->data() : nullptr;
    auto* entries = static_cast<ScatterEntry*>(context.workspace);
    BadIndex bad;
    if (way == Way::Mirrored) {
      if (Status s = run_mirrored(context, bad); !s.ok()) return s;
    } else {
      bad = way == Way::Direct    ? run_direct(context.team, *this, writing, reduction)
            : sorted_cut.dim >= 0 ? run_sorted_parts(context.team, writing, sorted_cut, reduction, entries)
                                  : run_sorted_whole(context.team, writing, reduction, entries);
    }
    if (bad.found) return index_status(op, bad, fault);
    if (zero_after) run_box(*zero_after, true);
    return {};
  }
};

}  // namespace

Launch scatter_launch(const ScatterPlan& plan) {
  auto state = std::make_unique<State>(plan);
  const int64_t n = plan.walk.numel();
  const int64_t points = state->way == Way::Sorted ? only(plan.walk, true).numel() : 0;
  // An element is read twice and written once; a point that is sorted costs about 30 ns more.
  const float us = copy_us(3 * n * plan.walk.element_bytes) + static_cast<float>(points) * 0.03f +
                   (plan.before ? copy_us(2 * plan.before->numel() * plan.walk.element_bytes) : 0);
  const size_t workspace_bytes = state->workspace_bytes();
  Task task(plan.op, us, [state = std::move(state)](TaskContext& context) { return state->run(context); });
  return {std::move(task), workspace_bytes};
}

}  // namespace cann::ops
