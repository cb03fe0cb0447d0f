// Layer norm: y = (x - mean) rstd w + b with rstd = 1 / sqrt(var + eps), var over n (two passes over a row held in
// cache). RMS norm is the same about 0. NaN and infinity in a row make its results NaN, as in PyTorch.
#include <cmath>

#include "cann/kernels/norm/norm.h"
#include "cann/kernels/rows.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr int64_t kTile = 2048;  // elements of a row that are widened, and written, at a time

// A row of T as tiles of the compute type; a row of one tile is widened once.
template <class T, class A>
struct Row {
  Row(const T* x, int64_t n, A* buffer)
      : x(x), buffer(buffer), whole(n <= kTile ? rows::tile_of(x, n, buffer) : nullptr) {}
  const A* tile(int64_t i, int64_t count) const { return whole ? whole + i : rows::tile_of(x + i, count, buffer); }
  const T* x;
  A* buffer;
  const A* whole;
};

template <class F>
void for_tiles(int64_t n, F f) {
  for (int64_t i = 0; i < n; i += kTile) f(i, n - i < kTile ? n - i : kTile);
}

template <class A>
void normalise(const A* __restrict x, A mean, A rstd, const A* __restrict w, const A* __restrict b, A* __restrict y,
               int64_t n) {
  if (w && b) {
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * w[i] + b[i];
  } else if (w) {
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * w[i];
  } else if (b) {
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd + b[i];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd;
  }
}

template <bool kCentre, class T>
void forward(const LayerNormForward& p, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A widened[kTile], result[kTile];
  auto w = static_cast<const A*>(p.weight), b = static_cast<const A*>(p.bias);
  const int64_t n = p.n;
  for (int64_t r = begin; r < end; ++r) {
    Row<T, A> row(static_cast<const T*>(p.x) + r * n, n, widened);
    A mean = 0, squares = 0;
    if (kCentre) {
      for_tiles(n, [&](int64_t i, int64_t count) { mean += rows::sum_of(row.tile(i, count), count); });
      mean /= static_cast<A>(n);
    }
    for_tiles(n, [&](int64_t i, int64_t count) {
      const A* x = row.tile(i, count);
      squares += rows::sum<A>(count, [=](auto at) {
        auto d = at(x) - mean;
        return d * d;
      });
    });
    A rstd = A(1) / std::sqrt(squares / static_cast<A>(n) + static_cast<A>(p.eps));
    for_tiles(n, [&](int64_t i, int64_t count) {
      const A* x = row.tile(i, count);
      if constexpr (__is_same(T, A)) {
        normalise(x, mean, rstd, w ? w + i : nullptr, b ? b + i : nullptr, static_cast<T*>(p.y) + r * n + i, count);
      } else {
        normalise(x, mean, rstd, w ? w + i : nullptr, b ? b + i : nullptr, result, count);
        narrow(result, static_cast<T*>(p.y) + r * n + i, count);
      }
    });
    if (p.mean) static_cast<A*>(p.mean)[r] = mean;
    if (p.rstd) static_cast<A*>(p.rstd)[r] = rstd;
  }
}

// With g = dy w and xhat = (x - mean) rstd: dx = rstd (g - (sum g + xhat sum(g xhat)) / n), dw = sum dy xhat, db = sum
// dy. g comes before rstd in each product: over one element all terms then cancel to the zero that the gradient is.
template <bool kCentre, class T>
void backward(const LayerNormBackward& p, void* dweight, void* dbias, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A wide_dy[kTile], wide_x[kTile], result[kTile];
  auto w = static_cast<const A*>(p.weight);
  auto dw = static_cast<A*>(dweight), db = static_cast<A*>(dbias);
  const int64_t n = p.n;
  if (dw) __builtin_memset(dw, 0, n * sizeof(A));
  if (db) __builtin_memset(db, 0, n * sizeof(A));
  for (int64_t r = begin; r < end; ++r) {
    Row<T, A> grad(static_cast<const T*>(p.dy) + r * n, n, wide_dy), row(static_cast<const T*>(p.x) + r * n, n, wide_x);
    const A mean = kCentre ? static_cast<const A*>(p.mean)[r] : A(0), rstd = static_cast<const A*>(p.rstd)[r];
    A sum_g = 0, sum_gx = 0;
    if (p.dx) {
      for_tiles(n, [&](int64_t i, int64_t count) {
        const A *dy = grad.tile(i, count), *x = row.tile(i, count), *wi = w ? w + i : nullptr;
        A a, b;
        if (wi) {
          rows::sum2<A>(count, a, b, [=](auto at, auto& s, auto& sx) {
            auto g = at(dy) * at(wi);
            s += g;
            sx += g * (at(x) - mean);
          });
        } else {
          rows::sum2<A>(count, a, b, [=](auto at, auto& s, auto& sx) {
            auto g = at(dy);
            s += g;
            sx += g * (at(x) - mean);
          });
        }
        sum_g += a;
        sum_gx += b;
      });
    }
    const A constant = kCentre ? -(sum_g * rstd) / static_cast<A>(n) : A(0);
    const A slope = -rstd * rstd * rstd * sum_gx / static_cast<A>(n);
    for_tiles(n, [&](int64_t i, int64_t count) {
      const A* __restrict dy = grad.tile(i, count);
      const A* __restrict x = row.tile(i, count);
      if (p.dx) {
        if (w) {
          for (int64_t j = 0; j < count; ++j) result[j] = dy[j] * w[i + j] * rstd + (x[j] - mean) * slope + constant;
        } else {
          for (int64_t j = 0; j < count; ++j) result[j] = dy[j] * rstd + (x[j] - mean) * slope + constant;
        }
        narrow(result, static_cast<T*>(p.dx) + r * n + i, count);
      }
      if (dw) {
        A* __restrict to = dw + i;
        for (int64_t j = 0; j < count; ++j) to[j] += dy[j] * ((x[j] - mean) * rstd);
      }
      if (db) {
        A* __restrict to = db + i;
        for (int64_t j = 0; j < count; ++j) to[j] += dy[j];
      }
    });
  }
}

template <class T>
void rms_backward(const LayerNormBackward& p, void* dweight, int64_t begin, int64_t end) {
  backward<false, T>(p, dweight, nullptr, begin, end);
}

template <class A>
void add_partials(const void* partials, int64_t count, int64_t n, void* out, int64_t begin, int64_t end) {
  auto to = static_cast<A*>(out);
  for (int64_t i = begin; i < end; ++i) to[i] = 0;
  for (int64_t k = 0; k < count; ++k) {
    const A* __restrict from = static_cast<const A*>(partials) + k * n;
    for (int64_t i = begin; i < end; ++i) to[i] += from[i];
  }
}

}  // namespace

extern const NormKernels norm_table{
    .layer_norm = {forward<true, float>, forward<true, double>, forward<true, Half>, forward<true, BFloat16>},
    .rms_norm = {forward<false, float>, forward<false, double>, forward<false, Half>, forward<false, BFloat16>},
    .layer_norm_backward = {backward<true, float>, backward<true, double>, backward<true, Half>,
                            backward<true, BFloat16>},
    .rms_norm_backward = {rms_backward<float>, rms_backward<double>, rms_backward<Half>, rms_backward<BFloat16>},
    .add_partials = {add_partials<float>, add_partials<double>},
};

}  // namespace cann::kernels::CANN_ISA
