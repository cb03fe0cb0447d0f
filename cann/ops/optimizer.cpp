// See the header. A Task holds the list of parameters on the heap and walks them chunk by chunk.
#include "cann/ops/optimizer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cann/kernels/optimizer/optimizer.h"
#include "cann/kernels/pointwise/pointwise.h"

namespace cann::ops {
namespace {

constexpr int64_t kGrain = 16384;
constexpr int64_t kTile = kernels::kTile;
constexpr int kMaxRoles = 5;

// One parameter with its gradient and state: operand 0 is the parameter, 1 the gradient. The gradient is only read.
struct Group {
  char* data[kMaxRoles];
  DType type[kMaxRoles];
  int64_t n;
};

// One tensor's elements lie dense; `like` is the parameter whose order they share.
bool lies_like(const TensorView& t, const TensorView& like) {
  if (!same_shape(t, like)) return false;
  if (t.is_contiguous() && like.is_contiguous()) return true;
  int64_t extent = 1;
  for (int d = 0; d < t.ndim; ++d) {
    if (t.sizes[d] == 1) continue;
    if (t.strides[d] != like.strides[d] || t.strides[d] == 0) return false;
    extent += (t.sizes[d] - 1) * t.strides[d];
  }
  return extent == t.numel();
}

Result<std::vector<Group>> group(const char* name, std::initializer_list<TensorList> roles) {
  const TensorList params = *roles.begin();
  std::vector<Group> groups(params.size());
  int role = 0;
  for (const TensorList& list : roles) {
    if (!list.empty() && list.size() != params.size())
      return bad_parameter(std::string(name) + ": list " + std::to_string(role) + " has " +
                           std::to_string(list.size()) + " tensors, needs " + std::to_string(params.size()));
    for (size_t i = 0; i < params.size(); ++i) {
      const TensorView* t = list.empty() ? nullptr : list[i];
      groups[i].data[role] = t ? static_cast<char*>(t->data) : nullptr;
      groups[i].type[role] = t ? t->dtype : DType::Undefined;
      if (!t) continue;
      if (!is_floating(t->dtype))
        return bad_parameter(std::string(name) + ": " + describe(*t) + ": needs a floating type");
      if (!lies_like(*t, *params[i]))
        return bad_parameter(std::string(name) + ": " + describe(*t) + " does not lie in memory as its parameter " +
                             describe(*params[i]));
      groups[i].n = t->numel();
    }
    ++role;
  }
  return groups;
}

double read_number(const TensorView& t) {
  double value = 0;
  kernels::pointwise().convert(t.dtype, DType::Float64)(&value, t.data, 1);
  return value;
}

// Calls body(pointers, count) over tiles of a group in type T; what is stored otherwise is converted on the way in and
// out.
template <class T, class Body>
void walk(const Group& g, int roles, int64_t begin, int64_t end, Body&& body) {
  constexpr DType kType = sizeof(T) == 8 ? DType::Float64 : DType::Float32;
  const kernels::PointwiseKernels& table = kernels::pointwise();
  alignas(64) T tiles[kMaxRoles][kTile];
  bool converts = false;
  for (int r = 0; r < roles; ++r) converts = converts || (g.data[r] && g.type[r] != kType);
  const int64_t step = converts ? kTile : end - begin;
  for (int64_t at = begin; at < end; at += step) {
    const int64_t count = std::min(step, end - at);
    T* pointers[kMaxRoles] = {};
    for (int r = 0; r < roles; ++r) {
      if (!g.data[r]) continue;
      char* stored = g.data[r] + at * size_of(g.type[r]);
      pointers[r] = g.type[r] == kType ? reinterpret_cast<T*>(stored) : tiles[r];
      if (g.type[r] != kType) table.convert(g.type[r], kType)(tiles[r], stored, count);
    }
    body(pointers, count);
    for (int r = 0; r < roles; ++r) {
      if (r == 1 || !g.data[r] || g.type[r] == kType) continue;
      table.convert(kType, g.type[r])(g.data[r] + at * size_of(g.type[r]), tiles[r], count);
    }
  }
}

// Pieces of at most kGrain elements over all groups: big parameters are shared out, small ones are not.
struct Piece {
  size_t group;
  int64_t begin, end;
};
std::vector<Piece> cut(const std::vector<Group>& groups) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < groups.size(); ++i)
    for (int64_t at = 0; at < groups[i].n; at += kGrain) pieces.push_back({i, at, std::min(groups[i].n, at + kGrain)});
  return pieces;
}

float estimate_us(const std::vector<Group>& groups, float bytes_each) {
  int64_t n = 0;
  for (const Group& g : groups) n += g.n;
  return static_cast<float>(n) * bytes_each / 8e3f;
}

}  // namespace

Result<Launch> fused_adam(TensorList params, TensorList grads, TensorList moments, TensorList second_moments,
                          TensorList max_second_moments, TensorList steps, const TensorView* grad_scale,
                          const TensorView* found_inf, const AdamOptions& options) {
  if (!options.amsgrad) max_second_moments = {};
  ASSIGN_OR_RETURN(std::vector<Group> groups,
                   group("fused_adam", {params, grads, moments, second_moments, max_second_moments}));
  if (steps.size() != params.size()) return bad_parameter("fused_adam: needs a step for each parameter");
  std::vector<TensorView> step_views;
  for (const TensorView* s : steps) step_views.push_back(*s);
  const TensorView none{};
  auto body = [groups, pieces = cut(groups), step_views, options, scale = grad_scale ? *grad_scale : none,
               inf = found_inf ? *found_inf : none](TaskContext& context) {
    if (inf.data && read_number(inf) != 0) return;
    const double divisor = scale.data ? read_number(scale) : 1;
    context.team.for_ranges(static_cast<int64_t>(pieces.size()), 1, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        const Piece& piece = pieces[k];
        const Group& g = groups[piece.group];
        const double t = read_number(step_views[piece.group]);
        const kernels::AdamStep step{options.lr,
                                     options.beta1,
                                     options.beta2,
                                     options.weight_decay,
                                     options.eps,
                                     options.lr / (1 - std::pow(options.beta1, t)),
                                     std::sqrt(1 - std::pow(options.beta2, t)),
                                     divisor,
                                     options.decoupled,
                                     options.amsgrad,
                                     options.maximize};
        auto run = [&](auto* const* p, int64_t count, const auto& table) {
          table.adam(p[0], p[1], p[2], p[3], p[4], count, step);
        };
        if (g.type[0] == DType::Float64)
          walk<double>(g, 5, piece.begin, piece.end,
                       [&](double* const* p, int64_t count) { run(p, count, kernels::optimizer().f64); });
        else
          walk<float>(g, 5, piece.begin, piece.end,
                      [&](float* const* p, int64_t count) { run(p, count, kernels::optimizer().f32); });
      }
    });
  };
  return Launch{Task("fused_adam", estimate_us(groups, 28), std::move(body))};
}

Result<Launch> apply_adamw(const TensorView& param, const TensorView& moment, const TensorView& second_moment,
                           const TensorView* max_second_moment, const TensorView& grad, const TensorView& step,
                           const AdamOptions& options) {
  const TensorView *p = &param, *g = &grad, *m = &moment, *v = &second_moment, *s = &step;
  if (options.amsgrad && !max_second_moment)
    return bad_parameter("apply_adamw: amsgrad needs the largest second moment");
  const TensorList largest = options.amsgrad ? TensorList(&max_second_moment, 1) : TensorList();
  return fused_adam({&p, 1}, {&g, 1}, {&m, 1}, {&v, 1}, largest, {&s, 1}, nullptr, nullptr, options);
}

Result<Launch> fused_sgd(TensorList params, TensorList grads, TensorList momentum_buffers, const TensorView* grad_scale,
                         const TensorView* found_inf, const SgdOptions& options) {
  if (options.momentum == 0)
    momentum_buffers = {};
  else if (momentum_buffers.empty())
    return bad_parameter("fused_sgd: momentum needs its buffers");
  ASSIGN_OR_RETURN(std::vector<Group> groups, group("fused_sgd", {params, grads, momentum_buffers}));
  const TensorView none{};
  auto body = [groups, pieces = cut(groups), options, scale = grad_scale ? *grad_scale : none,
               inf = found_inf ? *found_inf : none](TaskContext& context) {
    if (inf.data && read_number(inf) != 0) return;
    const kernels::SgdStep step{options.lr,
                                options.momentum,
                                options.dampening,
                                options.weight_decay,
                                scale.data ? read_number(scale) : 1,
                                options.nesterov,
                                options.maximize,
                                options.first_step};
    context.team.for_ranges(static_cast<int64_t>(pieces.size()), 1, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        const Group& g = groups[pieces[k].group];
        auto run = [&](auto* const* p, int64_t count, const auto& table) { table.sgd(p[0], p[1], p[2], count, step); };
        if (g.type[0] == DType::Float64)
          walk<double>(g, 3, pieces[k].begin, pieces[k].end,
                       [&](double* const* p, int64_t n) { run(p, n, kernels::optimizer().f64); });
        else
          walk<float>(g, 3, pieces[k].begin, pieces[k].end,
                      [&](float* const* p, int64_t n) { run(p, n, kernels::optimizer().f32); });
      }
    });
  };
  return Launch{Task("fused_sgd", estimate_us(groups, 16), std::move(body))};
}

Result<Launch> fused_adagrad(TensorList params, TensorList grads, TensorList square_sums, TensorList steps,
                             const TensorView* grad_scale, const TensorView* found_inf, const AdagradOptions& options) {
  ASSIGN_OR_RETURN(std::vector<Group> groups, group("fused_adagrad", {params, grads, square_sums}));
  if (steps.size() != params.size()) return bad_parameter("fused_adagrad: needs a step for each parameter");
  std::vector<TensorView> step_views;
  for (const TensorView* s : steps) step_views.push_back(*s);
  const TensorView none{};
  auto body = [groups, pieces = cut(groups), step_views, options, scale = grad_scale ? *grad_scale : none,
               inf = found_inf ? *found_inf : none](TaskContext& context) {
    if (inf.data && read_number(inf) != 0) return;
    const double divisor = scale.data ? read_number(scale) : 1;
    context.team.for_ranges(static_cast<int64_t>(pieces.size()), 1, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        const Piece& piece = pieces[k];
        const Group& g = groups[piece.group];
        const double t = read_number(step_views[piece.group]);
        const kernels::AdagradStep step{options.lr / (1 + (t - 1) * options.lr_decay), options.weight_decay,
                                        options.eps, divisor, options.maximize};
        if (g.type[0] == DType::Float64)
          walk<double>(g, 3, piece.begin, piece.end, [&](double* const* p, int64_t n) {
            kernels::optimizer().f64.adagrad(p[0], p[1], p[2], n, step);
          });
        else
          walk<float>(g, 3, piece.begin, piece.end,
                      [&](float* const* p, int64_t n) { kernels::optimizer().f32.adagrad(p[0], p[1], p[2], n, step); });
      }
    });
  };
  return Launch{Task("fused_adagrad", estimate_us(groups, 20), std::move(body))};
}

Result<Launch> check_and_unscale(TensorList grads, const TensorView& found_inf, const TensorView& inv_scale) {
  if (found_inf.dtype != DType::Float32 || found_inf.numel() != 1)
    return bad_parameter("check_and_unscale: found_inf " + describe(found_inf) + ": needs one float32");
  ASSIGN_OR_RETURN(std::vector<Group> groups, group("check_and_unscale", {grads}));
  auto body = [groups, pieces = cut(groups), found = static_cast<float*>(found_inf.data),
               inv_scale](TaskContext& context) {
    const double factor = read_number(inv_scale);
    context.team.for_ranges(static_cast<int64_t>(pieces.size()), 1, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        const Group& g = groups[pieces[k].group];
        bool bad = false;
        if (g.type[0] == DType::Float64)
          walk<double>(g, 1, pieces[k].begin, pieces[k].end,
                       [&](double* const* p, int64_t n) { bad |= kernels::optimizer().f64.unscale(p[0], n, factor); });
        else
          walk<float>(g, 1, pieces[k].begin, pieces[k].end, [&](float* const* p, int64_t n) {
            bad |= kernels::optimizer().f32.unscale(p[0], n, static_cast<float>(factor));
          });
        if (bad)
          __atomic_store_n(reinterpret_cast<uint32_t*>(found), 0x3f800000u,
                           __ATOMIC_RELAXED);  // 1.0f; any thread may say so
      }
    });
  };
  return Launch{Task("check_and_unscale", estimate_us(groups, 8), std::move(body))};
}

Result<Launch> update_scale(const TensorView& scale, const TensorView& growth_tracker, const TensorView& found_inf,
                            double growth, double backoff, int64_t interval, const TensorView& scale_out,
                            const TensorView& tracker_out) {
  if (scale.dtype != DType::Float32 || growth_tracker.dtype != DType::Int32 || found_inf.dtype != DType::Float32)
    return bad_parameter("update_scale: scale " + describe(scale) + ", growth tracker " + describe(growth_tracker) +
                         ", found_inf " + describe(found_inf) + ": need float32, int32, float32");
  auto body = [=](TaskContext&) {
    float s = *scale.as<float>();
    int32_t good = *growth_tracker.as<int32_t>();
    if (*found_inf.as<float>() != 0) {
      s = static_cast<float>(s * backoff);
      good = 0;
    } else if (++good == interval) {
      const float grown = static_cast<float>(s * growth);
      if (std::isfinite(grown)) s = grown;  // the scale never grows past float32
      good = 0;
    }
    *scale_out.as<float>() = s;
    *tracker_out.as<int32_t>() = good;
  };
  return Launch{Task("update_scale", 0.1f, body)};
}

}  // namespace cann::ops
