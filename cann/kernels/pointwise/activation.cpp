// Activations and their gradients, each formula at its functor. NaN stays NaN unless said otherwise. Backward functors
// take the incoming gradient g first.
#include "cann/kernels/math_more.h"
#include "cann/kernels/pointwise/elements.h"

namespace cann::kernels::CANN_ISA {
namespace {

using math::sigmoid;

template <class T>
struct Relu {
  T operator()(T x) const { return x < T(0) ? T(0) : x; }
};

// x above the threshold, else the value; NaN counts as above.
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

template <class T>
struct LeakyRelu {
  T slope;
  explicit LeakyRelu(const Params& p) : slope(p.get<T>(0)) {}
  T operator()(T x) const { return x > 0 ? x : x * slope; }
};
template <class T>
struct LeakyReluBackward {
  T slope;
  explicit LeakyReluBackward(const Params& p) : slope(p.get<T>(0)) {}
  T operator()(T g, T x) const { return x > 0 ? g : g * slope; }
};
template <class T>
struct Prelu {
  T operator()(T x, T weight) const { return x > 0 ? x : weight * x; }
};
template <class T>
struct PreluBackward {
  T operator()(T g, T x, T weight) const { return x > 0 ? g : weight * g; }
};
template <class T>
struct PreluWeightBackward {
  T operator()(T g, T x) const { return x > 0 ? T(0) : x * g; }
};

// scale (x > 0 ? x : alpha (e^(input_scale x) - 1))
template <class T>
struct Elu {
  T negative, scale, input_scale;
  explicit Elu(const Params& p) : negative(p.get<T>(0) * p.get<T>(1)), scale(p.get<T>(1)), input_scale(p.get<T>(2)) {}
  T operator()(T x) const {
    const T below = math::expm1((x > 0 ? T(0) : x) * input_scale) * negative;
    return x > 0 ? x * scale : below;
  }
};
template <class T>
struct EluBackward {
  T negative, scale, input_scale;
  bool is_result;
  explicit EluBackward(const Params& p)
      : negative(p.get<T>(0) * p.get<T>(1)),
        scale(p.get<T>(1)),
        input_scale(p.get<T>(2)),
        is_result(p.get<T>(3) != 0) {}
  T operator()(T g, T x) const {
    const T low = x > 0 ? T(0) : x;
    const T below =
        is_result ? g * input_scale * (x + negative) : g * input_scale * negative * math::exp(low * input_scale);
    return x > 0 ? g * scale : below;
  }
};

// The normal distribution's function, within 6e-7 and, above -3, 4e-6 of itself: e^q(|x|) is its lower tail, and
// nothing below -7.07 (8e-13). Half the work of erf.
inline float normal_cdf(float x) {
  const float a = __builtin_fabsf(x), t = a > 7.0710678f ? 7.0710678f : a;
  const float q = math::horner(t, 1.2190627e-09f, -4.94728893e-08f, 8.80375703e-07f, -8.96019423e-06f, 5.58800627e-05f,
                               -0.000193137071f, -1.66613564e-05f, 0.00484942664f, -0.03638017f, -0.318295358f,
                               -0.797886375f, -0.693147143f);
  // e^q as math::exp, whose ends do not come up: q lies in [-28, -0.69].
  const float shifted = math::mad(q, 0x1.715476p+0f, 0x1.8p23f), n = shifted - 0x1.8p23f;
  const float r = math::mad(n, -0x1.7f7d1cp-20f, math::mad(n, -0x1.62e4p-1f, q));
  float p = math::horner(r, 0x1.123b92p-7f, 0x1.55545ep-5f, 0x1.55548ep-3f, 0.5f);
  p = math::mad(p, r * r, r) + 1.0f;
  const float power = bits_as<float>(bits_as<uint32_t>(p) + (bits_as<uint32_t>(shifted) << 23));
  const float tail = a > 7.0710678f ? 0.0f : power;
  return x < 0.0f ? tail : 1.0f - tail;
}
inline double normal_cdf(double x) { return 0.5 * (1 + math::erf(x * 0.70710678118654752)); }

// x Phi(x), with Phi the normal distribution.
template <class T>
struct Gelu {
  T operator()(T x) const { return x * normal_cdf(x); }
};
// g (Phi(x) + x phi(x))
template <class T>
struct GeluBackward {
  T operator()(T g, T x) const {
    const T cdf = normal_cdf(x);
    const T pdf = math::exp(T(-0.5) * x * x) * static_cast<T>(0.39894228040143268);
    return g * (cdf + x * pdf);
  }
};
// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
template <class T>
struct GeluTanh {
  static T inner(T x) { return static_cast<T>(0.79788456080286536) * (x + static_cast<T>(0.044715) * x * x * x); }
  T operator()(T x) const { return T(0.5) * x * (T(1) + math::tanh(inner(x))); }
};
template <class T>
struct GeluTanhBackward {
  T operator()(T g, T x) const {
    const T t = math::tanh(GeluTanh<T>::inner(x));
    const T slope = static_cast<T>(0.79788456080286536) * (T(1) + T(3) * static_cast<T>(0.044715) * x * x);
    return g * (T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * slope);
  }
};
// x sigmoid(1.702 x)
template <class T>
struct FastGelu {
  T operator()(T x) const { return x * sigmoid(static_cast<T>(1.702) * x); }
};
template <class T>
struct FastGeluBackward {
  T operator()(T g, T x) const {
    const T k = static_cast<T>(1.702), s = sigmoid(k * x);
    return g * (s + k * x * s * (T(1) - s));
  }
};

// x sigmoid(x)
template <class T>
struct Silu {
  T operator()(T x) const { return x / (T(1) + math::exp(-x)); }
};
template <class T>
struct SiluBackward {
  T operator()(T g, T x) const {
    const T s = sigmoid(x);
    return g * s * (T(1) + x * (T(1) - s));
  }
};
template <class T>
struct SiluMul {
  T operator()(T x, T y) const { return Silu<T>{}(x)*y; }
};

// log(1 + e^x), without overflow: max(x, 0) + log1p(e^-|x|)
template <class T>
inline T soft_plus(T x) {
  const T high = x > 0 ? x : T(0);
  return x != x ? x : high + math::log1p(math::exp(-std::fabs(x)));
}
// x tanh(softplus(x)) = x (u^2 + 2u) / (u^2 + 2u + 2) with u = e^x; x itself above 20, where they agree.
template <class T>
struct Mish {
  static T gate(T x) {
    const T u = math::exp(x > 20 ? T(20) : x), w = u * (u + T(2));
    return w / (w + T(2));
  }
  T operator()(T x) const { return x * gate(x); }
};
template <class T>
struct MishBackward {
  T operator()(T g, T x) const {
    const T t = Mish<T>::gate(x);
    return g * (t + x * sigmoid(x) * (T(1) - t * t));
  }
};

// log(1 + e^(beta x)) / beta; x itself where beta x passes the threshold.
template <class T>
struct Softplus {
  T beta, threshold;
  explicit Softplus(const Params& p) : beta(p.get<T>(0)), threshold(p.get<T>(1)) {}
  T operator()(T x) const {
    const T z = x * beta;
    return z > threshold ? x : soft_plus(z) / beta;
  }
};
template <class T>
struct SoftplusBackward {
  T beta, threshold;
  explicit SoftplusBackward(const Params& p) : beta(p.get<T>(0)), threshold(p.get<T>(1)) {}
  T operator()(T g, T x) const {
    const T z = x * beta;
    return z > threshold ? g : g * sigmoid(z);
  }
};
template <class T>
struct LogSigmoid {
  T operator()(T x) const { return -soft_plus(-x); }
};
template <class T>
struct LogSigmoidBackward {
  T operator()(T g, T x) const { return g * sigmoid(-x); }
};
template <class T>
struct SigmoidBackward {
  T operator()(T g, T y) const { return g * (T(1) - y) * y; }
};
template <class T>
struct TanhBackward {
  T operator()(T g, T y) const { return g * (T(1) - y * y); }
};

template <class T>
inline T clip(T x, T low, T high) {
  const T y = x < low ? low : x;
  return y > high ? high : y;
}
// min(max(x + 3, 0), 6) / 6, and x times it
template <class T>
struct Hardsigmoid {
  T operator()(T x) const { return clip(x + T(3), T(0), T(6)) / T(6); }
};
template <class T>
struct HardsigmoidBackward {
  T operator()(T g, T x) const { return (x > T(-3)) & (x < T(3)) ? g / T(6) : T(0); }
};
template <class T>
struct Hardswish {
  T operator()(T x) const { return x * clip(x + T(3), T(0), T(6)) / T(6); }
};
template <class T>
struct HardswishBackward {
  T operator()(T g, T x) const { return x <= T(-3) ? T(0) : x >= T(3) ? g : g * (x / T(3) + T(0.5)); }
};
template <class T>
struct HardtanhBackward {
  T low, high;
  explicit HardtanhBackward(const Params& p) : low(p.get<T>(0)), high(p.get<T>(1)) {}
  T operator()(T g, T x) const { return (x > low) & (x < high) ? g : T(0); }
};
template <class T>
struct Hardshrink {
  T lambda;
  explicit Hardshrink(const Params& p) : lambda(p.get<T>(0)) {}
  T operator()(T x) const { return (x >= -lambda) & (x <= lambda) ? T(0) : x; }
};
// Softshrink's gradient as well. 0 where x is NaN.
template <class T>
struct HardshrinkBackward {
  T lambda;
  explicit HardshrinkBackward(const Params& p) : lambda(p.get<T>(0)) {}
  T operator()(T g, T x) const { return (x > lambda) | (x < -lambda) ? g : T(0); }
};
template <class T>
struct Softshrink {
  T lambda;
  explicit Softshrink(const Params& p) : lambda(p.get<T>(0)) {}
  T operator()(T x) const { return x != x ? x : x > lambda ? x - lambda : x < -lambda ? x + lambda : T(0); }
};
template <class T>
struct Glu {
  T operator()(T value, T gate) const { return value * sigmoid(gate); }
};
// The gate's gradient; the value's is Glu of g and the gate.
template <class T>
struct GluBackwardGate {
  T operator()(T g, T value, T gate) const {
    const T s = sigmoid(gate);
    return (T(1) - s) * s * g * value;
  }
};

}  // namespace

void add_activation(TileTable& t) {
  put<Relu>(t, Op::Relu, Reals{});
  put<Threshold>(t, Op::Threshold, Reals{});
  put<ThresholdBackward>(t, Op::ThresholdBackward, Reals{});
  put<LeakyRelu>(t, Op::LeakyRelu, Floats{});
  put<LeakyReluBackward>(t, Op::LeakyReluBackward, Floats{});
  put<Prelu>(t, Op::Prelu, Floats{});
  put<PreluBackward>(t, Op::PreluBackward, Floats{});
  put<PreluWeightBackward>(t, Op::PreluWeightBackward, Floats{});
  put<Elu>(t, Op::Elu, Floats{});
  put<EluBackward>(t, Op::EluBackward, Floats{});
  put<Gelu>(t, Op::Gelu, Floats{});
  put<GeluBackward>(t, Op::GeluBackward, Floats{});
  put<GeluTanh>(t, Op::GeluTanh, Floats{});
  put<GeluTanhBackward>(t, Op::GeluTanhBackward, Floats{});
  put<FastGelu>(t, Op::FastGelu, Floats{});
  put<FastGeluBackward>(t, Op::FastGeluBackward, Floats{});
  put<Silu>(t, Op::Silu, Floats{});
  put<SiluBackward>(t, Op::SiluBackward, Floats{});
  put<SiluMul>(t, Op::SiluMul, Floats{});
  put<Mish>(t, Op::Mish, Floats{});
  put<MishBackward>(t, Op::MishBackward, Floats{});
  put<Softplus>(t, Op::Softplus, Floats{});
  put<SoftplusBackward>(t, Op::SoftplusBackward, Floats{});
  put<LogSigmoid>(t, Op::LogSigmoid, Floats{});
  put<LogSigmoidBackward>(t, Op::LogSigmoidBackward, Floats{});
  put<SigmoidBackward>(t, Op::SigmoidBackward, Floats{});
  put<TanhBackward>(t, Op::TanhBackward, Floats{});
  put<Hardsigmoid>(t, Op::Hardsigmoid, Floats{});
  put<HardsigmoidBackward>(t, Op::HardsigmoidBackward, Floats{});
  put<Hardswish>(t, Op::Hardswish, Floats{});
  put<HardswishBackward>(t, Op::HardswishBackward, Floats{});
  put<HardtanhBackward>(t, Op::HardtanhBackward, Floats{});
  put<Hardshrink>(t, Op::Hardshrink, Floats{});
  put<HardshrinkBackward>(t, Op::HardshrinkBackward, Floats{});
  put<Softshrink>(t, Op::Softshrink, Floats{});
  put<Glu>(t, Op::Glu, Floats{});
  put<GluBackwardGate>(t, Op::GluBackwardGate, Floats{});
}

}  // namespace cann::kernels::CANN_ISA
