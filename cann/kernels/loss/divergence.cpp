#include "cann/kernels/loss/divergence.h"

#include <cmath>

namespace cann::kernels::CANN_ISA {
namespace {

template <class A>
A incoming(const Incoming& g, int64_t i) {
  return static_cast<const A*>(g.grads)[g.one ? 0 : i] * static_cast<A>(g.scale);
}

template <class A>
double kl_div(const void* x_data, const void* t_data, bool log_target, void* out, int64_t begin, int64_t end) {
  auto x = static_cast<const A*>(x_data), t = static_cast<const A*>(t_data);
  double sum = 0;
  for (int64_t i = begin; i < end; ++i) {
    const A share = log_target ? std::exp(t[i]) : t[i];
    const A y = log_target ? share * (t[i] - x[i]) : t[i] == 0 ? A(0) : t[i] * (std::log(t[i]) - x[i]);
    if (out) static_cast<A*>(out)[i] = y;
    sum += y;
  }
  return sum;
}

template <class A>
void kl_div_backward(const Incoming& g, const void* t_data, bool log_target, void* dx, int64_t begin, int64_t end) {
  auto t = static_cast<const A*>(t_data);
  for (int64_t i = begin; i < end; ++i)
    static_cast<A*>(dx)[i] = -incoming<A>(g, i) * (log_target ? std::exp(t[i]) : t[i]);
}

template <class A>
void kl_div_target_backward(const Incoming& g, const void* x_data, const void* t_data, bool log_target, void* dt,
                            int64_t begin, int64_t end) {
  auto x = static_cast<const A*>(x_data), t = static_cast<const A*>(t_data);
  for (int64_t i = begin; i < end; ++i) {
    const A slope = log_target ? std::exp(t[i]) * (t[i] + 1 - x[i]) : t[i] == A(0) ? A(0) : std::log(t[i]) + 1 - x[i];
    static_cast<A*>(dt)[i] = incoming<A>(g, i) * slope;
  }
}

template <class A>
void bce_with_logits_backward(const Incoming& g, const void* x_data, const void* t_data, const void* weight,
                              const void* pos_weight, void* dx, int64_t begin, int64_t end) {
  auto x = static_cast<const A*>(x_data), t = static_cast<const A*>(t_data);
  auto w = static_cast<const A*>(weight), p = static_cast<const A*>(pos_weight);
  for (int64_t i = begin; i < end; ++i) {
    const A hit = t[i] * (p ? p[i] : A(1)), sigmoid = 1 / (1 + std::exp(-x[i]));
    static_cast<A*>(dx)[i] = incoming<A>(g, i) * (w ? w[i] : A(1)) * ((hit + 1 - t[i]) * sigmoid - hit);
  }
}

}  // namespace

extern const DivergenceKernels divergence_table{
    .kl_div = {kl_div<float>, kl_div<double>},
    .kl_div_backward = {kl_div_backward<float>, kl_div_backward<double>},
    .kl_div_target_backward = {kl_div_target_backward<float>, kl_div_target_backward<double>},
    .bce_with_logits_backward = {bce_with_logits_backward<float>, bce_with_logits_backward<double>},
};

}  // namespace cann::kernels::CANN_ISA
