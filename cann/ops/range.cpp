// Plans sequences: what stands at each position is a formula of the position alone, so any piece can be filled by
// itself.
#include "cann/ops/range.h"

#include <vector>

#include "cann/kernels/range/range.h"
#include "cann/ops/box_copy.h"

namespace cann::ops {

namespace {

using kernels::Sequence;

Result<Launch> fill_launch(const char* op, Sequence sequence, const TensorView& out) {
  sequence.dtype = out.dtype;
  sequence.n = out.numel();
  if (out.dtype == DType::UInt16 || out.dtype == DType::UInt32 || out.dtype == DType::UInt64 ||
      out.dtype == DType::Complex32)
    return bad_parameter(std::string(op) + ": out " + describe(out) + ": type is not supported");
  if (!out.is_contiguous() && out.ndim != 1)
    return bad_parameter(std::string(op) + ": out " + to_string(out.shape()) + " must be contiguous or a vector");
  const int64_t bytes = size_of(out.dtype), stride = (out.is_contiguous() ? 1 : out.strides[0]) * bytes;
  const float us = copy_us(sequence.n * bytes) * (sequence.kind == Sequence::Kind::Powers ? 40.f : 1.f);
  return Launch{Task(op, us, [=](TaskContext& context) {
    context.team.for_ranges(
        sequence.n, sequence.kind == Sequence::Kind::Powers ? 2048 : 32768,
        [&](int64_t begin, int64_t end) { kernels::range().fill(sequence, out.data, stride, begin, end); });
  })};
}

// Even steps from start to end. A type that is not floating takes its ends rounded towards zero first, as PyTorch does.
Sequence between(Sequence::Kind kind, const Scalar& start, const Scalar& end, const TensorView& out) {
  Sequence s;
  s.kind = kind;
  auto part = [&](double x) {
    return is_integral(out.dtype) || out.dtype == DType::Bool ? static_cast<double>(static_cast<int64_t>(x)) : x;
  };
  const auto a = start.to_complex(), b = end.to_complex();
  s.start = part(a.real());
  s.end = part(b.real());
  s.start_im = a.imag();
  s.end_im = b.imag();
  const int64_t n = out.numel();
  const double steps = n > 1 ? static_cast<double>(n - 1) : 1;
  s.step = (s.end - s.start) / steps;
  s.step_im = (s.end_im - s.start_im) / steps;
  if (n == 1) {  // the one element is the start
    s.end = s.start;
    s.end_im = s.start_im;
  }
  return s;
}

}  // namespace

Result<Launch> arange(const char* op, const Scalar& start, const Scalar& step, const TensorView& out) {
  Sequence s;
  if (is_integral(out.dtype)) {
    s.kind = Sequence::Kind::Integers;
    s.first = start.is_integral() ? start.to_int64() : static_cast<int64_t>(start.to_double());
    s.by = step.is_integral() ? step.to_int64() : static_cast<int64_t>(step.to_double());
  } else {
    s.start = start.to_double();
    s.step = step.to_double();
    s.start_im = start.to_complex().imag();
    s.step_im = step.to_complex().imag();
  }
  return fill_launch(op, s, out);
}

Result<Launch> linspace(const Scalar& start, const Scalar& end, const TensorView& out) {
  return fill_launch("linspace", between(Sequence::Kind::Linear, start, end, out), out);
}

Result<Launch> logspace(const Scalar& start, const Scalar& end, double base, const TensorView& out) {
  Sequence s = between(Sequence::Kind::Powers, start, end, out);
  s.base = base;
  return fill_launch("logspace", s, out);
}

Result<Launch> eye(const TensorView& out) {
  if (out.ndim != 2) return bad_parameter("eye: out " + to_string(out.shape()) + " must be a matrix");
  TensorView diagonal = out;
  diagonal.ndim = 1;
  diagonal.sizes[0] = std::min(out.sizes[0], out.sizes[1]);
  diagonal.strides[0] = out.strides[0] + out.strides[1];
  const CopyBox all = fill_box(out), ones = fill_box(diagonal);
  const ElementBytes one = element_of(Scalar(int64_t{1}), out.dtype);
  return Launch{Task("eye", copy_us(out.numel() * size_of(out.dtype)), [=](TaskContext& context) {
    const ElementBytes zero{};
    CopyBox box = all;
    box.from = reinterpret_cast<const char*>(zero.data());
    if (box.numel() > 0) run(context.team, {&box, 1});
    box = ones;
    box.from = reinterpret_cast<const char*>(one.data());
    if (box.numel() > 0) run(context.team, {&box, 1});
  })};
}

Result<Launch> triangle_indices(int64_t rows, int64_t columns, int64_t offset, bool upper, const TensorView& out) {
  if (out.ndim != 2 || out.sizes[0] != 2 || !out.is_contiguous() ||
      (out.dtype != DType::Int64 && out.dtype != DType::Int32))
    return bad_parameter("tril_indices: out " + describe(out) + " must be contiguous int64 or int32 [2, n]");
  const int64_t n = out.sizes[1];
  return Launch{Task("tril_indices", copy_us(2 * n * size_of(out.dtype)), [=](TaskContext&) {
    int64_t at = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t first = upper ? std::clamp<int64_t>(r + offset, 0, columns) : 0;
      const int64_t stop = upper ? columns : std::clamp<int64_t>(r + offset + 1, 0, columns);
      for (int64_t c = first; c < stop && at < n; ++c, ++at) {
        if (out.dtype == DType::Int64) {
          out.as<int64_t>()[at] = r;
          out.as<int64_t>()[n + at] = c;
        } else {
          out.as<int32_t>()[at] = static_cast<int32_t>(r);
          out.as<int32_t>()[n + at] = static_cast<int32_t>(c);
        }
      }
    }
  })};
}

Result<Launch> repeat_interleave(const TensorView& repeats, const TensorView& out) {
  constexpr const char* kOp = "repeat_interleave";
  if (repeats.ndim != 1 || (repeats.dtype != DType::Int64 && repeats.dtype != DType::Int32) ||
      out.dtype != DType::Int64 || out.ndim != 1 || !out.is_contiguous())
    return bad_parameter("repeat_interleave: repeats " + describe(repeats) + ", out " + describe(out) +
                         ": needs integer vectors");
  const int64_t n = repeats.sizes[0], total = out.sizes[0];
  return Launch{Task(kOp, copy_us(8 * (n + total)),
                     [=](TaskContext& context) -> Status {
                       auto* starts = static_cast<int64_t*>(context.workspace);
                       int64_t sum = 0;
                       for (int64_t i = 0; i < n; ++i) {
                         const int64_t at = i * repeats.strides[0];
                         const int64_t times =
                             repeats.dtype == DType::Int64 ? repeats.as<int64_t>()[at] : repeats.as<int32_t>()[at];
                         if (times < 0) return bad_parameter("repeat_interleave: repeats can not be negative");
                         starts[i] = sum;
                         sum += times;
                       }
                       starts[n] = sum;
                       if (sum != total)
                         return bad_parameter("repeat_interleave: repeats sum up to " + std::to_string(sum) +
                                              ", output_size is " + std::to_string(total));
                       context.team.for_ranges(n, std::max<int64_t>(1, n * 32768 / std::max<int64_t>(1, total)),
                                               [&](int64_t begin, int64_t end) {
                                                 kernels::range().repeat(starts, begin, end, out.as<int64_t>());
                                               });
                       return {};
                     }),
                static_cast<size_t>(n + 1) * sizeof(int64_t)};
}

}  // namespace cann::ops
