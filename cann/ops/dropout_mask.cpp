// Dropout in two steps, as CANN has it: a mask of bits, and its use.
#include <cstring>

#include "cann/kernels/random/random.h"
#include "cann/ops/family.h"
#include "cann/ops/random.h"
#include "cann/ops/scratch.h"
#include "cann/ops/staging.h"

namespace cann::ops {
namespace {

constexpr int64_t kGrain = 64 * kernels::kRandomBlock;  // a multiple of 8: chunks do not share a byte

Status misfit(const char* op, const TensorView& mask, int64_t elements) {
  return bad_parameter(std::string(op) + ": mask " + describe(mask) + ": a contiguous uint8 with a bit for each of " +
                       std::to_string(elements) + " elements needed");
}

bool holds(const TensorView& mask, int64_t elements) {
  return mask.dtype == DType::UInt8 && mask.is_contiguous() && mask.numel() * 8 >= elements;
}

}  // namespace

Result<Launch> dropout_gen_mask(IntArray shape, double prob, int64_t seed, int64_t offset, const TensorView& out) {
  int64_t n = 1;
  for (const int64_t size : shape) n *= size;
  if (!holds(out, n)) return misfit("dropout_gen_mask", out, n);
  const kernels::Draw draw{static_cast<uint64_t>(seed), static_cast<uint64_t>(offset)};
  auto* const bits = out.as<uint8_t>();
  const int64_t bytes = out.numel();
  return Launch{Task("dropout_gen_mask", static_cast<float>(n) / 600, [=](TaskContext& c) {
    std::memset(bits, 0, static_cast<size_t>(bytes));
    c.team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      auto* const kept = static_cast<float*>(thread_scratch(static_cast<size_t>(end - begin) * sizeof(float)));
      kernels::random().fill[floating_index(DType::Float32)](kernels::Distribution::Bernoulli, draw, 1 - prob, 0,
                                                             nullptr, nullptr, kept - begin, begin, end);
      for (int64_t i = begin; i < end; ++i)
        if (kept[i - begin] != 0) bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | 1 << i % 8);
    });
  })};
}

Result<Launch> dropout_do_mask(const TensorView& self, const TensorView& mask, double prob, const TensorView& out) {
  constexpr const char* kOp = "dropout_do_mask";
  const double scale = prob == 1 ? 0 : 1 / (1 - prob);
  if (mask.dtype == DType::Bool) return dropout_backward(self, mask, scale, out);
  const int type = floating_index(self.dtype);
  const int64_t n = self.numel();
  if (!holds(mask, n)) return misfit(kOp, mask, n);
  if (type < 0 || out.dtype != self.dtype)
    return bad_parameter("dropout_do_mask: self " + describe(self) + ", out " + describe(out) +
                         ": one floating type needed");
  RETURN_IF_ERROR(check_same_shape(kOp, "self", self, "out", out));
  Staging staging;
  Slot x = staging.input(self), y = staging.output(out);
  const auto* const bits = mask.as<const uint8_t>();
  const auto kernel = kernels::random().dropout_backward[type];
  const int64_t item = size_of(self.dtype);
  return std::move(staging).launch(kOp, static_cast<double>(n) / 1000, [=](TaskContext& c) {
    c.team.for_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
      auto* const kept = static_cast<bool*>(thread_scratch(static_cast<size_t>(end - begin)));
      for (int64_t i = begin; i < end; ++i) kept[i - begin] = bits[i / 8] >> i % 8 & 1;
      kernel(x.in<char>(c) + begin * item, kept, scale, y.in<char>(c) + begin * item, 0, end - begin);
    });
  });
}

}  // namespace cann::ops
