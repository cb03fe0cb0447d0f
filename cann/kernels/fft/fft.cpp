// X_k = sum over j of x_j exp(-2 pi i j k / n). Stockham's form: each stage reads one tile and writes the other in
// order, so there is no bit reversal. The error grows with the logarithm of n: about 1e-7 log2(n) of the largest result
// in float32. NaN and infinity spread over their line.
#include "cann/kernels/fft/fft.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class T>
struct Tile {
  T* re;
  T* im;
};

// One stage of `radix` on n numbers a lane, `done` of whose order are settled: for each q < m = n / done / radix the
// numbers q + m r become radix * q + k, multiplied by the twiddle of (q, k).
template <class T>
void stage(const FftPlan& plan, int s, int64_t done_lanes, int64_t m, Tile<T> from, Tile<T> to) {
  const int p = plan.radix[s];
  const T* twiddle_re = static_cast<const T*>(plan.twiddle_re[s]);
  const T* twiddle_im = static_cast<const T*>(plan.twiddle_im[s]);
  const T* root_re = static_cast<const T*>(plan.root_re[s]);
  const T* root_im = static_cast<const T*>(plan.root_im[s]);
  constexpr int64_t kBlock = 32;
  for (int64_t q = 0; q < m; ++q) {
    const T* wr = twiddle_re + q * p;
    const T* wi = twiddle_im + q * p;
    for (int64_t t = 0; t < done_lanes; t += kBlock) {
      const int64_t n = done_lanes - t < kBlock ? done_lanes - t : kBlock;
      const int64_t in = q * done_lanes + t, step = m * done_lanes, out = q * p * done_lanes + t;
      const T* ar = from.re + in;
      const T* ai = from.im + in;
      T* br = to.re + out;
      T* bi = to.im + out;
      if (p == 2) {
        const T w = wr[1], v = wi[1];
#pragma GCC ivdep
        for (int64_t j = 0; j < n; ++j) {
          const T xr = ar[j], xi = ai[j], yr = ar[j + step], yi = ai[j + step];
          const T dr = xr - yr, di = xi - yi;
          br[j] = xr + yr;
          bi[j] = xi + yi;
          br[j + done_lanes] = dr * w - di * v;
          bi[j + done_lanes] = dr * v + di * w;
        }
      } else if (p == 4) {
#pragma GCC ivdep
        for (int64_t j = 0; j < n; ++j) {
          const T ar0 = ar[j], ai0 = ai[j], ar1 = ar[j + step], ai1 = ai[j + step];
          const T ar2 = ar[j + 2 * step], ai2 = ai[j + 2 * step], ar3 = ar[j + 3 * step], ai3 = ai[j + 3 * step];
          const T sr = ar0 + ar2, si = ai0 + ai2, dr = ar0 - ar2, di = ai0 - ai2;
          const T ur = ar1 + ar3, ui = ai1 + ai3, er = ai1 - ai3, ei = ar3 - ar1;  // -i (a1 - a3)
          br[j] = sr + ur;
          bi[j] = si + ui;
          const T cr1 = dr + er, ci1 = di + ei, cr2 = sr - ur, ci2 = si - ui, cr3 = dr - er, ci3 = di - ei;
          br[j + done_lanes] = cr1 * wr[1] - ci1 * wi[1];
          bi[j + done_lanes] = cr1 * wi[1] + ci1 * wr[1];
          br[j + 2 * done_lanes] = cr2 * wr[2] - ci2 * wi[2];
          bi[j + 2 * done_lanes] = cr2 * wi[2] + ci2 * wr[2];
          br[j + 3 * done_lanes] = cr3 * wr[3] - ci3 * wi[3];
          bi[j + 3 * done_lanes] = cr3 * wi[3] + ci3 * wr[3];
        }
      } else {
        for (int k = 0; k < p; ++k) {
          T sum_re[kBlock], sum_im[kBlock];
          for (int64_t j = 0; j < n; ++j) sum_re[j] = ar[j], sum_im[j] = ai[j];
          for (int r = 1; r < p; ++r) {
            const T w = root_re[r * k % p], v = root_im[r * k % p];
            const T* xr = ar + r * step;
            const T* xi = ai + r * step;
            for (int64_t j = 0; j < n; ++j) {
              sum_re[j] += xr[j] * w - xi[j] * v;
              sum_im[j] += xr[j] * v + xi[j] * w;
            }
          }
          for (int64_t j = 0; j < n; ++j) {
            br[j + k * done_lanes] = sum_re[j] * wr[k] - sum_im[j] * wi[k];
            bi[j + k * done_lanes] = sum_re[j] * wi[k] + sum_im[j] * wr[k];
          }
        }
      }
    }
  }
}

// The result stands in `a`.
template <class T>
void transform(const FftPlan& plan, int64_t lanes, Tile<T> a, Tile<T> b) {
  int64_t done = 1, rest = plan.n;
  const Tile<T> first = a;
  for (int s = 0; s < plan.stages; ++s) {
    const int64_t m = rest / plan.radix[s];
    stage(plan, s, done * lanes, m, a, b);
    done *= plan.radix[s];
    rest = m;
    const Tile<T> other = a;
    a = b;
    b = other;
  }
  if (a.re == first.re) return;
  for (int64_t i = 0; i < plan.n * lanes; ++i) b.re[i] = a.re[i], b.im[i] = a.im[i];
}

template <class T>
void times(Tile<T> x, const T* re, const T* im, int64_t n, int64_t lanes) {
  for (int64_t i = 0; i < n; ++i) {
    const T w = re[i], v = im[i];
    for (int64_t t = i * lanes; t < (i + 1) * lanes; ++t) {
      const T xr = x.re[t], xi = x.im[t];
      x.re[t] = xr * w - xi * v;
      x.im[t] = xr * v + xi * w;
    }
  }
}

// The transform as a convolution with a chirp: x_j c_j, convolved with conj(c), times c_k. a, b: tiles of the inner
// length.
template <class T>
void transform_by_chirp(const FftPlan& plan, int64_t lanes, Tile<T> a, Tile<T> b) {
  const FftPlan& inner = *plan.inner;
  const T* chirp_re = static_cast<const T*>(plan.chirp_re);
  const T* chirp_im = static_cast<const T*>(plan.chirp_im);
  times(a, chirp_re, chirp_im, plan.n, lanes);
  for (int64_t i = plan.n * lanes; i < inner.n * lanes; ++i) a.re[i] = a.im[i] = T(0);
  transform(inner, lanes, a, b);
  times(a, static_cast<const T*>(plan.filter_re), static_cast<const T*>(plan.filter_im), inner.n, lanes);
  // The inverse: real and imaginary parts exchanged on both sides.
  transform(inner, lanes, Tile<T>{a.im, a.re}, Tile<T>{b.im, b.re});
  times(a, chirp_re, chirp_im, plan.n, lanes);
}

template <class T>
void run_lines(const FftLines& lines, int64_t lanes, const int64_t* from_starts, const int64_t* to_starts, T* scratch) {
  const FftPlan& plan = *lines.plan;
  const int64_t n = plan.n, longest = plan.inner ? plan.inner->n : n, size = longest * lanes;
  const Tile<T> a{scratch, scratch + size}, b{scratch + 2 * size, scratch + 3 * size};
  // An inverse transform exchanges the parts on the way in and out.
  const Tile<T> x = lines.inverse ? Tile<T>{a.im, a.re} : a;
  const int64_t given = lines.hermitian ? n / 2 + 1 : n;
  for (int64_t t = 0; t < lanes; ++t) {
    const T* from = static_cast<const T*>(lines.from) + from_starts[t] * (lines.from_real ? 1 : 2);
    for (int64_t i = 0; i < given; ++i) {
      const T* at = from + i * lines.from_stride * (lines.from_real ? 1 : 2);
      x.re[i * lanes + t] = at[0];
      x.im[i * lanes + t] = lines.from_real ? T(0) : at[1];
    }
    if (!lines.hermitian) continue;
    // The imaginary parts of the ends are taken for zero, as everywhere.
    x.im[t] = T(0);
    if (n % 2 == 0) x.im[n / 2 * lanes + t] = T(0);
    for (int64_t i = given; i < n; ++i) {
      x.re[i * lanes + t] = x.re[(n - i) * lanes + t];
      x.im[i * lanes + t] = -x.im[(n - i) * lanes + t];
    }
  }
  if (plan.inner)
    transform_by_chirp(plan, lanes, a, b);
  else
    transform(plan, lanes, a, b);
  const T scale = static_cast<T>(lines.scale);
  for (int64_t t = 0; t < lanes; ++t) {
    T* to = static_cast<T*>(lines.to) + to_starts[t] * (lines.to_real ? 1 : 2);
    for (int64_t i = 0; i < lines.kept; ++i) {
      T* at = to + i * lines.to_stride * (lines.to_real ? 1 : 2);
      at[0] = x.re[i * lanes + t] * scale;
      if (!lines.to_real) at[1] = x.im[i * lanes + t] * scale;
    }
  }
}

void lines(const FftLines& lines, int64_t lanes, const int64_t* from_starts, const int64_t* to_starts, void* scratch) {
  if (lines.is_double)
    run_lines(lines, lanes, from_starts, to_starts, static_cast<double*>(scratch));
  else
    run_lines(lines, lanes, from_starts, to_starts, static_cast<float*>(scratch));
}

template <class T>
void run_tile(const FftPlan& plan, int64_t lanes, T* re, T* im) {
  const int64_t size = plan.n * lanes;
  transform(plan, lanes, Tile<T>{re, im}, Tile<T>{re + size, im + size});
}

void tile(const FftPlan& plan, bool is_double, int64_t lanes, void* re, void* im) {
  if (is_double)
    run_tile(plan, lanes, static_cast<double*>(re), static_cast<double*>(im));
  else
    run_tile(plan, lanes, static_cast<float*>(re), static_cast<float*>(im));
}

}  // namespace

extern const FftKernels fft_table{lines, tile};

}  // namespace cann::kernels::CANN_ISA
