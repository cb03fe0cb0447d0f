// Everything that reads planes through maps or weights along their axes.
#include "cann/ops/upsample.h"

#include <cmath>
#include <vector>

#include "cann/kernels/pointwise/pointwise.h"
#include "cann/kernels/pool/resample.h"
#include "cann/ops/pool_common.h"
#include "cann/ops/scratch.h"

namespace cann::ops {
namespace {

using Map = std::vector<int64_t>;

int size_index(DType t) {
  switch (size_of(t)) {
    case 1: return 0;
    case 2: return 1;
    case 4: return 2;
    case 8: return 3;
    default: return 4;
  }
}

// What sums are taken in: complex types in themselves, others as in pooling.
struct SumType {
  int index;
  DType dtype;
};
SumType sum_type(DType t) {
  if (t == DType::Complex64) return {3, t};
  if (t == DType::Complex128) return {4, t};
  if (t == DType::Float64) return {1, t};
  return is_floating(t) ? SumType{0, DType::Float32} : SumType{2, DType::Int64};
}

Status refuse(const char* op, const TensorView& a, const TensorView& b, const char* needed) {
  return bad_parameter(std::string(op) + ": " + describe(a) + " beside " + describe(b) + ": " + needed);
}

// --- maps ---

struct Maps {
  kernels::Extent in, out;
  Map d, h, w;
  int64_t planes;
  kernels::RemapShape shape() const { return {in, out, d.data(), h.data(), w.data()}; }
};

// make(axis from the end: 1 width, 2 height, 3 depth; in; out) gives one axis's map.
template <class Make>
Result<Maps> maps_of(const char* op, int dims, const TensorView& in, const TensorView& out, Make make) {
  Maps maps{};
  ASSIGN_OR_RETURN(maps.in, spatial(op, dims, in));
  ASSIGN_OR_RETURN(maps.out, spatial(op, dims, out));
  maps.planes = planes_of(dims, in);
  if (in.dtype != out.dtype || maps.planes != planes_of(dims, out))
    return refuse(op, in, out, "one type and as many planes needed");
  const Map none{0};
  maps.w = make(1, maps.in.w, maps.out.w);
  maps.h = dims >= 2 ? make(2, maps.in.h, maps.out.h) : none;
  maps.d = dims >= 3 ? make(3, maps.in.d, maps.out.d) : none;
  for (auto [map, size] : {std::pair{&maps.w, maps.in.w}, std::pair{&maps.h, maps.in.h}, std::pair{&maps.d, maps.in.d}})
    for (int64_t place : *map)
      if (place < 0 || place >= size) return refuse(op, in, out, "the sizes do not fit the attributes");
  return maps;
}

Launch launch_remap(const char* op, Maps maps, const TensorView& self, const TensorView& out) {
  Staging staging;
  Slot x = staging.input(self), y = staging.output(out);
  auto kernel = kernels::resample().remap[size_index(self.dtype)];
  return std::move(staging).launch(
      op, static_cast<double>(out.numel()) / 1000, [=, maps = std::move(maps)](TaskContext& c) {
        const auto shape = maps.shape();
        c.team.for_ranges(maps.planes, plane_grain(maps.out.count()),
                          [&](int64_t begin, int64_t end) { kernel(x.in(c), shape, y.in(c), begin, end); });
      });
}

Launch launch_remap_backward(const char* op, Maps maps, const TensorView& grad_output, const TensorView& grad_input) {
  const SumType type = sum_type(grad_output.dtype);
  Staging staging;
  Slot dy = staging.input(grad_output, type.dtype), dx = staging.output(grad_input, type.dtype);
  auto kernel = kernels::resample().remap_backward[type.index];
  return std::move(staging).launch(
      op, static_cast<double>(grad_output.numel()) / 600, [=, maps = std::move(maps)](TaskContext& c) {
        const auto shape = maps.shape();
        c.team.for_ranges(maps.planes, plane_grain(maps.out.count()),
                          [&](int64_t begin, int64_t end) { kernel(dy.in(c), shape, dx.in(c), begin, end); });
      });
}

double scale_at(std::span<const double> scales, int axis_from_end) {
  return axis_from_end <= static_cast<int>(scales.size()) ? scales[scales.size() - axis_from_end] : 0.0;
}

// As PyTorch's CPU: the ratio in float32, whatever the tensor's type.
Map nearest_map(bool exact, double scale, int64_t in, int64_t out) {
  const float ratio = scale > 0 ? static_cast<float>(1.0 / scale) : static_cast<float>(in) / static_cast<float>(out);
  Map map(out);
  for (int64_t i = 0; i < out; ++i) {
    const float at = (static_cast<float>(i) + (exact ? 0.5f : 0.0f)) * ratio;
    map[i] = std::min(static_cast<int64_t>(std::floor(at)), in - 1);
    if (!exact && in == out) map[i] = i;
    if (!exact && out == 2 * in) map[i] = i / 2;
  }
  return map;
}

// --- weights ---

// For each output of an axis `taps` places and weights, tap by tap.
template <class A>
struct Weights {
  Weights(int64_t in, int64_t out, int64_t taps)
      : in(in), out(out), taps(taps), places(out * taps), weights(out * taps) {}
  void set(int64_t output, int64_t tap, int64_t place, A weight) {
    places[tap * out + output] = place;
    weights[tap * out + output] = weight;
  }
  int64_t in, out, taps;
  Map places;
  std::vector<A> weights;
};

template <class A>
A cubic_near(A x, A a) {
  return ((a + 2) * x - (a + 3)) * x * x + 1;
}
template <class A>
A cubic_far(A x, A a) {
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

template <class A>
A ratio_of(bool align_corners, double scale, int64_t in, int64_t out) {
  if (align_corners) return out > 1 ? static_cast<A>(in - 1) / static_cast<A>(out - 1) : A(0);
  return scale > 0 ? static_cast<A>(1.0 / scale) : static_cast<A>(in) / static_cast<A>(out);
}

template <class A>
Weights<A> interpolating(bool cubic, bool align_corners, double scale, int64_t in, int64_t out) {
  Weights<A> w(in, out, cubic ? 4 : 2);
  const A ratio = ratio_of<A>(align_corners, scale, in, out), a = A(-0.75);
  for (int64_t i = 0; i < out; ++i) {
    A at = align_corners ? ratio * static_cast<A>(i) : ratio * (static_cast<A>(i) + A(0.5)) - A(0.5);
    if (!cubic && at < 0) at = 0;
    int64_t low = cubic ? static_cast<int64_t>(std::floor(at)) : static_cast<int64_t>(at);
    low = std::min(low, in - 1);
    const A t = std::min(std::max(at - static_cast<A>(low), A(0)), A(1));
    if (cubic) {
      const A shares[] = {cubic_far(t + 1, a), cubic_near(t, a), cubic_near(1 - t, a), cubic_far(2 - t, a)};
      for (int64_t k = 0; k < 4; ++k) w.set(i, k, std::min(std::max<int64_t>(low + k - 1, 0), in - 1), shares[k]);
    } else {
      w.set(i, 0, low, 1 - t);
      w.set(i, 1, std::min(low + 1, in - 1), t);
    }
  }
  return w;
}

// As PyTorch's CPU, which keeps the weights of one and of three linear axes in the tensor's own type (those of two in
// float32): the far one is rounded, then what it leaves to the near one.
void round_weights(Weights<float>& w, DType type) {
  const auto narrow = kernels::pointwise().convert(DType::Float32, type);
  const auto widen = kernels::pointwise().convert(type, DType::Float32);
  std::vector<uint16_t> half(w.out);
  float *near = w.weights.data(), *far = near + w.out;
  narrow(half.data(), far, w.out);
  widen(far, half.data(), w.out);
  for (int64_t i = 0; i < w.out; ++i) near[i] = 1 - far[i];
  narrow(half.data(), near, w.out);
  widen(near, half.data(), w.out);
}

// Downsampling widens the filter: every input counts.
template <class A>
Weights<A> antialiasing(bool cubic, bool align_corners, double scale, int64_t in, int64_t out) {
  const A ratio = ratio_of<A>(align_corners, scale, in, out), a = A(-0.5);
  const A reach = (cubic ? A(2) : A(1)) * std::max(ratio, A(1)), inverse = ratio >= 1 ? 1 / ratio : A(1);
  auto filter = [&](A x) {
    x = std::abs(x);
    if (!cubic) return x < 1 ? 1 - x : A(0);
    return x < 1 ? cubic_near(x, a) : x < 2 ? cubic_far(x, a) : A(0);
  };
  Weights<A> w(in, out, static_cast<int64_t>(std::ceil(reach)) * 2 + 1);
  for (int64_t i = 0; i < out; ++i) {
    const A centre = ratio * (static_cast<A>(i) + A(0.5));  // align_corners tells in the ratio alone
    const int64_t first = std::max<int64_t>(static_cast<int64_t>(centre - reach + A(0.5)), 0);
    const int64_t end = std::min(static_cast<int64_t>(centre + reach + A(0.5)), in);
    const int64_t count = std::min(std::max<int64_t>(end - first, 0), w.taps);
    auto share = [&](int64_t k) { return filter((static_cast<A>(k + first) - centre + A(0.5)) * inverse); };
    A total = 0;
    for (int64_t k = 0; k < count; ++k) total += share(k);
    for (int64_t k = 0; k < count; ++k) w.set(i, k, k + first, total != 0 ? share(k) / total : A(0));
  }
  return w;
}

template <class A>
Weights<A> weights_of(Filter filter, bool align_corners, double scale, int64_t in, int64_t out) {
  const bool cubic = filter == Filter::Cubic || filter == Filter::CubicAntialias;
  return filter == Filter::Linear || filter == Filter::Cubic ? interpolating<A>(cubic, align_corners, scale, in, out)
                                                             : antialiasing<A>(cubic, align_corners, scale, in, out);
}

struct Filtered {
  kernels::Extent in, out;
  int64_t planes;
};

// One axis of a plane [outer, in, inner].
template <class A>
struct AxisPass {
  int64_t outer, inner;
  Weights<A> weights;
  kernels::ResampleShape shape() const {
    return {weights.in, weights.out, inner, weights.taps, weights.places.data(), weights.weights.data()};
  }
};

// The passes of one plane, width first on the way up and last on the way down, and the largest of what is between them.
template <class A>
struct PlanePasses {
  std::vector<AxisPass<A>> passes;
  int64_t largest = 0;

  PlanePasses(int dims, bool forward, Filter filter, bool align_corners, std::span<const double> scales,
              const Filtered& f) {
    int64_t sizes[3] = {f.in.d, f.in.h, f.in.w};
    const int64_t wanted[3] = {f.out.d, f.out.h, f.out.w};
    for (int k = 0; k < dims; ++k) {
      const int axis = 2 - k;  // the forward's order; the backward runs its passes in reverse
      int64_t outer = 1, inner = 1;
      for (int d = 0; d < axis; ++d) outer *= sizes[d];
      for (int d = axis + 1; d < 3; ++d) inner *= sizes[d];
      passes.push_back(
          {outer, inner, weights_of<A>(filter, align_corners, scale_at(scales, k + 1), sizes[axis], wanted[axis])});
      sizes[axis] = wanted[axis];
      largest = std::max(largest, outer * inner * sizes[axis]);
    }
    if (!forward) std::reverse(passes.begin(), passes.end());
  }

  void round_weights(DType type) {
    for (AxisPass<A>& pass : passes) ops::round_weights(pass.weights, type);
  }

  // For planes that stand side by side in memory: pass by pass, each shared out over the Team.
  void run(bool forward, int64_t planes, const void* from, void* to, void* const buffers[2],
           TaskContext& context) const {
    for (size_t k = 0; k < passes.size(); ++k) {
      const AxisPass<A>& pass = passes[k];
      void* target = k + 1 == passes.size() ? to : buffers[k % 2];
      context.team.for_ranges(
          planes * pass.outer, plane_grain((pass.weights.in + pass.weights.out) * pass.inner),
          [&](int64_t begin, int64_t end) { kernel(forward)(from, pass.shape(), target, begin, end); });
      from = target;
    }
  }
  // One plane, on this thread.
  void run(bool forward, const void* from, void* to, void* const buffers[2]) const {
    for (size_t k = 0; k < passes.size(); ++k) {
      void* target = k + 1 == passes.size() ? to : buffers[k % 2];
      kernel(forward)(from, passes[k].shape(), target, 0, passes[k].outer);
      from = target;
    }
  }

 private:
  static auto kernel(bool forward) {
    const kernels::ResampleKernels& table = kernels::resample();
    return forward ? table.resample[sizeof(A) == 8] : table.resample_backward[sizeof(A) == 8];
  }
};

// Dense planes, enough of them to share out whole: each is widened, resampled and narrowed while it is in the cache.
template <class A>
Launch launch_by_planes(const char* op, bool forward, PlanePasses<A> passes, int64_t planes, const TensorView& from,
                        const TensorView& to, double us) {
  const int64_t from_count = from.numel() / planes, to_count = to.numel() / planes;
  return {Task(op, static_cast<float>(us),
               [=, passes = std::move(passes)](TaskContext& context) {
                 constexpr DType kCompute = sizeof(A) == 8 ? DType::Float64 : DType::Float32;
                 const bool as_is = from.dtype == kCompute;
                 const kernels::ConvertFn widen = kernels::pointwise().convert(from.dtype, kCompute),
                                          narrow = kernels::pointwise().convert(kCompute, to.dtype);
                 context.team.for_ranges(planes, plane_grain(from_count + to_count), [&](int64_t begin, int64_t end) {
                   A* x = static_cast<A*>(thread_scratch(sizeof(A) * (from_count + to_count + 2 * passes.largest)));
                   A* y = x + from_count;
                   void* const buffers[2] = {y + to_count, y + to_count + passes.largest};
                   for (int64_t p = begin; p < end; ++p) {
                     const char* source = from.as<const char>() + p * from_count * size_of(from.dtype);
                     char* target = to.as<char>() + p * to_count * size_of(to.dtype);
                     if (!as_is) widen(x, source, from_count);
                     passes.run(forward, as_is ? source : static_cast<const void*>(x),
                                as_is ? target : static_cast<void*>(y), buffers);
                     if (!as_is) narrow(target, y, to_count);
                   }
                 });
               }),
          0};
}

template <class A>
Launch launch_filtered(const char* op, int dims, bool forward, Filter filter, bool align_corners,
                       std::span<const double> scales, const Filtered& f, const TensorView& from,
                       const TensorView& to) {
  PlanePasses<A> passes(dims, forward, filter, align_corners, scales, f);
  if constexpr (sizeof(A) == sizeof(float)) {
    if (forward && filter == Filter::Linear && dims != 2 && is_half(from.dtype)) passes.round_weights(from.dtype);
  }
  const double us = static_cast<double>(std::max(from.numel(), to.numel())) * dims / 600;
  if (f.planes >= 8 && from.numel() > 0 && to.numel() > 0 && from.is_contiguous() && to.is_contiguous())
    return launch_by_planes<A>(op, forward, std::move(passes), f.planes, from, to, us);
  const DType compute = sizeof(A) == 8 ? DType::Float64 : DType::Float32;
  Staging staging;
  const size_t between = sizeof(A) * static_cast<size_t>(f.planes * passes.largest);
  const Slot x = staging.input(from, compute), y = staging.output(to, compute),
             first = staging.scratch(dims > 1 ? between : 0), second = staging.scratch(dims > 2 ? between : 0);
  return std::move(staging).launch(op, us, [=, passes = std::move(passes)](TaskContext& c) {
    void* const buffers[2] = {first.in(c), second.in(c)};
    passes.run(forward, f.planes, x.in(c), y.in(c), buffers, c);
  });
}

Result<Launch> filtered(const char* op, int dims, bool forward, Filter filter, bool align_corners,
                        std::span<const double> scales, const TensorView& small, const TensorView& large) {
  Filtered f{};
  ASSIGN_OR_RETURN(f.in, spatial(op, dims, small));
  ASSIGN_OR_RETURN(f.out, spatial(op, dims, large));
  f.planes = planes_of(dims, small);
  if (floating_index(small.dtype) < 0 || small.dtype != large.dtype || f.planes != planes_of(dims, large))
    return refuse(op, small, large, "one floating type and as many planes needed");
  const TensorView &from = forward ? small : large, &to = forward ? large : small;
  if (small.dtype == DType::Float64)
    return launch_filtered<double>(op, dims, forward, filter, align_corners, scales, f, from, to);
  return launch_filtered<float>(op, dims, forward, filter, align_corners, scales, f, from, to);
}

}  // namespace

Result<Launch> upsample_nearest(int dims, bool exact, const TensorView& self, std::span<const double> scales,
                                const TensorView& out) {
  ASSIGN_OR_RETURN(Maps maps, maps_of("upsample_nearest", dims, self, out, [&](int axis, int64_t in, int64_t size) {
                     return nearest_map(exact, scale_at(scales, axis), in, size);
                   }));
  return launch_remap("upsample_nearest", std::move(maps), self, out);
}

Result<Launch> upsample_nearest_backward(int dims, bool exact, const TensorView& grad_output,
                                         std::span<const double> scales, const TensorView& grad_input) {
  ASSIGN_OR_RETURN(Maps maps, maps_of("upsample_nearest_backward", dims, grad_input, grad_output,
                                      [&](int axis, int64_t in, int64_t size) {
                                        return nearest_map(exact, scale_at(scales, axis), in, size);
                                      }));
  return launch_remap_backward("upsample_nearest_backward", std::move(maps), grad_output, grad_input);
}

Result<Launch> upsample_filtered(int dims, Filter filter, const TensorView& self, bool align_corners,
                                 std::span<const double> scales, const TensorView& out) {
  return filtered("upsample", dims, true, filter, align_corners, scales, self, out);
}
Result<Launch> upsample_filtered_backward(int dims, Filter filter, const TensorView& grad_output, bool align_corners,
                                          std::span<const double> scales, const TensorView& grad_input) {
  return filtered("upsample_backward", dims, false, filter, align_corners, scales, grad_input, grad_output);
}

}  // namespace cann::ops
