#include "cann/ops/attention_call.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cann/ops/scratch.h"

namespace cann::ops {
namespace {

using kernels::AttentionGradient;
using kernels::AttentionHead;

constexpr double kMacsPerUs = 3e4;  // of one core, the softmax included
constexpr double kChunkUs = 40;

template <class T>
T* moved(T* data, int64_t elements, DType dtype) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return data ? reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) + elements * size_of(dtype)) : nullptr;
}

AttentionCall::Step step_of(const TensorView& t, int64_t group) { return {t.strides[0], t.strides[1] * group}; }

}  // namespace

AttentionHead AttentionCall::at(int64_t b, int64_t n) const {
  auto offset = [&](const Step& s) { return b * s.batch + n * s.head; };
  AttentionHead h = head;
  h.q = moved(h.q, offset(q), dtype);
  h.k = moved(h.k, offset(k), dtype);
  h.v = moved(h.v, offset(v), dtype);
  h.out = moved(h.out, offset(out), dtype);
  h.mask = moved(h.mask, offset(mask), h.mask_dtype);
  h.log_sum.data = moved(h.log_sum.data, offset(log_sum), DType::Float32);
  h.max.data = moved(h.max.data, offset(max), DType::Float32);
  h.sum.data = moved(h.sum.data, offset(sum), DType::Float32);
  return h;
}

Result<AttentionCall> attention_call(const TensorView& query, const TensorView& key, const TensorView& value,
                                     const TensorView* out, double scale) {
  auto refuse = [&](const char* why) {
    return bad_parameter("attention: query " + describe(query) + ", key " + describe(key) + ", value " +
                         describe(value) + ": " + why);
  };
  if (query.ndim != 4 || key.ndim != 4 || value.ndim != 4 || (out && out->ndim != 4))
    return refuse("four dimensions are needed");
  if (query.dtype != DType::Float32 && !is_half(query.dtype)) return refuse("float32 or a half type is needed");
  if (key.dtype != query.dtype || value.dtype != query.dtype || (out && out->dtype != query.dtype))
    return refuse("one dtype is needed");
  const int64_t heads = query.sizes[1], kv_heads = key.sizes[1];
  if (key.sizes[0] != query.sizes[0] || value.sizes[0] != query.sizes[0] || value.sizes[1] != kv_heads ||
      value.sizes[2] != key.sizes[2] || key.sizes[3] != query.sizes[3])
    return refuse("sizes must agree");
  if (kv_heads == 0 ? heads != 0 : heads % kv_heads != 0)
    return refuse("the number of heads must be a multiple of key's");
  if (out && (out->sizes[0] != query.sizes[0] || out->sizes[1] != heads || out->sizes[2] != query.sizes[2] ||
              out->sizes[3] != value.sizes[3]))
    return refuse("out does not have the result's shape");

  AttentionCall c;
  c.dtype = query.dtype;
  c.batch = query.sizes[0];
  c.kv_heads = kv_heads;
  AttentionHead& h = c.head;
  h.group = kv_heads ? heads / kv_heads : 0;
  h.queries = query.sizes[2];
  h.keys = key.sizes[2];
  h.head_dim = query.sizes[3];
  h.value_dim = value.sizes[3];
  h.q = query.data, h.q_head = query.strides[1], h.q_row = query.strides[2], h.q_col = query.strides[3];
  h.k = key.data, h.k_row = key.strides[2], h.k_col = key.strides[3];
  h.v = value.data, h.v_row = value.strides[2], h.v_col = value.strides[3];
  h.scale = static_cast<float>(scale);
  c.q = step_of(query, h.group);
  c.k = step_of(key, 1);
  c.v = step_of(value, 1);
  if (out) {
    h.out = out->data, h.out_head = out->strides[1], h.out_row = out->strides[2], h.out_col = out->strides[3];
    c.out = step_of(*out, h.group);
  }
  return c;
}

Status set_mask(AttentionCall& c, const TensorView& mask, bool true_keeps) {
  const int64_t wanted[4] = {c.batch, c.kv_heads * c.head.group, c.head.queries, c.head.keys};
  int64_t strides[4] = {};
  bool fits = mask.ndim <= 4;
  for (int from_end = 1; fits && from_end <= mask.ndim; ++from_end) {
    const int d = mask.ndim - from_end;
    if (mask.sizes[d] == wanted[4 - from_end])
      strides[4 - from_end] = mask.strides[d];
    else
      fits = mask.sizes[d] == 1;
  }
  const bool is_bool = mask.dtype == DType::Bool || mask.dtype == DType::UInt8;
  if (!fits || (!is_bool && mask.dtype != DType::Float32 && mask.dtype != c.dtype))
    return bad_parameter("attention: mask " + describe(mask) + ": must broadcast to " + to_string(wanted) +
                         ", as bool, float32 or the query's dtype");
  c.head.mask = mask.data;
  c.head.mask_dtype = mask.dtype;
  c.head.mask_kind = !is_bool     ? kernels::MaskKind::Additive
                     : true_keeps ? kernels::MaskKind::Keep
                                  : kernels::MaskKind::Drop;
  c.head.mask_head = strides[1], c.head.mask_row = strides[2], c.head.mask_col = strides[3];
  c.mask = {strides[0], strides[1] * c.head.group};
  return {};
}

Status set_row_values(const AttentionCall& c, const TensorView& view, kernels::RowValues& values,
                      AttentionCall::Step& step) {
  if (view.dtype != DType::Float32 || view.ndim < 3 || view.ndim > 4 || view.sizes[0] != c.batch ||
      view.sizes[1] != c.kv_heads * c.head.group || view.sizes[2] != c.head.queries ||
      (view.ndim == 4 && view.strides[3] != 1))
    return bad_parameter("attention: row values " + describe(view) + ": float32 [batch, heads, queries] is needed");
  values = {view.as<float>(), view.strides[1], view.strides[2], view.ndim == 4 ? static_cast<int>(view.sizes[3]) : 1};
  step = step_of(view, c.head.group);
  return {};
}

Result<Launch> launch_forward(const char* name, const AttentionCall& c) {
  const AttentionHead& h = c.head;
  const int64_t rows = h.group * h.queries;
  if (c.batch * c.kv_heads * rows == 0) return Launch{Task(name, 0, [](TaskContext&) {}), 0};
  if (std::optional<Launch> launch = launch_forward_with_matrix_units(name, c)) return std::move(*launch);
  const bool few = rows <= kernels::kFewQueries && h.v_col == 1;
  const int64_t blocks = few ? 1 : (rows + kernels::kQueryBlock - 1) / kernels::kQueryBlock;
  const int64_t items = c.batch * c.kv_heads * blocks;
  const double item_us =
      0.5 + static_cast<double>(rows) / blocks * h.keys * (h.head_dim + h.value_dim) / kMacsPerUs +
      (few ? static_cast<double>(h.keys) * (h.head_dim + h.value_dim) * size_of(c.dtype) / 1e4 : 0.0);
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kChunkUs / item_us));
  return Launch{Task(name, static_cast<float>(item_us * items),
                     [c, few, rows, blocks, items, grain](TaskContext& context) {
                       const AttentionHead& shape = c.head;
                       const size_t bytes = few ? kernels::few_queries_scratch_bytes(rows, shape.keys, shape.head_dim)
                                                : kernels::attention_scratch_bytes(shape.head_dim, shape.value_dim);
                       context.team.for_ranges(items, grain, [&](int64_t from, int64_t to) {
                         void* scratch = thread_scratch(bytes);
                         for (int64_t i = from; i < to; ++i) {
                           const AttentionHead h = c.at(i / blocks / c.kv_heads, i / blocks % c.kv_heads);
                           const int64_t begin = i % blocks * kernels::kQueryBlock;
                           if (few)
                             kernels::attention().few_queries(c.dtype, h, scratch);
                           else
                             kernels::attention().forward(c.dtype, h, begin,
                                                          std::min(begin + kernels::kQueryBlock, rows), scratch);
                         }
                       });
                     }),
                0};
}

Result<Launch> launch_backward(const char* name, const AttentionCall& c, const GradientViews& views) {
  const AttentionHead& h = c.head;
  AttentionGradient g{};
  g.head = h;
  auto same_shape_as = [&](const TensorView& t, int64_t heads, int64_t rows, int64_t size) {
    return t.ndim == 4 && t.dtype == c.dtype && t.sizes[0] == c.batch && t.sizes[1] == heads && t.sizes[2] == rows &&
           t.sizes[3] == size;
  };
  const int64_t heads = c.kv_heads * h.group;
  if (!same_shape_as(views.grad_out, heads, h.queries, h.value_dim) ||
      (views.query && !same_shape_as(*views.query, heads, h.queries, h.head_dim)) ||
      (views.key && !same_shape_as(*views.key, c.kv_heads, h.keys, h.head_dim)) ||
      (views.value && !same_shape_as(*views.value, c.kv_heads, h.keys, h.value_dim)))
    return bad_parameter(std::string(name) + ": grad_out " + describe(views.grad_out) +
                         ": gradients must have their tensors' shapes");
  struct Steps {
    AttentionCall::Step d_out, d_q, d_k, d_v;
  } steps;
  auto take = [&](const TensorView* t, int64_t group, auto& data, int64_t* head, int64_t& row, int64_t& col,
                  AttentionCall::Step& step) {
    if (!t) return;
    data = t->data;
    if (head) *head = t->strides[1];
    row = t->strides[2], col = t->strides[3];
    step = step_of(*t, group);
  };
  take(&views.grad_out, h.group, g.d_out, &g.d_out_head, g.d_out_row, g.d_out_col, steps.d_out);
  take(views.query, h.group, g.d_q, &g.d_q_head, g.d_q_row, g.d_q_col, steps.d_q);
  take(views.key, 1, g.d_k, nullptr, g.d_k_row, g.d_k_col, steps.d_k);
  take(views.value, 1, g.d_v, nullptr, g.d_v_row, g.d_v_col, steps.d_v);

  const int64_t rows = h.group * h.queries, items = c.batch * c.kv_heads;
  if (items == 0) return Launch{Task(name, 0, [](TaskContext&) {}), 0};
  const double item_us = 1 + 2.5 * static_cast<double>(rows) * h.keys * (h.head_dim + h.value_dim) / kMacsPerUs;
  return Launch{
      Task(name, static_cast<float>(item_us * items),
           [c, g, steps, rows, items](TaskContext& context) {
             const size_t tiles = kernels::attention_gradient_scratch_bytes(c.head.head_dim, c.head.value_dim);
             const int64_t d_q_row = (c.head.head_dim + kernels::kPadding - 1) / kernels::kPadding * kernels::kPadding;
             const size_t bytes = tiles + sizeof(float) * static_cast<size_t>(rows * (d_q_row + 1));
             context.team.run(items, [&](int64_t i) {
               const int64_t b = i / c.kv_heads, n = i % c.kv_heads;
               char* scratch = static_cast<char*>(thread_scratch(bytes));
               AttentionGradient mine = g;
               mine.head = c.at(b, n);
               auto offset = [&](const AttentionCall::Step& s) { return b * s.batch + n * s.head; };
               mine.d_out = moved(g.d_out, offset(steps.d_out), c.dtype);
               mine.d_q = moved(g.d_q, offset(steps.d_q), c.dtype);
               mine.d_k = moved(g.d_k, offset(steps.d_k), c.dtype);
               mine.d_v = moved(g.d_v, offset(steps.d_v), c.dtype);
               mine.d_q_sums = reinterpret_cast<float*>(scratch + tiles);
               if (!mine.head.log_sum.data) {  // CANN's form keeps the maximum and the sum apart
                 float* log_sum = mine.d_q_sums + rows * d_q_row;
                 for (int64_t r = 0; r < rows; ++r) {
                   const int64_t head = r / c.head.queries, row = r % c.head.queries;
                   const float sum = mine.head.sum.data[head * mine.head.sum.head + row * mine.head.sum.row];
                   const float max = mine.head.max.data[head * mine.head.max.head + row * mine.head.max.row];
                   log_sum[r] = sum == 0 ? std::numeric_limits<float>::infinity() : max + std::log(sum);
                 }
                 mine.head.log_sum = {log_sum, c.head.queries, 1, 1};
               }
               kernels::attention().backward(c.dtype, mine, scratch);
             });
           }),
      0};
}

}  // namespace cann::ops
