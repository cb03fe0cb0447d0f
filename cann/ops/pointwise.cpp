// Checks and plans for the pointwise family; see the header. The walk itself stands in pointwise_plan.cpp.
#include "cann/ops/pointwise.h"

#include <algorithm>
#include <type_traits>

#include "cann/ops/estimate.h"
#include "cann/ops/pointwise_plan.h"

namespace cann::ops {

using kernels::compute_type;
using kernels::info;

namespace {

// Work for a thread to be worth waking: about 8 us of it.
constexpr int64_t kGrainCost = 32768;

// Terms of a sum that one chunk adds up.
constexpr int64_t kPiece = 8192;

Status no_such_type(Op op, DType compute) {
  return bad_parameter(std::string(info(op).name) + ": not implemented for " + name_of(compute));
}

Status does_not_broadcast(Op op, int k, const TensorView& operand, const TensorView& out) {
  return bad_parameter(std::string(info(op).name) + ": operand " + std::to_string(k) + " " + describe(operand) +
                       " does not broadcast to out " + describe(out));
}

// Fills what does not depend on strides. Operand 0 is the output.
Status make_head(PlanHead& head, Op op, std::initializer_list<Operand> operands, const TensorView& out, DType compute,
                 const Params& params, int used_params) {
  const kernels::PointwiseKernels& table = kernels::pointwise();
  const bool copies = op == Op::Copy;
  head.tile = copies ? nullptr : table.find(op, compute);
  if (!copies && !head.tile) return no_such_type(op, compute);
  head.numel = out.numel();
  head.operands = static_cast<int32_t>(operands.size()) + 1;
  head.params = params;
  head.grain = kernels::kTile;
  if (head.numel > kernels::kTile) {  // small tensors need no division
    const int64_t weight = info(op).cost * (compute == DType::Float64 || is_complex(compute) ? 4 : 1);
    head.grain = std::max<int64_t>(kernels::kTile, kGrainCost / weight);
  }

  const DType result = copies ? compute : kernels::result_type(op, compute);
  head.operand[0] = {static_cast<char*>(out.data),
                     result == out.dtype ? nullptr : table.convert(result, out.dtype),
                     static_cast<int8_t>(size_of(out.dtype)),
                     static_cast<int8_t>(size_of(result)),
                     -1,
                     false};
  if (result != out.dtype && !head.operand[0].convert) return no_such_type(op, out.dtype);
  int k = 1;
  for (const Operand& operand : operands) {
    const DType wanted = kernels::operand_type(op, k - 1, compute);
    const auto tile_bytes = static_cast<int8_t>(size_of(wanted));
    PlanOperand& to = head.operand[k++];
    if (operand.scalar) {
      to = {nullptr, nullptr, tile_bytes, tile_bytes, static_cast<int8_t>(used_params), true};
      head.params.set(used_params++, *operand.scalar, wanted);
      continue;
    }
    const TensorView& t = *operand.tensor;
    to = {static_cast<char*>(t.data),
          t.dtype == wanted ? nullptr : table.convert(t.dtype, wanted),
          static_cast<int8_t>(size_of(t.dtype)),
          tile_bytes,
          -1,
          false};
    if (t.dtype != wanted && !to.convert) return no_such_type(op, t.dtype);
  }
  return {};
}

// True if one flat loop serves: every operand is a scalar, has one element, or lies in memory as the output does.
bool is_linear(PlanHead& head, std::initializer_list<Operand> operands, const TensorView& out) {
  bool dense = out.is_contiguous();
  bool same = true;
  int k = 1;
  for (const Operand& operand : operands) {
    PlanOperand& to = head.operand[k++];
    if (!operand.tensor) continue;
    const TensorView& t = *operand.tensor;
    if (t.ndim == 0 || (head.numel != 1 && t.numel() == 1)) {
      to.uniform = true;
      continue;
    }
    if (!same_shape(t, out)) return false;
    dense = dense && t.is_contiguous();
    for (int d = 0; d < out.ndim; ++d) same = same && (t.strides[d] == out.strides[d] || out.sizes[d] == 1);
  }
  if (dense) return true;
  // A permuted but gapless layout that all share (channels last) is one flat loop, too.
  if (!same) return false;
  int64_t extent = 1;
  for (int d = 0; d < out.ndim; ++d) {
    if (out.sizes[d] != 1 && out.strides[d] == 0) return false;
    extent += (out.sizes[d] - 1) * out.strides[d];
  }
  return extent == head.numel;
}

using Nest = StridedPlan<kMaxDims>;

bool may_merge(const Nest& nest, int outer, int inner) {
  for (int k = 0; k < nest.operands; ++k)
    if (nest.strides[k][outer] != nest.strides[k][inner] * nest.sizes[inner]) return false;
  return true;
}

void swap_dims(Nest& nest, int a, int b) {
  std::swap(nest.sizes[a], nest.sizes[b]);
  for (int k = 0; k < nest.operands; ++k) std::swap(nest.strides[k][a], nest.strides[k][b]);
}

// True if dimension a should lie outside b: the first operand that tells them apart decides, the output first of all.
bool belongs_outside(const Nest& nest, int a, int b) {
  for (int k = 0; k < nest.operands; ++k) {
    const int64_t sa = nest.strides[k][a], sb = nest.strides[k][b];
    if (sa == 0 || sb == 0 || sa == sb) continue;
    return sa > sb;
  }
  return true;
}

// Broadcast strides in bytes, without dimensions of size 1.
Status fill_nest(Nest& nest, Op op, std::initializer_list<Operand> operands, const TensorView& out) {
  nest.ndim = 0;
  for (int d = 0; d < out.ndim; ++d) {
    if (out.sizes[d] == 1) continue;
    const int at = nest.ndim++;
    nest.sizes[at] = out.sizes[d];
    nest.strides[0][at] = out.strides[d] * nest.operand[0].item_bytes;
    int k = 1;
    for (const Operand& operand : operands) {
      nest.strides[k][at] = 0;
      if (operand.tensor) {
        const TensorView& t = *operand.tensor;
        const int own = d - (out.ndim - t.ndim);
        if (own >= 0 && t.sizes[own] != 1) {
          if (t.sizes[own] != out.sizes[d]) return does_not_broadcast(op, k, t, out);
          nest.strides[k][at] = t.strides[own] * nest.operand[k].item_bytes;
        }
      }
      ++k;
    }
  }
  return {};
}

Status check_broadcast(Op op, std::initializer_list<Operand> operands, const TensorView& out) {
  int k = 0;
  for (const Operand& operand : operands) {
    ++k;
    if (!operand.tensor) continue;
    const TensorView& t = *operand.tensor;
    const int lead = out.ndim - t.ndim;
    for (int d = 0; d < t.ndim; ++d) {
      const int64_t wanted = d + lead >= 0 ? out.sizes[d + lead] : 1;
      if (t.sizes[d] != 1 && t.sizes[d] != wanted) return does_not_broadcast(op, k, t, out);
    }
  }
  return {};
}

void order_and_merge(Nest& nest) {
  for (int d = 1; d < nest.ndim; ++d)  // insertion sort: at most 8 dimensions, mostly in order already
    for (int i = d; i > 0 && !belongs_outside(nest, i - 1, i); --i) swap_dims(nest, i - 1, i);
  int kept = 0;
  for (int d = 1; d < nest.ndim; ++d) {
    if (may_merge(nest, kept, d)) {
      nest.sizes[kept] *= nest.sizes[d];
      for (int k = 0; k < nest.operands; ++k) nest.strides[k][kept] = nest.strides[k][d];
    } else if (++kept != d) {
      nest.sizes[kept] = nest.sizes[d];
      for (int k = 0; k < nest.operands; ++k) nest.strides[k][kept] = nest.strides[k][d];
    }
  }
  nest.ndim = nest.ndim == 0 ? 0 : kept + 1;
  while (nest.ndim < 2) {  // the walk wants two dimensions
    for (int d = nest.ndim; d > 0; --d) {
      nest.sizes[d] = nest.sizes[d - 1];
      for (int k = 0; k < nest.operands; ++k) nest.strides[k][d] = nest.strides[k][d - 1];
    }
    nest.sizes[0] = 1;
    for (int k = 0; k < nest.operands; ++k) nest.strides[k][0] = 0;
    ++nest.ndim;
  }
}

// An operand that runs along another dimension than the innermost (a transposed one): bring that dimension next to it
// and make tiles square, so that its cache lines are used whole too. Else tiles are rows: long ones where nothing has
// to be staged.
void choose_tile(Nest& nest) {
  const int inner = nest.ndim - 1;
  bool staged = false;
  for (int k = 0; k < nest.operands; ++k) {
    const PlanOperand& o = nest.operand[k];
    staged = staged || o.convert || (nest.strides[k][inner] != o.item_bytes);
    if (nest.strides[k][inner] == o.item_bytes || nest.strides[k][inner] == 0) continue;
    for (int d = 0; d < inner; ++d) {
      if (nest.strides[k][d] != o.item_bytes || nest.sizes[d] < 4 || nest.sizes[inner] < 4) continue;
      for (int i = d; i + 1 < inner; ++i) swap_dims(nest, i, i + 1);
      nest.tile_cols = std::min<int64_t>(nest.sizes[inner], 32);
      nest.tile_rows = std::min(nest.sizes[inner - 1], kernels::kTile / nest.tile_cols);
      return;
    }
  }
  const int64_t cols = nest.sizes[inner], rows = nest.sizes[inner - 1];
  nest.tile_cols = staged || !nest.tile ? std::min(cols, kernels::kTile) : std::min(cols, nest.grain);
  nest.tile_rows = 1;
  // Short rows: several make a tile, which costs a copy and saves the calls.
  if (cols < 64) nest.tile_rows = std::min(rows, std::max<int64_t>(1, kernels::kTile / cols));
}

// On one core. Arithmetic and memory go on at once; what has to be converted, gathered or scattered is arithmetic, too.
float estimate_us(const PlanHead& head, Op op, DType compute, bool strided) {
  int64_t bytes = 0;
  float ns = 0.1f * static_cast<float>(info(op).cost);
  if (compute == DType::Float64 || is_complex(compute)) ns *= 4;
  for (int k = 0; k < head.operands; ++k) {
    if (head.operand[k].uniform) continue;
    bytes += head.operand[k].item_bytes;
    if (head.operand[k].convert) ns += 0.05f;
    if (strided) ns += 0.3f;
  }
  return std::max(memory_us(head.numel * bytes), static_cast<float>(head.numel) * ns * 1e-3f);
}

template <int kDims>
StridedPlan<kDims> shrink(const Nest& nest) {
  StridedPlan<kDims> plan;
  static_cast<PlanHead&>(plan) = nest;
  plan.ndim = nest.ndim;
  plan.tile_rows = nest.tile_rows;
  plan.tile_cols = nest.tile_cols;
  for (int d = 0; d < nest.ndim; ++d) {
    plan.sizes[d] = nest.sizes[d];
    for (int k = 0; k < nest.operands; ++k) plan.strides[k][d] = nest.strides[k][d];
  }
  return plan;
}

template <class Plan>
Launch launch_of(const Plan& plan, Op op, DType compute) {
  return {Task(info(op).name, estimate_us(plan, op, compute, !std::is_same_v<Plan, LinearPlan>), plan)};
}

// Plans the walk and gives it to make(plan), which returns a Launch.
template <class Make>
Result<Launch> plan_walk(Op op, std::initializer_list<Operand> operands, const TensorView& out, DType compute,
                         const Params& params, int used_params, Make&& make) {
  LinearPlan flat;
  RETURN_IF_ERROR(make_head(flat, op, operands, out, compute, params, used_params));
  if (is_linear(flat, operands, out)) return make(flat);  // which implies that all broadcast
  RETURN_IF_ERROR(check_broadcast(op, operands, out));
  if (flat.numel == 0) return make(flat);
  Nest nest;
  static_cast<PlanHead&>(nest) = flat;
  RETURN_IF_ERROR(fill_nest(nest, op, operands, out));
  order_and_merge(nest);
  choose_tile(nest);
  if (nest.ndim <= 4) return make(shrink<4>(nest));
  return make(nest);
}

// The shape that the operands broadcast to, contiguous and without data.
Result<TensorView> broadcast_of(Op op, std::initializer_list<Operand> operands, DType type) {
  TensorView shape;
  shape.dtype = type;
  for (const Operand& operand : operands) {
    if (!operand.tensor) continue;
    const TensorView& t = *operand.tensor;
    if (t.ndim > shape.ndim) {
      const int lead = t.ndim - shape.ndim;
      std::copy_backward(shape.sizes, shape.sizes + shape.ndim, shape.sizes + t.ndim);
      std::fill(shape.sizes, shape.sizes + lead, 1);
      shape.ndim = t.ndim;
    }
    for (int d = 0; d < t.ndim; ++d) {
      int64_t& size = shape.sizes[d + shape.ndim - t.ndim];
      if (size == 1) size = t.sizes[d];
    }
  }
  int64_t stride = 1;
  for (int d = shape.ndim - 1; d >= 0; --d) {
    shape.strides[d] = stride;
    stride *= shape.sizes[d];
  }
  RETURN_IF_ERROR(check_broadcast(op, operands, shape));
  return shape;
}

}  // namespace

Result<Launch> pointwise(Op op, std::initializer_list<Operand> operands, const TensorView& out, DType compute,
                         const Params& params, int used_params) {
  if (op != Op::Copy) compute = compute_type(compute);
  return plan_walk(op, operands, out, compute, params, used_params,
                   [&](const auto& plan) { return launch_of(plan, op, compute); });
}

Result<Launch> pointwise_sum(Op op, std::initializer_list<Operand> operands, double scale, const TensorView& out,
                             DType compute, const Params& params, int used_params) {
  compute = compute_type(compute);
  ASSIGN_OR_RETURN(const TensorView terms, broadcast_of(op, operands, compute));
  const int64_t n = terms.numel(), item = size_of(compute);

  const int64_t pieces = (n + kPiece - 1) / kPiece, terms_bytes = (n * item + 63) / 64 * 64;
  const auto narrow = kernels::pointwise().convert(DType::Float64, out.dtype);
  if (!narrow || out.numel() != 1)
    return bad_parameter(std::string(info(op).name) + ": out " + describe(out) + ": needs one number");
  // The terms go to the workspace, then sums of fixed pieces of them, so that bits do not depend on the number of
  // threads.
  return plan_walk(op, operands, terms, compute, params, used_params, [&](const auto& plan) {
    auto body = [plan, n, item, pieces, terms_bytes, scale, narrow, compute, to = out.data](TaskContext& context) {
      auto walk = plan;
      walk.operand[0].data = static_cast<char*>(context.workspace);
      walk.run(context.team);
      double* sums = reinterpret_cast<double*>(walk.operand[0].data + terms_bytes);
      context.team.for_ranges(pieces, 8, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p)
          sums[p] = kernels::pointwise().sum(walk.operand[0].data + p * kPiece * item, std::min(kPiece, n - p * kPiece),
                                             compute);
      });
      double total = 0;
      for (int64_t p = 0; p < pieces; ++p) total += sums[p];
      total *= scale;
      narrow(to, &total, 1);
    };
    Launch launch{Task(info(op).name, estimate_us(plan, op, compute, false), body)};
    launch.workspace_bytes = static_cast<size_t>(terms_bytes + pieces * 8 + 64);
    return launch;
  });
}

Launch sequence(const char* name, Launch first, Launch second) {
  struct Both {
    Task first, second;
    size_t offset;
    Status operator()(TaskContext& context) {
      RETURN_IF_ERROR(first(context));
      TaskContext rest{context.team, static_cast<char*>(context.workspace) + offset};
      return second(rest);
    }
  };
  const size_t offset = (first.workspace_bytes + 63) / 64 * 64, bytes = offset + second.workspace_bytes;
  const float us = first.task.estimated_us() + second.task.estimated_us();
  return {Task(name, us, Both{std::move(first.task), std::move(second.task), offset}), bytes};
}

namespace {

bool is_one(const Scalar& s) { return s.to_complex() == std::complex<double>(1); }

Result<Launch> add_scaled(Op plain, Op scaled, const Operand& self, const Operand& other, const Scalar& alpha,
                          const TensorView& out) {
  if (is_one(alpha)) return same_type(plain, {self, other}, out);
  const DType type = common_type({self, other});
  if (is_integral(type) && !alpha.is_integral())
    return bad_parameter("For integral input tensors, argument alpha must not be a floating point number.");
  return same_type(scaled, {self, other}, out, {alpha});
}

}  // namespace

Result<Launch> add(Operand self, Operand other, const Scalar& alpha, const TensorView& out) {
  return add_scaled(Op::Add, Op::AddAlpha, self, other, alpha, out);
}

Result<Launch> sub(Operand self, Operand other, const Scalar& alpha, const TensorView& out) {
  return add_scaled(Op::Sub, Op::SubAlpha, self, other, alpha, out);
}

Result<Launch> copy(const TensorView& src, const TensorView& out) { return pointwise(Op::Copy, {src}, out, src.dtype); }

Result<Launch> fill(const TensorView& self, const Scalar& value) {
  return pointwise(Op::Copy, {value}, self, compute_type(self.dtype));
}

}  // namespace cann::ops
