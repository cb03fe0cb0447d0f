// See the header.
#include "cann/ops/foreach.h"

#include <algorithm>
#include <vector>

#include "cann/ops/reduce.h"

namespace cann::ops {
namespace {

// make(i) plans entry i; the entries run one after the other, each over the whole team.
template <class Make>
Result<Launch> each(const char* name, size_t count, std::initializer_list<TensorList> lists, Make&& make) {
  for (const TensorList& list : lists) {
    if (list.size() != count)
      return bad_parameter(std::string(name) + ": lists of " + std::to_string(list.size()) + " and " +
                           std::to_string(count) + " tensors: need the same length");
    for (const TensorView* t : list)
      if (!t) return bad_parameter(std::string(name) + ": a tensor of a list is missing");
  }
  std::vector<Task> tasks;
  tasks.reserve(count);
  float us = 0;
  size_t workspace_bytes = 0;  // one for all: they never run at once
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Launch one, make(i));
    us += one.task.estimated_us();
    workspace_bytes = std::max(workspace_bytes, one.workspace_bytes);
    tasks.push_back(std::move(one.task));
  }
  return Launch{Task(name, us,
                     [tasks = std::move(tasks)](TaskContext& context) mutable -> Status {
                       for (Task& task : tasks) RETURN_IF_ERROR(task(context));
                       return {};
                     }),
                workspace_bytes};
}

const char* name_of(Op op) { return kernels::info(op).name; }

// Results of these are floating even for integers.
bool is_floating_op(Op op) {
  return (op >= Op::Exp && op <= Op::Xlog1py && op != Op::Pow) || op == Op::Reciprocal || op == Op::Sqrt ||
         op == Op::Rsqrt || op == Op::Div;
}

Result<Launch> plan(Op op, std::initializer_list<Operand> operands, const TensorView& out,
                    std::initializer_list<Scalar> params = {}) {
  if (op == Op::Copy) return copy(*operands.begin()->tensor, out);
  return is_floating_op(op) ? floating(op, operands, out, params) : same_type(op, operands, out, params);
}

Status check_count(Op op, std::span<const Scalar> scalars, TensorList x) {
  if (scalars.size() == x.size()) return {};
  return bad_parameter(std::string(name_of(op)) + ": " + std::to_string(scalars.size()) + " scalars for " +
                       std::to_string(x.size()) + " tensors");
}

}  // namespace

Result<Launch> foreach_unary(Op op, TensorList x, TensorList out) {
  return each(name_of(op), x.size(), {x, out}, [&](size_t i) { return plan(op, {*x[i]}, *out[i]); });
}

Result<Launch> foreach_list(Op op, TensorList a, TensorList b, TensorList out, std::initializer_list<Scalar> params) {
  return each(name_of(op), a.size(), {a, b, out}, [&](size_t i) { return plan(op, {*a[i], *b[i]}, *out[i], params); });
}

Result<Launch> foreach_ternary(Op op, TensorList a, TensorList b, TensorList c, TensorList out, const Scalar& value) {
  return each(name_of(op), a.size(), {a, b, c, out},
              [&](size_t i) { return plan(op, {*a[i], *b[i], *c[i]}, *out[i], {value}); });
}

Result<Launch> foreach_ternary(Op op, TensorList a, TensorList b, TensorList c, TensorList out,
                               std::span<const Scalar> values) {
  RETURN_IF_ERROR(check_count(op, values, a));
  return each(name_of(op), a.size(), {a, b, c, out},
              [&](size_t i) { return plan(op, {*a[i], *b[i], *c[i]}, *out[i], {values[i]}); });
}

namespace {

// A device tensor of one element as a 0-dim one: it must not take part in the promotion.
TensorView as_number(TensorView t, int64_t index = 0) {
  t.data = static_cast<char*>(t.data) + index * (t.ndim ? t.strides[0] : 0) * size_of(t.dtype);
  t.ndim = 0;
  return t;
}

}  // namespace

Result<Launch> foreach_one(Op op, TensorList x, Operand other, TensorList out) {
  if (other.scalar)
    return each(name_of(op), x.size(), {x, out}, [&](size_t i) { return plan(op, {*x[i], *other.scalar}, *out[i]); });
  const TensorView number = as_number(*other.tensor);
  return each(name_of(op), x.size(), {x, out}, [&](size_t i) { return plan(op, {*x[i], number}, *out[i]); });
}

Result<Launch> foreach_one_first(Op op, Operand first, TensorList x, TensorList out) {
  return each(name_of(op), x.size(), {x, out}, [&](size_t i) { return plan(op, {first, *x[i]}, *out[i]); });
}

Result<Launch> foreach_scalars(Op op, TensorList x, std::span<const Scalar> others, TensorList out) {
  RETURN_IF_ERROR(check_count(op, others, x));
  return each(name_of(op), x.size(), {x, out}, [&](size_t i) { return plan(op, {*x[i], others[i]}, *out[i]); });
}

Result<Launch> foreach_add(TensorList a, TensorList b, const TensorView& alpha, int sign, TensorList out) {
  const TensorView number = as_number(alpha);
  return each("foreach_add", a.size(), {a, b, out},
              [&](size_t i) { return same_type(Op::Addcmul, {*a[i], number, *b[i]}, *out[i], {Scalar(sign)}); });
}

Result<Launch> foreach_add_scaled(Op op, TensorList a, TensorList b, TensorList c, const TensorView& values,
                                  TensorList out) {
  const bool one = values.numel() == 1;
  if (!one && values.numel() != static_cast<int64_t>(a.size()))
    return bad_parameter(std::string(name_of(op)) + ": " + describe(values) + ": needs a value for each tensor");
  return each(name_of(op), a.size(), {a, b, c, out}, [&](size_t i) {
    return same_type(op, {*a[i], *b[i], *c[i], as_number(values, one ? 0 : static_cast<int64_t>(i))}, *out[i]);
  });
}

Result<Launch> foreach_lerp(TensorList a, TensorList b, const Scalar& weight, TensorList out) {
  return each("lerp", a.size(), {a, b, out},
              [&](size_t i) { return same_type(Op::Lerp, {*a[i], *b[i], weight}, *out[i]); });
}
Result<Launch> foreach_lerp(TensorList a, TensorList b, TensorList weights, TensorList out) {
  return each("lerp", a.size(), {a, b, weights, out},
              [&](size_t i) { return same_type(Op::Lerp, {*a[i], *b[i], *weights[i]}, *out[i]); });
}

Result<Launch> foreach_zero(TensorList x) {
  return each("zero", x.size(), {x}, [&](size_t i) { return fill(*x[i], Scalar(0)); });
}

Result<Launch> foreach_round(TensorList x, const Scalar& mode, TensorList out) {
  switch (mode.to_int64()) {
    case 1: return foreach_unary(Op::Round, x, out);
    case 2: return foreach_unary(Op::Floor, x, out);
    case 3: return foreach_unary(Op::Ceil, x, out);
    case 5: return foreach_unary(Op::Trunc, x, out);
    case 7: return foreach_unary(Op::Frac, x, out);
    default: return bad_parameter("foreach_round: mode " + std::to_string(mode.to_int64()) + ": needs 1, 2, 3, 5 or 7");
  }
}

Result<Launch> foreach_norm(TensorList x, const Scalar& ord, TensorList out) {
  return each("foreach_norm", x.size(), {x, out},
              [&](size_t i) { return vector_norm("foreach_norm", *x[i], ord.to_double(), {}, *out[i]); });
}

}  // namespace cann::ops
