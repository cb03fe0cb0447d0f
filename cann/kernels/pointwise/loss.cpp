// The elements of pointwise losses and their gradients; sums and means are the reduction family's. A backward's factor
// holds 1 or 1 / number of elements.
#include "cann/kernels/math_more.h"
#include "cann/kernels/pointwise/elements.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
inline T sign_of(T x) {
  return static_cast<T>(x > 0) - static_cast<T>(x < 0);
}

template <class T>
struct MseLoss {
  T operator()(T x, T y) const { return (x - y) * (x - y); }
};
template <class T>
struct MseLossBackward {
  T factor;
  explicit MseLossBackward(const Params& p) : factor(p.get<T>(0)) {}
  T operator()(T g, T x, T y) const { return T(2) * factor * (x - y) * g; }
};
template <class T>
struct L1Loss {
  T operator()(T x, T y) const { return std::fabs(x - y); }
};
template <class T>
struct L1LossBackward {
  T factor;
  explicit L1LossBackward(const Params& p) : factor(p.get<T>(0)) {}
  T operator()(T g, T x, T y) const { return sign_of(x - y) * factor * g; }
};

// d = |x - y|: d^2 / (2 beta) below beta, d - beta / 2 above.
template <class T>
struct SmoothL1Loss {
  T beta;
  explicit SmoothL1Loss(const Params& p) : beta(p.get<T>(0)) {}
  T operator()(T x, T y) const {
    const T d = std::fabs(x - y);
    return d < beta ? T(0.5) * d * d / beta : d - T(0.5) * beta;
  }
};
template <class T>
struct SmoothL1LossBackward {
  T factor, beta;
  explicit SmoothL1LossBackward(const Params& p) : factor(p.get<T>(0)), beta(p.get<T>(1)) {}
  T operator()(T g, T x, T y) const {
    const T d = x - y;
    return d <= -beta ? -factor * g : d >= beta ? factor * g : factor * d * g / beta;
  }
};
// d^2 / 2 up to delta, delta (d - delta / 2) above.
template <class T>
struct HuberLoss {
  T delta;
  explicit HuberLoss(const Params& p) : delta(p.get<T>(0)) {}
  T operator()(T x, T y) const {
    const T d = std::fabs(x - y);
    return d <= delta ? T(0.5) * d * d : delta * (d - T(0.5) * delta);
  }
};
template <class T>
struct HuberLossBackward {
  T factor, delta;
  explicit HuberLossBackward(const Params& p) : factor(p.get<T>(0)), delta(p.get<T>(1)) {}
  T operator()(T g, T x, T y) const {
    const T d = x - y;
    return d <= -delta ? -factor * g * delta : d >= delta ? factor * g * delta : factor * d * g;
  }
};

// -w (y log x + (1 - y) log(1 - x)), logarithms no lower than -100.
template <class T>
struct BinaryCrossEntropy {
  T operator()(T x, T y, T w) const {
    const T a = math::log(x), b = math::log1p(-x);
    return w * ((y - T(1)) * (b < T(-100) ? T(-100) : b) - y * (a < T(-100) ? T(-100) : a));
  }
};
// w ((1 - y) x + (1 + (p - 1) y) log(1 + e^-x)), p the weight of positive examples.
template <class T>
struct BinaryCrossEntropyWithLogits {
  T operator()(T x, T y, T w, T p) const {
    const T low = x < 0 ? -x : T(0);
    const T soft = low + math::log1p(math::exp(-std::fabs(x)));
    const T y1 = (T(1) - y) * x + (T(1) + (p - T(1)) * y) * soft;
    return x != x ? x : w * y1;
  }
};
template <class T>
struct BinaryCrossEntropyBackward {
  T factor;
  explicit BinaryCrossEntropyBackward(const Params& p) : factor(p.get<T>(0)) {}
  T operator()(T g, T x, T y, T w) const {
    const T spread = (T(1) - x) * x, floor = static_cast<T>(1e-12);
    return factor * w * g * (x - y) / (spread < floor ? floor : spread);
  }
};

// log(1 + e^(-x y))
template <class T>
struct SoftMargin {
  T operator()(T x, T y) const {
    const T z = -x * y, high = z > 0 ? z : T(0);
    return z != z ? z : high + math::log1p(math::exp(-std::fabs(z)));
  }
};
template <class T>
struct SoftMarginBackward {
  T factor;
  explicit SoftMarginBackward(const Params& p) : factor(p.get<T>(0)) {}
  T operator()(T g, T x, T y) const { return -factor * g * y * math::sigmoid(-x * y); }
};

}  // namespace

void add_loss(TileTable& t) {
  put<MseLoss>(t, Op::MseLoss, Floats{});
  put<MseLossBackward>(t, Op::MseLossBackward, Floats{});
  put<L1Loss>(t, Op::L1Loss, Floats{});
  put<L1LossBackward>(t, Op::L1LossBackward, Floats{});
  put<SmoothL1Loss>(t, Op::SmoothL1Loss, Floats{});
  put<SmoothL1LossBackward>(t, Op::SmoothL1LossBackward, Floats{});
  put<HuberLoss>(t, Op::HuberLoss, Floats{});
  put<HuberLossBackward>(t, Op::HuberLossBackward, Floats{});
  put<BinaryCrossEntropy>(t, Op::BinaryCrossEntropy, Floats{});
  put<BinaryCrossEntropyWithLogits>(t, Op::BinaryCrossEntropyWithLogits, Floats{});
  put<BinaryCrossEntropyBackward>(t, Op::BinaryCrossEntropyBackward, Floats{});
  put<SoftMargin>(t, Op::SoftMargin, Floats{});
  put<SoftMarginBackward>(t, Op::SoftMarginBackward, Floats{});
}

}  // namespace cann::kernels::CANN_ISA
