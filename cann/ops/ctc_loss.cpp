#include "cann/ops/ctc_loss.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cann/kernels/loss/ctc.h"
#include "cann/ops/scratch.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

using kernels::CtcSequence;

// A call's sequences, from its checked arguments.
struct Sequences {
  int64_t steps = 0, batch = 0, classes = 0, blank = 0, longest = 0;
  std::vector<int64_t> input_lengths = {}, target_lengths = {}, target_starts = {};
  Slot log_probs = {}, targets = {}, log_alpha = {};
  int64_t element_bytes = 0;

  CtcSequence at(int64_t b, TaskContext& c) const {
    const int64_t places = 2 * longest + 1;
    return {.log_probs = log_probs.in<char>(c) + b * classes * element_bytes,
            .steps = input_lengths[b],
            .classes = classes,
            .row_step = batch * classes,
            .target = targets.in<int64_t>(c) + target_starts[b],
            .length = target_lengths[b],
            .blank = blank,
            .log_alpha = log_alpha.in<char>(c) + b * steps * places * element_bytes,
            .alpha_step = places};
  }

  // A label that is no class must not be read through.
  Status check_targets(TaskContext& c) const {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t i = 0; i < target_lengths[b]; ++i)
        if (const int64_t label = targets.in<int64_t>(c)[target_starts[b] + i]; label < 0 || label >= classes)
          return bad_parameter("ctc_loss: target " + std::to_string(label) + ": must lie in [0, " +
                               std::to_string(classes) + ")");
    return {};
  }
};

Result<Sequences> sequences_of(const TensorView& log_probs, const TensorView& targets, IntArray input_lengths,
                               IntArray target_lengths, int64_t blank, const TensorView& log_alpha) {
  auto refuse = [&](const char* why) {
    return bad_parameter("ctc_loss: log_probs " + describe(log_probs) + ", targets " + describe(targets) + ": " + why);
  };
  if (log_probs.ndim != 3 || (log_probs.dtype != DType::Float32 && log_probs.dtype != DType::Float64))
    return refuse("[steps, batch, classes] of float32 or float64 is needed");
  if ((targets.ndim != 1 && targets.ndim != 2) || (targets.dtype != DType::Int64 && targets.dtype != DType::Int32))
    return refuse("targets of one or two dimensions, int64 or int32, are needed");
  Sequences s{.steps = log_probs.sizes[0], .batch = log_probs.sizes[1], .classes = log_probs.sizes[2], .blank = blank};
  s.input_lengths.assign(input_lengths.begin(), input_lengths.end());
  s.target_lengths.assign(target_lengths.begin(), target_lengths.end());
  if (std::ssize(input_lengths) != s.batch || std::ssize(target_lengths) != s.batch)
    return refuse("a length for each sequence is needed");
  if (blank < 0 || blank >= s.classes) return refuse("the blank must be a class");
  int64_t start = 0;
  for (int64_t b = 0; b < s.batch; ++b) {
    if (s.input_lengths[b] < 0 || s.input_lengths[b] > s.steps || s.target_lengths[b] < 0)
      return refuse("lengths must lie within the sequences");
    s.target_starts.push_back(targets.ndim == 2 ? b * targets.sizes[1] : start);
    start += s.target_lengths[b];
    if (s.target_starts[b] + s.target_lengths[b] > targets.numel() ||
        (targets.ndim == 2 && s.target_lengths[b] > targets.sizes[1]))
      return refuse("targets are too short for their lengths");
    s.longest = std::max(s.longest, s.target_lengths[b]);
  }
  if (log_alpha.ndim != 3 || log_alpha.dtype != log_probs.dtype || log_alpha.sizes[0] != s.batch ||
      log_alpha.sizes[1] != s.steps || log_alpha.sizes[2] < 2 * s.longest + 1)
    return refuse("log_alpha must be [batch, steps, 2 longest target + 1]");
  s.longest = (log_alpha.sizes[2] - 1) / 2;
  s.element_bytes = size_of(log_probs.dtype);
  return s;
}

// log_alpha may be wider than it must (a real CANN aligns it): its first columns.
TensorView first_columns(const TensorView& log_alpha) {
  TensorView view = log_alpha;
  view.sizes[2] = (log_alpha.sizes[2] - 1) / 2 * 2 + 1;
  return view;
}

double estimated_us(const Sequences& s) {
  return static_cast<double>(s.batch * s.steps) * static_cast<double>(2 * s.longest + 1 + s.classes) / 50;
}

}  // namespace

Result<Launch> ctc_loss(const TensorView& log_probs, const TensorView& targets, IntArray input_lengths,
                        IntArray target_lengths, int64_t blank, bool, const TensorView& neg_log_likelihood,
                        const TensorView& log_alpha) {
  ASSIGN_OR_RETURN(Sequences s, sequences_of(log_probs, targets, input_lengths, target_lengths, blank, log_alpha));
  Staging staging;
  s.log_probs = staging.input(log_probs);
  s.targets = staging.input(targets, DType::Int64);
  s.log_alpha = staging.output(first_columns(log_alpha));
  const Slot loss = staging.output(neg_log_likelihood, DType::Float64);
  const auto kernel = kernels::ctc().forward[log_probs.dtype == DType::Float64];
  const double us = estimated_us(s);
  return std::move(staging).launch("ctc_loss", us, [=, s = std::move(s)](TaskContext& c) -> Status {
    RETURN_IF_ERROR(s.check_targets(c));
    c.team.run(s.batch, [&](int64_t b) { loss.in<double>(c)[b] = kernel(s.at(b, c)); });
    return {};
  });
}

Result<Launch> ctc_loss_backward(const TensorView& grad_out, const TensorView& log_probs, const TensorView& targets,
                                 IntArray input_lengths, IntArray target_lengths, const TensorView& neg_log_likelihood,
                                 const TensorView& log_alpha, int64_t blank, bool zero_infinity,
                                 const TensorView& out) {
  ASSIGN_OR_RETURN(Sequences s, sequences_of(log_probs, targets, input_lengths, target_lengths, blank, log_alpha));
  if (!same_shape(out, log_probs) || out.dtype != log_probs.dtype || grad_out.numel() != s.batch)
    return bad_parameter("ctc_loss_backward: out " + describe(out) + ", grad_out " + describe(grad_out) +
                         ": log_probs' shape, and a number for each sequence, are needed");
  Staging staging;
  s.log_probs = staging.input(log_probs);
  s.targets = staging.input(targets, DType::Int64);
  s.log_alpha = staging.input(first_columns(log_alpha));
  const Slot grad = staging.input(grad_out, DType::Float64), loss = staging.input(neg_log_likelihood, DType::Float64),
             to = staging.output(out);
  const auto kernel = kernels::ctc().gradient[log_probs.dtype == DType::Float64];
  const double us = 2 * estimated_us(s);
  return std::move(staging).launch("ctc_loss_backward", us, [=, s = std::move(s)](TaskContext& c) -> Status {
    RETURN_IF_ERROR(s.check_targets(c));
    c.team.run(s.batch, [&](int64_t b) {
      const int64_t row_bytes = s.classes * s.element_bytes;
      char* first = to.in<char>(c) + b * row_bytes;
      const double value = loss.in<double>(c)[b];
      const int64_t steps = zero_infinity && std::isinf(value) ? 0 : s.input_lengths[b];
      for (int64_t t = steps; t < s.steps; ++t) std::memset(first + t * s.batch * row_bytes, 0, row_bytes);
      if (steps == 0) return;
      void* scratch = thread_scratch(static_cast<size_t>(2 * (2 * s.longest + 1) * s.element_bytes));
      kernel({.sequence = s.at(b, c), .grad = grad.in<double>(c)[b], .loss = value, .out = first, .scratch = scratch});
    });
    return {};
  });
}

}  // namespace cann::ops
