// See the header. Written as PyTorch's formulas are, so that a step on the device equals the CPU's to the last bits but
// one.
#include "cann/kernels/optimizer/optimizer.h"

#include <cmath>

namespace cann::kernels::CANN_ISA {
namespace {

template <class T, bool kAmsgrad>
void adam_run(T* param, const T* grad, T* moment, T* second, T* largest, int64_t n, const AdamStep& s) {
  const T lr_decay = static_cast<T>(1 - s.lr * s.weight_decay), decay = static_cast<T>(s.weight_decay);
  const T one_less_beta1 = static_cast<T>(1 - s.beta1), beta2 = static_cast<T>(s.beta2),
          one_less_beta2 = static_cast<T>(1 - s.beta2);
  const T eps = static_cast<T>(s.eps), step_size = static_cast<T>(s.step_size),
          root = static_cast<T>(s.root_correction);
  const T scale = static_cast<T>((s.maximize ? -1 : 1) / s.grad_scale);
  const bool decoupled = s.decoupled;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    T g = grad[i] * scale;
    T p = param[i];
    g = decoupled ? g : g + p * decay;
    p = decoupled ? p * lr_decay : p;
    const T m = moment[i] + (g - moment[i]) * one_less_beta1;
    const T v = second[i] * beta2 + g * g * one_less_beta2;
    moment[i] = m;
    second[i] = v;
    T bound = v;
    if constexpr (kAmsgrad) {
      bound = largest[i] > v ? largest[i] : v;
      largest[i] = bound;
    }
    param[i] = p - step_size * m / (std::sqrt(bound) / root + eps);
  }
}

template <class T>
void adam(T* param, const T* grad, T* moment, T* second, T* largest, int64_t n, const AdamStep& s) {
  if (s.amsgrad)
    adam_run<T, true>(param, grad, moment, second, largest, n, s);
  else
    adam_run<T, false>(param, grad, moment, second, largest, n, s);
}

template <class T>
void sgd(T* param, const T* grad, T* momentum, int64_t n, const SgdStep& s) {
  const T lr = static_cast<T>(s.lr), decay = static_cast<T>(s.weight_decay), keep = static_cast<T>(s.momentum);
  const T fresh = static_cast<T>(1 - s.dampening), scale = static_cast<T>((s.maximize ? -1 : 1) / s.grad_scale);
  if (s.momentum == 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) param[i] -= lr * (grad[i] * scale + param[i] * decay);
    return;
  }
  const bool first = s.first, nesterov = s.nesterov;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T g = grad[i] * scale + param[i] * decay;
    const T b = first ? g : momentum[i] * keep + g * fresh;
    momentum[i] = b;
    param[i] -= lr * (nesterov ? g + b * keep : b);
  }
}

template <class T>
void adagrad(T* param, const T* grad, T* square_sum, int64_t n, const AdagradStep& s) {
  const T rate = static_cast<T>(s.rate), decay = static_cast<T>(s.weight_decay), eps = static_cast<T>(s.eps);
  const T scale = static_cast<T>((s.maximize ? -1 : 1) / s.grad_scale);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T g = grad[i] * scale + param[i] * decay;
    const T sum = square_sum[i] + g * g;
    square_sum[i] = sum;
    param[i] -= rate * g / (std::sqrt(sum) + eps);
  }
}

template <class T>
bool unscale(T* values, int64_t n, T factor) {
  int bad = 0;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    bad |= !(std::fabs(values[i]) < static_cast<T>(__builtin_inf()));
    values[i] *= factor;
  }
  return bad != 0;
}

}  // namespace

extern const OptimizerKernels optimizer_table{{adam<float>, sgd<float>, adagrad<float>, unscale<float>},
                                              {adam<double>, sgd<double>, adagrad<double>, unscale<double>}};

}  // namespace cann::kernels::CANN_ISA
