// The pieces of batch norm: moments, dot products and affine maps by channel, for channels first (planes) and last
// (columns).
#include "cann/kernels/norm/norm.h"
#include "cann/kernels/rows.h"

namespace cann::kernels::CANN_ISA {
namespace {

using rows::for_tiles;
using rows::kTile;

// f(offset, count) for the tiles of all planes of one channel
template <class F>
void for_channel_tiles(const ChannelShape& s, int64_t channel, F f) {
  for (int64_t b = 0; b < s.batch; ++b)
    for_tiles(s.spatial, [&](int64_t i, int64_t count) { f((b * s.channels + channel) * s.spatial + i, count); });
}

template <class T>
void plane_moments(const void* x, const ChannelShape& s, void* mean, void* var, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A widened[kTile];
  auto from = static_cast<const T*>(x);
  const A n = static_cast<A>(s.batch * s.spatial);
  for (int64_t c = begin; c < end; ++c) {
    A m = 0, v = 0;
    for_channel_tiles(
        s, c, [&](int64_t at, int64_t count) { m += rows::sum_of(rows::tile_of(from + at, count, widened), count); });
    m /= n;
    for_channel_tiles(s, c, [&](int64_t offset, int64_t count) {
      const A* tile = rows::tile_of(from + offset, count, widened);
      v += rows::sum<A>(count, [=](auto at) {
        auto d = at(tile) - m;
        return d * d;
      });
    });
    static_cast<A*>(mean)[c] = m;
    static_cast<A*>(var)[c] = v / n;
  }
}

template <class T>
void plane_dots(const void* dy, const void* x, const ChannelShape& s, const void* mean, const void* scale, void* sum_dy,
                void* sum_dy_xhat, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A wide_dy[kTile], wide_x[kTile];
  for (int64_t c = begin; c < end; ++c) {
    const A m = static_cast<const A*>(mean)[c];
    A sum = 0, dot = 0;
    for_channel_tiles(s, c, [&](int64_t offset, int64_t count) {
      const A* g = rows::tile_of(static_cast<const T*>(dy) + offset, count, wide_dy);
      const A* v = rows::tile_of(static_cast<const T*>(x) + offset, count, wide_x);
      A a, b;
      rows::sum2<A>(count, a, b, [=](auto at, auto& one, auto& other) {
        one += at(g);
        other += at(g) * (at(v) - m);
      });
      sum += a;
      dot += b;
    });
    static_cast<A*>(sum_dy)[c] = sum;
    static_cast<A*>(sum_dy_xhat)[c] = dot * static_cast<const A*>(scale)[c];
  }
}

template <class T>
void plane_affine(const void* x, const ChannelShape& s, const void* a, const void* b, void* y, int64_t begin,
                  int64_t end) {
  using A = Compute<T>;
  alignas(64) A widened[kTile], result[kTile];
  for (int64_t plane = begin; plane < end; ++plane) {
    const A scale = static_cast<const A*>(a)[plane % s.channels], shift = static_cast<const A*>(b)[plane % s.channels];
    for_tiles(s.spatial, [&](int64_t i, int64_t count) {
      const int64_t offset = plane * s.spatial + i;
      const A* __restrict v = rows::tile_of(static_cast<const T*>(x) + offset, count, widened);
      for (int64_t j = 0; j < count; ++j) result[j] = v[j] * scale + shift;
      narrow(result, static_cast<T*>(y) + offset, count);
    });
  }
}

template <class T>
void plane_affine2(const void* dy, const void* x, const ChannelShape& s, const void* a, const void* b, const void* d,
                   void* dx, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A wide_dy[kTile], wide_x[kTile], result[kTile];
  for (int64_t plane = begin; plane < end; ++plane) {
    const int64_t c = plane % s.channels;
    const A p = static_cast<const A*>(a)[c], q = static_cast<const A*>(b)[c], r = static_cast<const A*>(d)[c];
    for_tiles(s.spatial, [&](int64_t i, int64_t count) {
      const int64_t offset = plane * s.spatial + i;
      const A* __restrict g = rows::tile_of(static_cast<const T*>(dy) + offset, count, wide_dy);
      const A* __restrict v = rows::tile_of(static_cast<const T*>(x) + offset, count, wide_x);
      for (int64_t j = 0; j < count; ++j) result[j] = g[j] * p + v[j] * q + r;
      narrow(result, static_cast<T*>(dx) + offset, count);
    });
  }
}

template <class T>
void column_sums(const void* x, int64_t channels, const void* mean, void* out, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A widened[kTile];
  auto to = static_cast<A*>(out);
  auto m = static_cast<const A*>(mean);
  for (int64_t c = 0; c < channels; ++c) to[c] = 0;
  for (int64_t r = begin; r < end; ++r) {
    for_tiles(channels, [&](int64_t i, int64_t count) {
      const A* __restrict v = rows::tile_of(static_cast<const T*>(x) + r * channels + i, count, widened);
      A* __restrict sum = to + i;
      if (m) {
        for (int64_t j = 0; j < count; ++j) sum[j] += (v[j] - m[i + j]) * (v[j] - m[i + j]);
      } else {
        for (int64_t j = 0; j < count; ++j) sum[j] += v[j];
      }
    });
  }
}

template <class T>
void column_dots(const void* dy, const void* x, int64_t channels, const void* mean, const void* scale, void* sum_dy,
                 void* sum_dy_xhat, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A wide_dy[kTile], wide_x[kTile];
  auto m = static_cast<const A*>(mean), k = static_cast<const A*>(scale);
  auto sums = static_cast<A*>(sum_dy), dots = static_cast<A*>(sum_dy_xhat);
  for (int64_t c = 0; c < channels; ++c) sums[c] = dots[c] = 0;
  for (int64_t r = begin; r < end; ++r) {
    for_tiles(channels, [&](int64_t i, int64_t count) {
      const A* __restrict g = rows::tile_of(static_cast<const T*>(dy) + r * channels + i, count, wide_dy);
      const A* __restrict v = rows::tile_of(static_cast<const T*>(x) + r * channels + i, count, wide_x);
      A* __restrict sum = sums + i, * __restrict dot = dots + i;
      for (int64_t j = 0; j < count; ++j) {
        sum[j] += g[j];
        dot[j] += g[j] * ((v[j] - m[i + j]) * k[i + j]);
      }
    });
  }
}

template <class T>
void column_affine(const void* x, int64_t channels, const void* a, const void* b, void* y, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A widened[kTile], result[kTile];
  auto scale = static_cast<const A*>(a), shift = static_cast<const A*>(b);
  for (int64_t r = begin; r < end; ++r) {
    for_tiles(channels, [&](int64_t i, int64_t count) {
      const A* __restrict v = rows::tile_of(static_cast<const T*>(x) + r * channels + i, count, widened);
      for (int64_t j = 0; j < count; ++j) result[j] = v[j] * scale[i + j] + shift[i + j];
      narrow(result, static_cast<T*>(y) + r * channels + i, count);
    });
  }
}

template <class T>
void column_affine2(const void* dy, const void* x, int64_t channels, const void* a, const void* b, const void* d,
                    void* dx, int64_t begin, int64_t end) {
  using A = Compute<T>;
  alignas(64) A wide_dy[kTile], wide_x[kTile], result[kTile];
  auto p = static_cast<const A*>(a), q = static_cast<const A*>(b), s = static_cast<const A*>(d);
  for (int64_t r = begin; r < end; ++r) {
    for_tiles(channels, [&](int64_t i, int64_t count) {
      const A* __restrict g = rows::tile_of(static_cast<const T*>(dy) + r * channels + i, count, wide_dy);
      const A* __restrict v = rows::tile_of(static_cast<const T*>(x) + r * channels + i, count, wide_x);
      for (int64_t j = 0; j < count; ++j) result[j] = g[j] * p[i + j] + v[j] * q[i + j] + s[i + j];
      narrow(result, static_cast<T*>(dx) + r * channels + i, count);
    });
  }
}

}  // namespace

extern const ChannelKernels channel_table{
    .plane_moments = {plane_moments<float>, plane_moments<double>, plane_moments<Half>, plane_moments<BFloat16>},
    .plane_dots = {plane_dots<float>, plane_dots<double>, plane_dots<Half>, plane_dots<BFloat16>},
    .plane_affine = {plane_affine<float>, plane_affine<double>, plane_affine<Half>, plane_affine<BFloat16>},
    .plane_affine2 = {plane_affine2<float>, plane_affine2<double>, plane_affine2<Half>, plane_affine2<BFloat16>},
    .column_sums = {column_sums<float>, column_sums<double>, column_sums<Half>, column_sums<BFloat16>},
    .column_dots = {column_dots<float>, column_dots<double>, column_dots<Half>, column_dots<BFloat16>},
    .column_affine = {column_affine<float>, column_affine<double>, column_affine<Half>, column_affine<BFloat16>},
    .column_affine2 = {column_affine2<float>, column_affine2<double>, column_affine2<Half>, column_affine2<BFloat16>},
};

}  // namespace cann::kernels::CANN_ISA
