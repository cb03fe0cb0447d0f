// Destinations of a walk differ along every dimension that moves `indexed` (a dimension that an index replaced does
// not). So a walk cut along such a dimension gives each chunk its own destinations, and each chunk visits its points in
// order: the same bits for any number of threads. Without such a dimension one thread writes (1-d scatter; advanced
// indexing of single elements).
#include "cann/ops/scatter_walk.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace cann::ops {

namespace {

using kernels::ReduceRuns;
using kernels::ScatterEntry;

constexpr int64_t kChunkElements = 16 * 1024;

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
    if (walk.indexed_strides[d] == 0 || !among(d)) continue;
    // Two cores must not share a cache line of a row.
    const int64_t least =
        walk.indexed_strides[d] < 64 ? std::max<int64_t>(1, 64 / std::max<int64_t>(1, walk.indexed_strides[d])) : 1;
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

BadIndex run_direct(Team& team, const ScatterPlan& plan, const IndexWalk& walk, const ReduceRuns& how) {
  BadIndices bad;
  for_parts(team, walk, choose_cut(walk, [](int) { return true; }), [&](const IndexWalk& part, int64_t) {
    const BadIndex found = plan.assign ? kernels::scatter().assign(part)
                                       : kernels::scatter().combine(part, how.combine, how.dtype, how.alpha);
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

// One sort; then runs, and stretches of their slices, side by side.
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
  const Cut cut = choose_cut(walk, [&](int d) { return !varies(walk, d); });
  // Runs of one index may be long: where slices can be cut they are, and otherwise runs are shared out.
  if (cut.dim >= 0) {
    for_parts(team, walk, cut, [&](const IndexWalk& part, int64_t) {
      const IndexWalk stretch = only(part, false);
      kernel.reduce_runs(stretch, sorted, n, 0, n, how);
    });
  } else {
    const int64_t grain = std::max<int64_t>(1, kChunkElements / slice.numel());
    team.for_ranges(n, grain,
                    [&](int64_t begin, int64_t end) { kernel.reduce_runs(slice, sorted, n, begin, end, how); });
  }
  return bad.worst();
}

bool needs_sorting(const ScatterPlan& plan) {
  if (plan.assign) return false;
  if (plan.how.mean || !plan.how.include_self) return true;
  // A minimum or maximum of half types is exact step by step.
  const bool rounds = plan.how.combine == kernels::Combine::Add || plan.how.combine == kernels::Combine::Multiply;
  return is_half(plan.how.dtype) && rounds;
}

struct State : ScatterPlan {
  bool sorted;
  Cut sorted_cut;

  explicit State(const ScatterPlan& plan) : ScatterPlan(plan), sorted(needs_sorting(plan)) {
    if (sorted) sorted_cut = choose_cut(walk, [&](int d) { return varies(walk, d); });
  }

  Status run(TaskContext& context) const {
    static constexpr ElementBytes kZero{};
    if (before) {
      CopyBox box = *before;
      if (zero_before) box.from = reinterpret_cast<const char*>(kZero.data());
      if (box.numel() > 0) ops::run(context.team, {&box, 1});
    }
    if (walk.numel() == 0) return {};
    IndexWalk writing = walk;
    if (value) writing.plain = const_cast<char*>(reinterpret_cast<const char*>(value->data()));
    ReduceRuns reduction = how;
    reduction.alpha = alpha ? alpha->data() : nullptr;
    auto* entries = static_cast<ScatterEntry*>(context.workspace);
    const BadIndex bad = !sorted               ? run_direct(context.team, *this, writing, reduction)
                         : sorted_cut.dim >= 0 ? run_sorted_parts(context.team, writing, sorted_cut, reduction, entries)
                                               : run_sorted_whole(context.team, writing, reduction, entries);
    if (bad.found) return index_status(op, bad, fault);
    if (zero_after) {
      CopyBox box = *zero_after;
      box.from = reinterpret_cast<const char*>(kZero.data());
      if (box.numel() > 0) ops::run(context.team, {&box, 1});
    }
    return {};
  }
};

}  // namespace

Launch scatter_launch(const ScatterPlan& plan) {
  auto state = std::make_unique<State>(plan);
  const int64_t n = plan.walk.numel();
  const int64_t points = n == 0 || !state->sorted ? 0 : only(plan.walk, true).numel();
  // An element is read twice and written once; a point that is sorted costs about 30 ns more.
  const float us = copy_us(3 * n * plan.walk.element_bytes) + static_cast<float>(points) * 0.03f +
                   (plan.before ? copy_us(2 * plan.before->numel() * plan.walk.element_bytes) : 0);
  // A part's last step may reach past the end: one step more than the points is room enough.
  int64_t room = points;
  if (points > 0 && state->sorted_cut.dim >= 0) {
    const int64_t size = plan.walk.sizes[state->sorted_cut.dim], step = state->sorted_cut.step;
    room = points / size * ((size + step - 1) / step * step);
  }
  Task task(plan.op, us, [state = std::move(state)](TaskContext& context) { return state->run(context); });
  return {std::move(task), static_cast<size_t>(2 * room) * sizeof(ScatterEntry)};
}

}  // namespace cann::ops
