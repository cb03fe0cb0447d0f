// Activations and their gradients. Backward functors take the incoming gradient first.
#include "cann/kernels/math.h"
#include "cann/kernels/pointwise/elements.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T> struct Relu { T operator()(T x) const { return x < T(0) ? T(0) : x; } };

template <class T>
struct Threshold {
  T threshold, value;
  explicit Threshold(const Params& p) : threshold(p.get<T>(0)), value(p.get<T>(1)) {}
  T operator()(T x) const { return x <= threshold ? value : x; }
};
template <class T>
struct ThresholdBackward {
  T threshold;
  explicit ThresholdBackward(const Params& p) : threshold(p.get<T>(0)) {}
  T operator()(T g, T x) const { return x <= threshold ? T(0) : g; }
};

}  // namespace

void add_activation(TileTable& t) {
  put<Relu>(t, Op::Relu, Reals{});
  put<Threshold>(t, Op::Threshold, Reals{});
  put<ThresholdBackward>(t, Op::ThresholdBackward, Reals{});
}

}  // namespace cann::kernels::CANN_ISA
