#include "cann/kernels/loss/loss.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class A>
int64_t nll_forward(const void* x, const int64_t* target, const void* weight, const NllShape& s, void* out, double* sum,
                    double* total_weight, int64_t begin, int64_t end) {
  auto from = static_cast<const A*>(x), w = static_cast<const A*>(weight);
  double total = 0, weights = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t t = target[i];
    A loss = 0;
    if (t != s.ignore_index) {
      if (t < 0 || t >= s.classes) return i;
      const A factor = w ? w[t] : A(1);
      loss = -from[(i / s.spatial * s.classes + t) * s.spatial + i % s.spatial] * factor;
      weights += factor;
    }
    if (out)
      static_cast<A*>(out)[i] = loss;
    else
      total += loss;
  }
  *sum = total;
  *total_weight = weights;
  return -1;
}

template <class A>
void nll_backward(const int64_t* target, const void* weight, const NllShape& s, const void* grads, bool one_grad,
                  double scale, void* dx, int64_t begin, int64_t end) {
  auto w = static_cast<const A*>(weight), g = static_cast<const A*>(grads);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t t = target[i];
    if (t == s.ignore_index || t < 0 || t >= s.classes) continue;
    const A factor = static_cast<A>(scale) * g[one_grad ? 0 : i];
    static_cast<A*>(dx)[(i / s.spatial * s.classes + t) * s.spatial + i % s.spatial] = -(w ? w[t] : A(1)) * factor;
  }
}

template <class A>
void multi_margin(const void* x, const int64_t* target, const void* weight, const MarginShape& s, void* out,
                  int64_t begin, int64_t end) {
  auto w = static_cast<const A*>(weight);
  const A margin = static_cast<A>(s.margin);
  for (int64_t r = begin; r < end; ++r) {
    const A* row = static_cast<const A*>(x) + r * s.classes;
    const int64_t t = target[r];
    A sum = 0;
    for (int64_t j = 0; j < s.classes; ++j) {
      A z = margin - row[t] + row[j];
      if (j != t && z > A(0)) sum += s.squared ? z * z : z;
    }
    static_cast<A*>(out)[r] = sum * (w ? w[t] : A(1)) / static_cast<A>(s.classes);
  }
}

template <class A>
void multi_margin_backward(const void* x, const int64_t* target, const void* weight, const MarginShape& s,
                           const void* grads, bool one_grad, double scale, void* dx, int64_t begin, int64_t end) {
  auto w = static_cast<const A*>(weight), g = static_cast<const A*>(grads);
  const A margin = static_cast<A>(s.margin);
  for (int64_t r = begin; r < end; ++r) {
    const A* row = static_cast<const A*>(x) + r * s.classes;
    A* to = static_cast<A*>(dx) + r * s.classes;
    const int64_t t = target[r];
    const A factor = static_cast<A>(scale) * g[one_grad ? 0 : r] * (w ? w[t] : A(1)) / static_cast<A>(s.classes);
    A at_target = 0;
    for (int64_t j = 0; j < s.classes; ++j) {
      A z = margin - row[t] + row[j];
      A d = j == t || z <= A(0) ? A(0) : s.squared ? A(2) * factor * z : factor;
      to[j] = d;
      at_target -= d;
    }
    to[t] = at_target;
  }
}

// Marks the targets of a row; how many there are.
template <class A>
int64_t mark_targets(const int64_t* target, int64_t classes, A* is_target) {
  for (int64_t j = 0; j < classes; ++j) is_target[j] = 0;
  int64_t count = 0;
  for (; count < classes && target[count] >= 0; ++count) is_target[target[count]] = 1;
  return count;
}

template <class A>
void multilabel_margin(const void* x, const int64_t* target, int64_t classes, void* is_target, void* out, int64_t begin,
                       int64_t end) {
  for (int64_t r = begin; r < end; ++r) {
    const A* row = static_cast<const A*>(x) + r * classes;
    const int64_t* targets = target + r * classes;
    A* marks = static_cast<A*>(is_target) + r * classes;
    const int64_t count = mark_targets(targets, classes, marks);
    A sum = 0;
    for (int64_t k = 0; k < count; ++k)
      for (int64_t j = 0; j < classes; ++j) {
        A z = A(1) - row[targets[k]] + row[j];
        if (marks[j] == A(0) && z > A(0)) sum += z;
      }
    static_cast<A*>(out)[r] = sum / static_cast<A>(classes);
  }
}

template <class A>
void multilabel_margin_backward(const void* x, const int64_t* target, const void* is_target, int64_t classes,
                                const void* grads, bool one_grad, double scale, void* dx, int64_t begin, int64_t end) {
  auto g = static_cast<const A*>(grads);
  for (int64_t r = begin; r < end; ++r) {
    const A *row = static_cast<const A*>(x) + r * classes, *marks = static_cast<const A*>(is_target) + r * classes;
    const int64_t* targets = target + r * classes;
    A* to = static_cast<A*>(dx) + r * classes;
    for (int64_t j = 0; j < classes; ++j) to[j] = 0;
    const A step = static_cast<A>(scale) * g[one_grad ? 0 : r] / static_cast<A>(classes);
    for (int64_t k = 0; k < classes && targets[k] >= 0; ++k)
      for (int64_t j = 0; j < classes; ++j)
        if (marks[j] == A(0) && A(1) - row[targets[k]] + row[j] > A(0)) {
          to[targets[k]] -= step;
          to[j] += step;
        }
  }
}

}  // namespace

extern const LossKernels loss_table{
    .nll_forward = {nll_forward<float>, nll_forward<double>},
    .nll_backward = {nll_backward<float>, nll_backward<double>},
    .multi_margin = {multi_margin<float>, multi_margin<double>},
    .multi_margin_backward = {multi_margin_backward<float>, multi_margin_backward<double>},
    .multilabel_margin = {multilabel_margin<float>, multilabel_margin<double>},
    .multilabel_margin_backward = {multilabel_margin_backward<float>, multilabel_margin_backward<double>},
};

}  // namespace cann::kernels::CANN_ISA
