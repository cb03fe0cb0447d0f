// A channel convolved with taps of its own. The channel is copied into a plane with its padding around it, columns
// apart by the stride brought together, so that every tap is a plain row of multiply-adds; memory bound but for large
// kernels.
#include "cann/kernels/conv/gather.h"
#include "cann/kernels/conv/table.h"

namespace cann::kernels::CANN_ISA {
namespace {

constexpr int kMostWide = 4;  // vectors of one output row at a time; fewer where the row is narrow
#if defined(__AVX512F__)
constexpr int kTall = 4;  // output rows at a time: 16 sums, 4 operands, in 32 registers
#else
constexpr int kTall = 2;
#endif

// The padded plane: for each phase of the width's stride, the columns of that phase side by side.
struct Plane {
  int64_t depth, height, phases, phase_cols;
  int64_t row() const { return phases * phase_cols; }
  // Where a column stands in its row. Divisions would cost more than all the rest where there is one phase.
  int64_t place(int64_t col) const { return phases == 1 ? col : col % phases * phase_cols + col / phases; }
};

Plane plane_of(const Window& w, const int64_t* grid) {
  const auto reach = [&](int d) { return (grid[d] - 1) * w.stride[d] + (w.taps[d] - 1) * w.dilation[d] + 1; };
  return {reach(0), reach(1), w.stride[2], (reach(2) + w.stride[2] - 1) / w.stride[2]};
}

// kRows rows of the result from (d, h) on, one below the other. Each row of the plane is loaded once for all of them,
// as rows that lie apart by one share it. pre: kRows is 1, or the height's stride and dilation are
template <class S, class W, int kRows, int kWide>
void convolve_rows(const DepthwisePlane& p, const Plane& plane, const W* padded, const W* taps, W bias, int64_t d,
                   int64_t h) {
  using L = Lanes<W>;
  const Window& w = p.window;
  for (int64_t c = 0; c < p.grid[2]; c += kWide * L::kCount) {
    typename L::Vector sums[kRows][kWide];
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kWide; ++v) sums[r][v] = L::broadcast(bias);
    for (int64_t kd = 0; kd < w.taps[0]; ++kd)
      for (int64_t i = 0; i < w.taps[1] + kRows - 1; ++i) {
        const W* row =
            padded +
            ((d * w.stride[0] + kd * w.dilation[0]) * plane.height + h * w.stride[1] + i * w.dilation[1]) * plane.row();
        const W* tap = taps + (kd * w.taps[1] + i) * w.taps[2];
        for (int64_t kw = 0; kw < w.taps[2]; ++kw, ++tap) {
          const W* from = row + plane.place(kw * w.dilation[2]) + c;
          typename L::Vector x[kWide];
          for (int v = 0; v < kWide; ++v) x[v] = L::load(from + v * L::kCount);
          for (int r = 0; r < kRows; ++r) {
            if (i < r || i - r >= w.taps[1]) continue;  // not in the reach of this row
            const typename L::Vector factor = L::broadcast(tap[-r * w.taps[2]]);
            for (int v = 0; v < kWide; ++v) sums[r][v] = L::multiply_add(factor, x[v], sums[r][v]);
          }
        }
      }
    for (int r = 0; r < kRows; ++r) {
      S* out = static_cast<S*>(p.out) + d * p.out_stride[0] + (h + r) * p.out_stride[1];
      W result[kWide * L::kCount];
      for (int v = 0; v < kWide; ++v) L::store(result + v * L::kCount, sums[r][v]);
      const int64_t n = lesser(kWide * L::kCount, p.grid[2] - c);
      if (p.out_stride[2] == 1)
        narrow(result, out + c, n);
      else
        for (int64_t k = 0; k < n; ++k) narrow(result[k], out[(c + k) * p.out_stride[2]]);
    }
  }
}

template <class S, class W, int kWide>
void convolve_all_rows(const DepthwisePlane& p, const Plane& plane, const W* padded, const W* taps, W bias) {
  const bool share = p.window.stride[1] == 1 && p.window.dilation[1] == 1;
  for (int64_t d = 0; d < p.grid[0]; ++d) {
    int64_t h = 0;
    if (share)
      for (; h + kTall <= p.grid[1]; h += kTall) convolve_rows<S, W, kTall, kWide>(p, plane, padded, taps, bias, d, h);
    for (; h < p.grid[1]; ++h) convolve_rows<S, W, 1, kWide>(p, plane, padded, taps, bias, d, h);
  }
}

template <class S, class W>
void convolve_plane(const DepthwisePlane& p) {
  using L = Lanes<W>;
  const Window& w = p.window;
  const Plane plane = plane_of(w, p.grid);
  W* padded = static_cast<W*>(p.scratch);
  W* line = padded + plane.depth * plane.height * plane.row() + kMostWide * L::kCount;
  W* taps = line + round_up(p.source.size[2] + p.grid[2], 64) + 64;
  const S* weight = static_cast<const S*>(p.weight);
  for (int64_t d = 0, i = 0; d < w.taps[0]; ++d)
    for (int64_t h = 0; h < w.taps[1]; ++h)
      for (int64_t k = 0; k < w.taps[2]; ++k, ++i)
        taps[i] = widen(weight[d * p.weight_tap[0] + h * p.weight_tap[1] + k * p.weight_tap[2]]);

  for (int64_t d = 0; d < plane.depth; ++d)
    for (int64_t h = 0; h < plane.height; ++h) {
      W* to = padded + (d * plane.height + h) * plane.row();
      for (int64_t i = 0; i < plane.row(); ++i) to[i] = W{};
      const int64_t sd = d - w.padding[0], sh = h - w.padding[1];
      if (sd < 0 || sd >= p.source.size[0] || sh < 0 || sh >= p.source.size[1]) continue;
      gather_row(static_cast<const S*>(p.source.data) + sd * p.source.stride[0] + sh * p.source.stride[1],
                 p.source.stride[2], line, p.source.size[2]);
      const int64_t used = lesser(p.source.size[2], plane.row() - w.padding[2]);
      for (int64_t i = 0; i < lesser(plane.phases, used); ++i) {
        W* phase = to + plane.place(w.padding[2] + i);
        for (int64_t k = 0; i + k * plane.phases < used; ++k) phase[k] = line[i + k * plane.phases];
      }
    }

  const W bias = p.bias ? static_cast<W>(widen(*static_cast<const S*>(p.bias))) : W{};
  if (p.grid[2] <= L::kCount)
    convolve_all_rows<S, W, 1>(p, plane, padded, taps, bias);
  else if (p.grid[2] <= 2 * L::kCount)
    convolve_all_rows<S, W, 2>(p, plane, padded, taps, bias);
  else
    convolve_all_rows<S, W, kMostWide>(p, plane, padded, taps, bias);
}

}  // namespace

void depthwise(DType dtype, const DepthwisePlane& p) {
  if (dtype == DType::Float16)
    convolve_plane<Half, float>(p);
  else if (dtype == DType::BFloat16)
    convolve_plane<BFloat16, float>(p);
  else if (dtype == DType::Float64)
    convolve_plane<double, double>(p);
  else
    convolve_plane<float, float>(p);
}

}  // namespace cann::kernels::CANN_ISA
