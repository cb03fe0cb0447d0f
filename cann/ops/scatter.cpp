// Checks a call that writes through indices and describes it as a ScatterPlan; scatter_walk.cpp runs it.
#include "cann/ops/scatter.h"

#include <array>
#include <memory>
#include <vector>

#include "cann/ops/scatter_walk.h"

namespace cann::ops {

namespace {

using kernels::Combine;

TensorView at_least_1d(TensorView view) {
  if (view.ndim == 0) {
    view.ndim = 1;
    view.sizes[0] = view.strides[0] = 1;
  }
  return view;
}

Launch nothing_to_do(const char* op) {
  return {Task(op, 0, [](TaskContext&) {})};
}

// Stands for a value that is the same everywhere: strides of 0, no address.
TensorView repeated(const TensorView& shape, DType dtype) {
  TensorView view = shape;
  view.data = nullptr;
  view.dtype = dtype;
  for (int64_t& stride : view.strides) stride = 0;
  return view;
}

Status mismatch(const char* op, const TensorView& self, const TensorView& index, const TensorView& source) {
  return bad_parameter(std::string(op) + ": self " + to_string(self.shape()) + ", index " + to_string(index.shape()) +
                       ", source " + to_string(source.shape()) + ": shapes do not fit");
}

Status check_types(const char* op, const TensorView& self, const TensorView& index, const TensorView& source,
                   const TensorView& out) {
  if (!is_index_type(index.dtype) && index.numel() > 0)
    return bad_parameter(std::string(op) + ": index " + describe(index) + ": needs int64 or int32");
  if (self.dtype != source.dtype)
    return bad_parameter(std::string(op) + ": self " + describe(self) + ", source " + describe(source) +
                         ": types must be equal");
  if (self.dtype != out.dtype || !same_shape(self, out))
    return bad_parameter(std::string(op) + ": self " + describe(self) + ", out " + describe(out) + ": must be equal");
  return {};
}

// What the arithmetic kernels cover.
Status check_combines(const char* op, DType dtype, const kernels::ReduceRuns& how) {
  const bool ordered = how.combine == Combine::Min || how.combine == Combine::Max;
  if (dtype == DType::UInt16 || dtype == DType::UInt32 || dtype == DType::UInt64 || dtype == DType::Complex32 ||
      (ordered && is_complex(dtype)))
    return bad_parameter(std::string(op) + ": " + name_of(dtype) + " cannot be combined");
  return {};
}

Status set_reduction(ScatterPlan& plan, int64_t reduce, bool include_self, DType dtype) {
  plan.assign = reduce == static_cast<int64_t>(ScatterReduction::None);
  plan.how.dtype = dtype;
  plan.how.include_self = include_self;
  switch (static_cast<ScatterReduction>(reduce)) {
    case ScatterReduction::None: return {};
    case ScatterReduction::Add: plan.how.combine = Combine::Add; break;
    case ScatterReduction::Multiply: plan.how.combine = Combine::Multiply; break;
    case ScatterReduction::Max: plan.how.combine = Combine::Max; break;
    case ScatterReduction::Min: plan.how.combine = Combine::Min; break;
    case ScatterReduction::Mean: plan.how.mean = true; break;
    default: return bad_parameter(std::string(plan.op) + ": reduce " + std::to_string(reduce) + " is unknown");
  }
  return check_combines(plan.op, dtype, plan.how);
}

void copy_self_first(ScatterPlan& plan, const TensorView& self, const TensorView& out) {
  if (!same_view(self, out)) plan.before = copy_box(self, out);
}

Result<Launch> scatter_with(ScatterPlan plan, const TensorView& self_given, int64_t dim, const TensorView& index_given,
                            const TensorView& src_given, const TensorView& out_given) {
  const TensorView self = at_least_1d(self_given), index = at_least_1d(index_given), src = at_least_1d(src_given),
                   out = at_least_1d(out_given);
  RETURN_IF_ERROR(check_types(plan.op, self, index, src, out));
  ASSIGN_OR_RETURN(const int axis, wrap_dim(plan.op, dim, self.ndim));
  plan.fault = IndexFault::RuntimeError;
  copy_self_first(plan, self, out);
  if (index.numel() > 0) {
    if (index.ndim != self.ndim || src.ndim != self.ndim) return mismatch(plan.op, self, index, src);
    for (int d = 0; d < self.ndim; ++d)
      if (index.sizes[d] > src.sizes[d] || (d != axis && index.sizes[d] > self.sizes[d]))
        return mismatch(plan.op, self, index, src);
    plan.walk = gather_walk(out, axis, index, src);
    if (is_half(out.dtype) && !plan.assign && !plan.value && !plan.alpha) {
      plan.target = out;
      plan.source = src;
      for (int d = 0; d < index.ndim; ++d) plan.source.sizes[d] = index.sizes[d];  // the part that is read
      plan.rebuild = [index, axis](const TensorView& to, const TensorView& from) {
        return gather_walk(to, axis, index, from);
      };
    }
  } else {
    plan.walk.ndim = 1;  // of size 0
  }
  return scatter_launch(plan);
}

// self[..., index[i], ...] from source[..., i, ...]
Result<Launch> index_with(ScatterPlan plan, const TensorView& self_given, int64_t dim, const TensorView& index_given,
                          const TensorView& source_given, const TensorView& out_given) {
  const TensorView self = at_least_1d(self_given), index = at_least_1d(index_given), out = at_least_1d(out_given);
  TensorView source = at_least_1d(source_given);
  RETURN_IF_ERROR(check_types(plan.op, self, index, source, out));
  ASSIGN_OR_RETURN(const int axis, wrap_dim(plan.op, dim, self.ndim));
  if (index.ndim != 1 || source.ndim != self.ndim) return mismatch(plan.op, self, index, source);
  for (int d = 0; d < self.ndim; ++d)
    if (source.sizes[d] != (d == axis ? index.sizes[0] : self.sizes[d])) return mismatch(plan.op, self, index, source);
  copy_self_first(plan, self, out);
  const bool wraps = plan.walk.wraps;
  plan.walk = select_walk(out, axis, index, source);
  plan.walk.wraps = wraps;
  return scatter_launch(plan);
}

}  // namespace

Result<Launch> scatter(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& src,
                       int64_t reduce, const TensorView& out) {
  ScatterPlan plan{.op = "scatter"};
  RETURN_IF_ERROR(set_reduction(plan, reduce, true, self.dtype));
  return scatter_with(std::move(plan), self, dim, index, src, out);
}

Result<Launch> scatter_value(const TensorView& self, int64_t dim, const TensorView& index, const Scalar& value,
                             int64_t reduce, const TensorView& out) {
  ScatterPlan plan{.op = "scatter"};
  RETURN_IF_ERROR(set_reduction(plan, reduce, true, self.dtype));
  plan.value = element_of(value, self.dtype);
  return scatter_with(std::move(plan), self, dim, index, repeated(index, self.dtype), out);
}

Result<Launch> scatter_add(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& src,
                           const TensorView& out) {
  ScatterPlan plan{.op = "scatter_add"};
  RETURN_IF_ERROR(set_reduction(plan, static_cast<int64_t>(ScatterReduction::Add), true, self.dtype));
  return scatter_with(std::move(plan), self, dim, index, src, out);
}

Result<Launch> scatter_reduce(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& src,
                              int64_t reduce, bool include_self, const TensorView& out) {
  ScatterPlan plan{.op = "scatter_reduce"};
  RETURN_IF_ERROR(set_reduction(plan, reduce, include_self, self.dtype));
  return scatter_with(std::move(plan), self, dim, index, src, out);
}

Result<Launch> index_add(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& source,
                         const Scalar& alpha, const TensorView& out) {
  ScatterPlan plan{.op = "index_add"};
  RETURN_IF_ERROR(set_reduction(plan, static_cast<int64_t>(ScatterReduction::Add), true, self.dtype));
  if (alpha.to_complex() != 1.0) plan.alpha = element_of(alpha, self.dtype);
  return index_with(std::move(plan), self, dim, index, source, out);
}

Result<Launch> index_reduce(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& source,
                            int64_t reduce, bool include_self, const TensorView& out) {
  ScatterPlan plan{.op = "index_reduce"};
  RETURN_IF_ERROR(set_reduction(plan, reduce, include_self, self.dtype));
  return index_with(std::move(plan), self, dim, index, source, out);
}

Result<Launch> index_copy(const TensorView& self, int64_t dim, const TensorView& index, const TensorView& source,
                          const TensorView& out) {
  return index_with({.op = "index_copy"}, self, dim, index, source, out);
}

Result<Launch> index_fill(const TensorView& self_given, int64_t dim, const TensorView& index, const Scalar& value,
                          const TensorView& out) {
  const TensorView self = at_least_1d(self_given);
  ASSIGN_OR_RETURN(const int axis, wrap_dim("index_fill", dim, self.ndim));
  TensorView source = repeated(self, self.dtype);
  source.sizes[axis] = index.numel();
  ScatterPlan plan{.op = "index_fill"};
  plan.value = element_of(value, self.dtype);
  plan.walk.wraps = true;
  return index_with(std::move(plan), self, dim, index, source, out);
}

Result<Launch> index_fill(const TensorView& self, int64_t dim, IntArray index, const Scalar& value,
                          const TensorView& out) {
  auto kept = std::make_shared<std::vector<int64_t>>(index.begin(), index.end());
  TensorView view;
  view.data = kept->data();
  view.dtype = DType::Int64;
  view.ndim = 1;
  view.sizes[0] = static_cast<int64_t>(kept->size());
  view.strides[0] = 1;
  ASSIGN_OR_RETURN(Launch filling, index_fill(self, dim, view, value, out));
  // The Task reads the indices where the vector holds them: it owns the vector too.
  const float us = filling.task.estimated_us();
  auto inner = std::make_unique<Task>(std::move(filling.task));
  return Launch{
      Task("index_fill", us, [kept, inner = std::move(inner)](TaskContext& context) { return (*inner)(context); }),
      filling.workspace_bytes};
}

Result<Launch> index_put(const TensorView& self, TensorList indices, const TensorView& values, bool accumulate) {
  ScatterPlan plan{.op = "index_put_"};
  if (self.dtype != values.dtype)
    return bad_parameter("index_put_: self " + describe(self) + ", values " + describe(values) +
                         ": types must be equal");
  if (indices.size() > kMaxDims) return bad_parameter("index_put_: more than 8 indices");
  RETURN_IF_ERROR(set_reduction(plan, static_cast<int64_t>(accumulate ? ScatterReduction::Add : ScatterReduction::None),
                                true, self.dtype));
  // The genuine adapter writes a missing index as an empty vector beside those that are not.
  std::array<const TensorView*, kMaxDims> given{};
  size_t count = 0, filled = 0;
  for (const TensorView* entry : indices) {
    given[count++] = entry && entry->numel() == 0 ? nullptr : entry;
    filled += given[count - 1] != nullptr;
  }
  if (filled == 0) return nothing_to_do("index_put_");
  ASSIGN_OR_RETURN(plan.walk, advanced_walk("index_put_", self, {given.data(), count}, values));
  if (accumulate && is_half(self.dtype)) {
    std::vector<std::optional<TensorView>> kept;
    for (size_t i = 0; i < count; ++i) kept.push_back(given[i] ? std::optional(*given[i]) : std::nullopt);
    plan.target = self;
    plan.source = values;
    plan.rebuild = [kept](const TensorView& to, const TensorView& from) {
      std::array<const TensorView*, kMaxDims> indices{};
      for (size_t i = 0; i < kept.size(); ++i) indices[i] = kept[i] ? &*kept[i] : nullptr;
      return std::move(advanced_walk("index_put_", to, {indices.data(), kept.size()}, from).value());
    };
  }
  return scatter_launch(plan);
}

Result<Launch> put(const TensorView& self, const TensorView& index, const TensorView& source, bool accumulate) {
  ScatterPlan plan{.op = "put_"};
  RETURN_IF_ERROR(set_reduction(plan, static_cast<int64_t>(accumulate ? ScatterReduction::Add : ScatterReduction::None),
                                true, self.dtype));
  if (!is_index_type(index.dtype)) return bad_parameter("put_: index " + describe(index) + ": needs int64 or int32");
  if (self.dtype != source.dtype || index.numel() != source.numel()) return mismatch("put_", self, index, source);
  if (!self.is_contiguous()) return bad_parameter("put_: self must be contiguous");
  // Shapes may differ (only the numbers of elements must agree): both are walked flat.
  if (!same_shape(index, source)) {
    if (!index.is_contiguous() || !source.is_contiguous()) return mismatch("put_", self, index, source);
    TensorView flat = source;
    flat.ndim = index.ndim;
    std::copy(std::begin(index.sizes), std::end(index.sizes), flat.sizes);
    std::copy(std::begin(index.strides), std::end(index.strides), flat.strides);
    plan.walk = flat_walk(self, index, flat);
  } else {
    plan.walk = flat_walk(self, index, source);
  }
  return scatter_launch(plan);
}

Result<Launch> embedding_dense_backward(const TensorView& grad, const TensorView& indices, int64_t num_weights,
                                        int64_t padding_idx, bool scale_grad_by_freq, const TensorView& out) {
  ScatterPlan plan{.op = "embedding_dense_backward"};
  if (out.ndim != 2 || out.sizes[0] != num_weights || grad.ndim == 0 || grad.sizes[grad.ndim - 1] != out.sizes[1] ||
      grad.numel() != indices.numel() * out.sizes[1] || grad.dtype != out.dtype)
    return mismatch(plan.op, out, indices, grad);
  // Divided by frequency, the sum is a mean of what came.
  RETURN_IF_ERROR(
      set_reduction(plan, static_cast<int64_t>(scale_grad_by_freq ? ScatterReduction::Mean : ScatterReduction::Add),
                    !scale_grad_by_freq, out.dtype));
  plan.before = fill_box(out);
  plan.zero_before = true;
  if (padding_idx >= 0 && padding_idx < num_weights) plan.zero_after = fill_box(narrowed(out, 0, padding_idx, 1));
  const TensorView* index = &indices;
  if (indices.numel() > 0) {
    ASSIGN_OR_RETURN(plan.walk, advanced_walk(plan.op, out, {&index, 1}, grad));
    plan.walk.wraps = false;
  } else {
    plan.walk.ndim = 1;
  }
  return scatter_launch(plan);
}

Result<Launch> one_hot(const TensorView& self, int64_t num_classes, const TensorView& on_value,
                       const TensorView& off_value, int64_t axis_given, const TensorView& out) {
  constexpr const char* kOp = "one_hot";
  if (out.ndim != self.ndim + 1 || on_value.dtype != out.dtype || off_value.dtype != out.dtype ||
      on_value.numel() != 1 || off_value.numel() != 1 || !is_index_type(self.dtype))
    return mismatch(kOp, out, self, on_value);
  ASSIGN_OR_RETURN(const int axis, wrap_dim(kOp, axis_given, out.ndim));
  if (out.sizes[axis] != num_classes) return mismatch(kOp, out, self, on_value);
  // self as an index into out: a dimension of size 1 where the classes are.
  TensorView index = self;
  index.ndim = out.ndim;
  for (int d = out.ndim - 1; d > axis; --d) {
    index.sizes[d] = self.sizes[d - 1];
    index.strides[d] = self.strides[d - 1];
  }
  index.sizes[axis] = index.strides[axis] = 1;
  TensorView on = repeated(index, out.dtype);
  on.data = on_value.data;
  ScatterPlan plan{.op = kOp};
  plan.fault = IndexFault::RuntimeError;
  plan.before = fill_box(out);
  plan.before->from = off_value.as<const char>();
  if (index.numel() > 0)
    plan.walk = gather_walk(out, axis, index, on);
  else
    plan.walk.ndim = 1;
  return scatter_launch(plan);
}

}  // namespace cann::ops
