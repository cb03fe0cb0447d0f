// Group norm: statistics over the channels and places of one group; weight and bias for each channel.
#include <cmath>

#include "cann/kernels/norm/norm.h"
#include "cann/kernels/rows.h"

namespace cann::kernels::CANN_ISA {
namespace {

using rows::for_tiles;
using rows::kTile;

template <class T>
void forward(const GroupNormForward& p, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A widened[kTile], result[kTile];
  const int64_t n = p.channels * p.spatial;
  auto w = static_cast<const A*>(p.weight), b = static_cast<const A*>(p.bias);
  for (int64_t unit = begin; unit < end; ++unit) {
    const T* x = static_cast<const T*>(p.x) + unit * n;
    A mean = 0, squares = 0;
    for_tiles(n, [&](int64_t i, int64_t count) { mean += rows::sum_of(rows::tile_of(x + i, count, widened), count); });
    mean /= static_cast<A>(n);
    for_tiles(n, [&](int64_t i, int64_t count) {
      const A* tile = rows::tile_of(x + i, count, widened);
      squares += rows::sum<A>(count, [=](auto at) {
        auto d = at(tile) - mean;
        return d * d;
      });
    });
    const A rstd = A(1) / std::sqrt(squares / static_cast<A>(n) + static_cast<A>(p.eps));
    for (int64_t k = 0; k < p.channels; ++k) {
      const int64_t channel = unit % p.groups * p.channels + k;
      const A scale = w ? rstd * w[channel] : rstd, shift = (b ? b[channel] : A(0)) - mean * scale;
      T* y = static_cast<T*>(p.y) + unit * n + k * p.spatial;
      for_tiles(p.spatial, [&](int64_t i, int64_t count) {
        const A* __restrict tile = rows::tile_of(x + k * p.spatial + i, count, widened);
        for (int64_t j = 0; j < count; ++j) result[j] = tile[j] * scale + shift;
        narrow(result, y + i, count);
      });
    }
    static_cast<A*>(p.mean)[unit] = mean;
    static_cast<A*>(p.rstd)[unit] = rstd;
  }
}

template <class T>
void backward(const GroupNormBackward& p, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A wide_dy[kTile], wide_x[kTile], result[kTile];
  const int64_t n = p.channels * p.spatial;
  auto w = static_cast<const A*>(p.weight);
  for (int64_t unit = begin; unit < end; ++unit) {
    const T *dy = static_cast<const T*>(p.dy) + unit * n, *x = static_cast<const T*>(p.x) + unit * n;
    const A mean = static_cast<const A*>(p.mean)[unit], rstd = static_cast<const A*>(p.rstd)[unit];
    const int64_t first = unit % p.groups * p.channels, row = unit / p.groups * p.groups * p.channels + first;
    A sum_g = 0, sum_gx = 0;
    for (int64_t k = 0; k < p.channels; ++k) {
      A s = 0, sx = 0;
      for_tiles(p.spatial, [&](int64_t i, int64_t count) {
        const A* g = rows::tile_of(dy + k * p.spatial + i, count, wide_dy);
        const A* v = rows::tile_of(x + k * p.spatial + i, count, wide_x);
        A a, b;
        rows::sum2<A>(count, a, b, [=](auto at, auto& one, auto& other) {
          one += at(g);
          other += at(g) * (at(v) - mean);
        });
        s += a;
        sx += b;
      });
      static_cast<A*>(p.sum_dy)[row + k] = s;
      static_cast<A*>(p.sum_dy_xhat)[row + k] = sx * rstd;
      const A weight = w ? w[first + k] : A(1);
      sum_g += s * weight;
      sum_gx += sx * weight;
    }
    if (!p.dx) continue;
    const A slope = -rstd * rstd * rstd * sum_gx / static_cast<A>(n), constant = -(sum_g * rstd) / static_cast<A>(n);
    for (int64_t k = 0; k < p.channels; ++k) {
      const A weight = w ? w[first + k] : A(1);
      for_tiles(p.spatial, [&](int64_t i, int64_t count) {
        const A* __restrict g = rows::tile_of(dy + k * p.spatial + i, count, wide_dy);
        const A* __restrict v = rows::tile_of(x + k * p.spatial + i, count, wide_x);
        for (int64_t j = 0; j < count; ++j) result[j] = g[j] * weight * rstd + (v[j] - mean) * slope + constant;
        narrow(result, static_cast<T*>(p.dx) + unit * n + k * p.spatial + i, count);
      });
    }
  }
}

}  // namespace

extern const GroupNormKernels group_norm_table{
    .forward = {forward<float>, forward<double>, forward<Half>, forward<BFloat16>},
    .backward = {backward<float>, backward<double>, backward<Half>, backward<BFloat16>},
};

}  // namespace cann::kernels::CANN_ISA
