#include "cann/kernels/random/random.h"

#include "cann/kernels/math.h"
#include "cann/kernels/random/philox.h"
#include "cann/kernels/rows.h"

namespace cann::kernels::CANN_ISA {
namespace {

using philox::kCounters;
using philox::kNumbers;

// cos and sin of 2 pi u, u in [0, 1), by their series about the nearest quarter: at most 4e-7 off.
void circle(float u, float& cosine, float& sine) {
  float t = u - 0.5f;
  float quarter = (t * 4.0f + 0x1.8p23f) - 0x1.8p23f;
  float x = (t - quarter * 0.25f) * 6.2831853f, x2 = x * x;
  float s = x * (1.0f + x2 * (-1.0f / 6 + x2 * (1.0f / 120 + x2 * (-1.0f / 5040 + x2 * (1.0f / 362880)))));
  float c = 1.0f + x2 * (-0.5f + x2 * (1.0f / 24 + x2 * (-1.0f / 720 + x2 * (1.0f / 40320))));
  bool odd = quarter == 1.0f || quarter == -1.0f, back = quarter == 2.0f || quarter == -2.0f;
  float cs = odd ? s : c, sn = odd ? c : s;  // turned by +-90 or 180 degrees, and by the 180 of u - 1/2
  cosine = (quarter == 1.0f || back) ? cs : -cs;
  cosine = quarter == -1.0f ? -cs : cosine;
  sine = (quarter == -1.0f || back) ? sn : -sn;
}
void circle(double u, double& cosine, double& sine) {
  cosine = std::cos(u * 6.283185307179586);
  sine = std::sin(u * 6.283185307179586);
}

// Box and Muller: plane p with plane p + 1.
template <class A>
void to_normal(A* numbers) {
  for (int pair = 0; pair < kNumbers<A>; pair += 2 * kCounters) {
    A *first = numbers + pair, *second = first + kCounters;
    for (int l = 0; l < kCounters; ++l) {
      A cosine, sine;
      circle(second[l], cosine, sine);
      A radius = std::sqrt(A(-2) * math::log(A(1) - first[l]));
      first[l] = radius * cosine;
      second[l] = radius * sine;
    }
  }
}

// Numbers first ... first + count of one block, count <= kNumbers.
template <class A>
struct Parameters {
  double a, b;
  const A *a_values, *b_values;
};

template <class A, class F>
void transform(A* v, int count, const Parameters<A>& p, int64_t first, F f) {
  if (!p.a_values && !p.b_values) {
    const A a = static_cast<A>(p.a), b = static_cast<A>(p.b);
    for (int i = 0; i < count; ++i) v[i] = f(v[i], a, b);
  } else {
    for (int i = 0; i < count; ++i)
      v[i] = f(v[i], p.a_values ? p.a_values[first + i] : static_cast<A>(p.a),
               p.b_values ? p.b_values[first + i] : static_cast<A>(p.b));
  }
}

template <class A>
void shape_numbers(Distribution distribution, A* v, int count, const Parameters<A>& p, int64_t first) {
  switch (distribution) {
    case Distribution::Uniform:
      transform(v, count, p, first, [](A u, A a, A b) {
        A x = u * (b - a) + a;
        return x < b ? x : a;
      });
      break;
    case Distribution::Normal: transform(v, count, p, first, [](A z, A a, A b) { return z * b + a; }); break;
    case Distribution::LogNormal:
      transform(v, count, p, first, [](A z, A a, A b) { return math::exp(z * b + a); });
      break;
    case Distribution::Exponential:  // never 0: it is divided by
      transform(v, count, p, first, [](A u, A a, A) {
        A e = -math::log(A(1) - u);
        constexpr A smallest = sizeof(A) == 4 ? A(0x1p-25) : A(0x1p-54);
        return (e > smallest ? e : smallest) / a;
      });
      break;
    case Distribution::Cauchy:
      transform(v, count, p, first, [](A u, A a, A b) {
        return static_cast<A>(a + b * std::tan(3.141592653589793 * (static_cast<double>(u) - 0.5)));
      });
      break;
    case Distribution::Geometric:
      transform(v, count, p, first, [](A u, A a, A) {
        A k = std::ceil(math::log(A(1) - u) / static_cast<A>(std::log1p(-static_cast<double>(a))));
        return k > A(1) ? k : A(1);
      });
      break;
    case Distribution::Bernoulli: transform(v, count, p, first, [](A u, A a, A) { return u < a ? A(1) : A(0); }); break;
  }
}

// Calls f(numbers, first element, count) for the blocks of [begin, end), with uniforms or, if asked, normals.
template <class A, class F>
void for_blocks(const Draw& draw, bool normal, int64_t begin, int64_t end, F f) {
  philox::Block block;
  alignas(64) A numbers[kNumbers<A>];
  constexpr int64_t size = kNumbers<A>;
  for (int64_t first = begin; first < end; first += size) {
    philox::generate(draw, static_cast<uint64_t>(first / size), block);
    philox::uniforms(block, numbers);
    if (normal) to_normal(numbers);
    f(numbers, first, static_cast<int>(end - first < size ? end - first : size));
  }
}

template <class T>
void fill(Distribution distribution, const Draw& draw, double a, double b, const void* a_values, const void* b_values,
          void* out, int64_t begin, int64_t end) {
  using A = Compute<T>;
  Parameters<A> p{a, b, static_cast<const A*>(a_values), static_cast<const A*>(b_values)};
  bool normal = distribution == Distribution::Normal || distribution == Distribution::LogNormal;
  for_blocks<A>(draw, normal, begin, end, [&](A* numbers, int64_t first, int count) {
    if (!__is_same(T, A) && distribution == Distribution::Uniform) {
      // As many bits as the type has, so that rounding does not reach the upper bound.
      constexpr float scale = __is_same(T, Half) ? 2048.0f : 256.0f;
      for (int i = 0; i < count; ++i)
        numbers[i] = static_cast<A>(static_cast<int32_t>(static_cast<float>(numbers[i]) * scale)) / scale;
    }
    shape_numbers(distribution, numbers, count, p, first);
    narrow(numbers, static_cast<T*>(out) + first, count);
  });
}

void integers(const Draw& draw, uint64_t range, int64_t base, int64_t* out, int64_t begin, int64_t end) {
  philox::Block block;
  constexpr int64_t size = 2 * kCounters;
  for (int64_t first = begin; first < end; first += size) {
    philox::generate(draw, static_cast<uint64_t>(first / size), block);
    int64_t count = end - first < size ? end - first : size;
    for (int64_t i = 0; i < count; ++i) {
      int64_t plane = i / kCounters * 2, lane = i % kCounters;
      uint64_t bits = static_cast<uint64_t>(block.words[plane][lane]) << 32 | block.words[plane + 1][lane];
      out[first + i] = static_cast<int64_t>((range ? bits % range : bits) + static_cast<uint64_t>(base));
    }
  }
}

template <class T>
void dropout(const Draw& draw, double p, double scale, const void* x, void* y, bool* mask, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A values[kNumbers<A>];
  const A threshold = static_cast<A>(p), factor = static_cast<A>(scale);
  for_blocks<A>(draw, false, begin, end, [&](const A* u, int64_t first, int count) {
    widen(static_cast<const T*>(x) + first, values, count);
    bool* __restrict kept = mask + first;
    for (int i = 0; i < count; ++i) kept[i] = u[i] >= threshold;
    for (int i = 0; i < count; ++i) values[i] = u[i] >= threshold ? values[i] * factor : A(0);
    narrow(values, static_cast<T*>(y) + first, count);
  });
}

template <class T>
void dropout_backward(const void* dy, const bool* mask, double scale, void* dx, int64_t begin, int64_t end) {
  using A = Compute<T>;
  constexpr int64_t kTile = 512;
  alignas(64) A values[kTile];
  const A factor = static_cast<A>(scale);
  for (int64_t first = begin; first < end; first += kTile) {
    int64_t count = end - first < kTile ? end - first : kTile;
    // Bytes of 0 and 1: GCC 12 vectorises no choice by a bool in memory.
    const uint8_t* kept = reinterpret_cast<const uint8_t*>(mask) + first;
    widen(static_cast<const T*>(dy) + first, values, count);
    for (int64_t i = 0; i < count; ++i) values[i] *= static_cast<A>(kept[i]) * factor;
    narrow(values, static_cast<T*>(dx) + first, count);
  }
}

template <class A>
void rrelu(const Draw& draw, double lower, double upper, const void* x, void* noise, void* y, int64_t begin,
           int64_t end) {
  const A low = static_cast<A>(lower), width = static_cast<A>(upper - lower);
  for_blocks<A>(draw, false, begin, end, [&](const A* u, int64_t first, int count) {
    for (int i = 0; i < count; ++i) {
      A v = static_cast<const A*>(x)[first + i], slope = v <= A(0) ? low + width * u[i] : A(1);
      static_cast<A*>(noise)[first + i] = slope;
      static_cast<A*>(y)[first + i] = v * slope;
    }
  });
}

// Fisher and Yates, from the front: place i takes one of the rest.
void permutation(const Draw& draw, int64_t n, int64_t* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = i;
  constexpr int64_t size = 2 * kCounters;
  int64_t picks[size];
  for (int64_t first = 0; first < n; first += size) {
    int64_t count = n - first < size ? n - first : size;
    integers({draw.seed, draw.offset}, 0, 0, picks - first, first, first + count);
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = first + i,
              other = at + static_cast<int64_t>(static_cast<uint64_t>(picks[i]) % static_cast<uint64_t>(n - at));
      int64_t kept = out[at];
      out[at] = out[other];
      out[other] = kept;
    }
  }
}

// The first index whose cumulated weight exceeds x.
template <class A>
int64_t first_above(const A* cumulated, int64_t n, A x) {
  int64_t low = 0, high = n - 1;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (cumulated[middle] > x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

template <class A>
void with_replacement(const Draw& draw, const A* weights, int64_t n, int64_t samples, int64_t row, A* cumulated,
                      int64_t* out) {
  A sum = 0;
  int64_t last = 0;  // a draw never passes the last index of positive weight
  for (int64_t i = 0; i < n; ++i) {
    sum += weights[i];
    cumulated[i] = sum;
    if (weights[i] > 0) last = i;
  }
  const int64_t begin = row * ((samples + kRandomBlock - 1) / kRandomBlock * kRandomBlock);
  for_blocks<A>(draw, false, begin, begin + samples, [&](const A* u, int64_t first, int count) {
    for (int i = 0; i < count; ++i) {
      int64_t k = first_above(cumulated, n, u[i] * sum);
      out[first - begin + i] = k < last ? k : last;
    }
  });
}

// Each index draws an exponential number at the rate of its weight; the `samples` that come first are taken, in their
// order.
template <class A>
void without_replacement(const Draw& draw, const A* weights, int64_t n, int64_t samples, int64_t row, A* score,
                         int64_t* out) {
  const int64_t begin = row * ((n + kRandomBlock - 1) / kRandomBlock * kRandomBlock);
  for_blocks<A>(draw, false, begin, begin + n, [&](const A* u, int64_t first, int count) {
    for (int i = 0; i < count; ++i) {
      A wait = -math::log(A(1) - u[i]);
      constexpr A smallest = sizeof(A) == 4 ? A(0x1p-25) : A(0x1p-54);
      score[first - begin + i] = weights[first - begin + i] / (wait > smallest ? wait : smallest);
    }
  });
  // A heap of the best so far, its root the worst of them: n log(samples).
  auto worse = [&](int64_t a, int64_t b) { return score[a] < score[b] || (score[a] == score[b] && a > b); };
  auto sink = [&](int64_t at, int64_t size) {
    for (;;) {
      int64_t child = 2 * at + 1;
      if (child >= size) return;
      if (child + 1 < size && worse(out[child + 1], out[child])) ++child;
      if (!worse(out[child], out[at])) return;
      int64_t kept = out[at];
      out[at] = out[child];
      out[child] = kept;
      at = child;
    }
  };
  for (int64_t i = 0; i < samples; ++i) out[i] = i;
  for (int64_t i = samples / 2 - 1; i >= 0; --i) sink(i, samples);
  for (int64_t i = samples; i < n; ++i)
    if (worse(out[0], i)) {
      out[0] = i;
      sink(0, samples);
    }
  for (int64_t size = samples - 1; size > 0; --size) {  // the worst goes last
    int64_t kept = out[size];
    out[size] = out[0];
    out[0] = kept;
    sink(0, size);
  }
}

template <class A>
void multinomial(const Draw& draw, const void* weights, int64_t n, int64_t samples, bool replacement, int64_t row,
                 void* buffer, int64_t* out) {
  auto w = static_cast<const A*>(weights) + row * n;
  if (replacement)
    with_replacement(draw, w, n, samples, row, static_cast<A*>(buffer), out + row * samples);
  else
    without_replacement(draw, w, n, samples, row, static_cast<A*>(buffer), out + row * samples);
}

template <class A>
int check_weights(const void* weights, int64_t n, int64_t rows) {
  auto w = static_cast<const A*>(weights);
  bool bad = false;
  for (int64_t i = 0; i < rows * n; ++i) bad |= !(w[i] >= 0 && w[i] < static_cast<A>(__builtin_inff()));
  if (bad) return 1;
  for (int64_t r = 0; r < rows; ++r)
    if (!(rows::sum_of(w + r * n, n) > 0)) return 2;
  return 0;
}

}  // namespace

extern const RandomKernels random_table{
    .fill = {fill<float>, fill<double>, fill<Half>, fill<BFloat16>},
    .integers = integers,
    .dropout = {dropout<float>, dropout<double>, dropout<Half>, dropout<BFloat16>},
    .dropout_backward = {dropout_backward<float>, dropout_backward<double>, dropout_backward<Half>,
                         dropout_backward<BFloat16>},
    .rrelu = {rrelu<float>, rrelu<double>},
    .permutation = permutation,
    .multinomial = {multinomial<float>, multinomial<double>},
    .check_weights = {check_weights<float>, check_weights<double>},
};

}  // namespace cann::kernels::CANN_ISA
