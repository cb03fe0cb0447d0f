// Sums of probabilities are taken as logarithms about the largest. -inf is a probability of 0; NaN goes through.
#include "cann/kernels/loss/ctc.h"

#include "cann/kernels/math.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr double kNever = -__builtin_inf();

template <class T>
T log_sum(T a, T b, T c) {
  T top = a > b || a != a ? a : b;
  top = c > top || c != c ? c : top;
  if (top == static_cast<T>(kNever)) return top;
  return top + math::log(math::exp(a - top) + math::exp(b - top) + math::exp(c - top));
}

int64_t label(const CtcSequence& s, int64_t place) { return place % 2 ? s.target[place / 2] : s.blank; }

// Whether the blank between two labels may be passed over.
bool may_skip(const CtcSequence& s, int64_t place) {
  return place >= 2 && place % 2 && label(s, place) != label(s, place - 2);
}

template <class T>
double forward(const CtcSequence& s) {
  const T never = static_cast<T>(kNever);
  const int64_t places = 2 * s.length + 1;
  if (s.steps == 0) return s.length == 0 ? 0 : -kNever;
  const T* log_probs = static_cast<const T*>(s.log_probs);
  T* alpha = static_cast<T*>(s.log_alpha);
  for (int64_t p = 0; p < places; ++p) alpha[p] = p < 2 ? log_probs[label(s, p)] : never;
  for (int64_t t = 1; t < s.steps; ++t) {
    const T* before = alpha;
    alpha += s.alpha_step;
    log_probs += s.row_step;
    for (int64_t p = 0; p < places; ++p)
      alpha[p] = log_probs[label(s, p)] +
                 log_sum(before[p], p >= 1 ? before[p - 1] : never, may_skip(s, p) ? before[p - 2] : never);
  }
  return -static_cast<double>(log_sum(alpha[places - 1], places > 1 ? alpha[places - 2] : never, never));
}

// d/d log_probs[t, c] = (p[t, c] - sum over places of label c of alpha beta / p[t, c] / likelihood) grad.
template <class T>
void gradient(const CtcGradient& g) {
  const CtcSequence& s = g.sequence;
  const T never = static_cast<T>(kNever), grad = static_cast<T>(g.grad), loss = static_cast<T>(g.loss);
  const int64_t places = 2 * s.length + 1;
  T *beta = static_cast<T*>(g.scratch), *after = beta + places;
  for (int64_t p = 0; p < places; ++p) after[p] = p + 2 >= places ? T(0) : never;  // both ends of the last step
  for (int64_t t = s.steps - 1; t >= 0; --t) {
    const T* log_probs = static_cast<const T*>(s.log_probs) + t * s.row_step;
    const T* alpha = static_cast<const T*>(s.log_alpha) + t * s.alpha_step;
    T* out = static_cast<T*>(g.out) + t * s.row_step;
    for (int64_t c = 0; c < s.classes; ++c) out[c] = never;
    for (int64_t p = 0; p < places; ++p) {
      const int64_t c = label(s, p);
      const bool is_last = t == s.steps - 1;
      const T next = p + 1 < places ? after[p + 1] : never;
      const T skipped = p + 2 < places && may_skip(s, p + 2) ? after[p + 2] : never;
      beta[p] = log_probs[c] + (is_last ? after[p] : log_sum(after[p], next, skipped));
      out[c] = log_sum(out[c], alpha[p] + beta[p], never);
    }
    for (int64_t c = 0; c < s.classes; ++c)
      out[c] = (math::exp(log_probs[c]) - math::exp(out[c] + loss - log_probs[c])) * grad;
    T* other = beta;
    beta = after;
    after = other;
  }
}

}  // namespace

extern const CtcKernels ctc_table{.forward = {forward<float>, forward<double>},
                                  .gradient = {gradient<float>, gradient<double>}};

}  // namespace cann::kernels::CANN_ISA
