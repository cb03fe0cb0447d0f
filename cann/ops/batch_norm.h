// What batch norm and its synchronised form share: how channels lie in memory, and the passes over them.
#pragma once

#include <algorithm>
#include <string>

#include "cann/base/task.h"
#include "cann/kernels/norm/norm.h"
#include "cann/ops/family.h"

namespace cann::ops::by_channel {

// How the channels lie: planes [batch, channels, spatial], or columns [rows, channels].
struct Layout {
  bool columns;
  kernels::ChannelShape shape;
  int64_t rows() const { return shape.batch * shape.spatial; }
  int64_t elements() const { return rows() * shape.channels; }
};

inline TensorView channels_last(const TensorView& t) {
  TensorView moved = t;
  for (int d = 2; d < t.ndim; ++d) moved.sizes[d - 1] = t.sizes[d], moved.strides[d - 1] = t.strides[d];
  moved.sizes[t.ndim - 1] = t.sizes[1];
  moved.strides[t.ndim - 1] = t.strides[1];
  return moved;
}

inline Layout layout_of(const TensorView& input) {
  Layout layout{false, {input.sizes[0], input.sizes[1], 1}};
  for (int d = 2; d < input.ndim; ++d) layout.shape.spatial *= input.sizes[d];
  layout.columns = layout.shape.spatial == 1 || (!input.is_contiguous() && channels_last(input).is_contiguous());
  return layout;
}

inline TensorView arranged(const TensorView& t, const Layout& layout) { return layout.columns ? channels_last(t) : t; }

// Rows a chunk of column sums: at most 32 chunks, at least 16k elements each.
inline int64_t column_grain(const Layout& l) {
  return std::max<int64_t>({1, 16384 / std::max<int64_t>(l.shape.channels, 1), (l.rows() + 31) / 32});
}
inline int64_t column_chunks(const Layout& l) { return (l.rows() + column_grain(l) - 1) / column_grain(l); }
inline int64_t channel_grain(const Layout& l) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(l.rows(), 1)); }
inline int64_t plane_grain(const Layout& l) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(l.shape.spatial, 1));
}
inline int64_t row_grain(const Layout& l) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(l.shape.channels, 1));
}

template <class A>
struct BatchNorm {
  Layout layout;
  int type;

  void add(const void* partials, void* out) const {
    kernels::norm().add_partials[sizeof(A) == 8](partials, column_chunks(layout), layout.shape.channels, out, 0,
                                                 layout.shape.channels);
  }

  // partials: column_chunks * channels
  void moments(Team& team, const void* x, A* mean, A* var, A* partials) const {
    const int64_t channels = layout.shape.channels;
    if (!layout.columns) {
      team.for_ranges(channels, channel_grain(layout), [&](int64_t begin, int64_t end) {
        kernels::channel().plane_moments[type](x, layout.shape, mean, var, begin, end);
      });
      return;
    }
    auto average = [&](const A* about, A* out) {
      team.run(column_chunks(layout), [&](int64_t chunk) {
        kernels::channel().column_sums[type](x, channels, about, partials + chunk * channels,
                                             chunk * column_grain(layout),
                                             std::min(layout.rows(), (chunk + 1) * column_grain(layout)));
      });
      add(partials, out);
      for (int64_t c = 0; c < channels; ++c) out[c] /= static_cast<A>(layout.rows());
    };
    average(nullptr, mean);
    average(mean, var);
  }

  // partials: 2 * column_chunks * channels
  void dots(Team& team, const void* dy, const void* x, const A* mean, const A* invstd, A* sum_dy, A* sum_dy_xhat,
            A* partials) const {
    const int64_t channels = layout.shape.channels;
    if (!layout.columns) {
      team.for_ranges(channels, channel_grain(layout), [&](int64_t begin, int64_t end) {
        kernels::channel().plane_dots[type](dy, x, layout.shape, mean, invstd, sum_dy, sum_dy_xhat, begin, end);
      });
      return;
    }
    A* others = partials + column_chunks(layout) * channels;
    team.run(column_chunks(layout), [&](int64_t chunk) {
      kernels::channel().column_dots[type](dy, x, channels, mean, invstd, partials + chunk * channels,
                                           others + chunk * channels, chunk * column_grain(layout),
                                           std::min(layout.rows(), (chunk + 1) * column_grain(layout)));
    });
    add(partials, sum_dy);
    add(others, sum_dy_xhat);
  }

  void affine(Team& team, const void* x, const A* scale, const A* shift, void* y) const {
    if (layout.columns) {
      team.for_ranges(layout.rows(), row_grain(layout), [&](int64_t begin, int64_t end) {
        kernels::channel().column_affine[type](x, layout.shape.channels, scale, shift, y, begin, end);
      });
    } else {
      team.for_ranges(layout.shape.batch * layout.shape.channels, plane_grain(layout), [&](int64_t begin, int64_t end) {
        kernels::channel().plane_affine[type](x, layout.shape, scale, shift, y, begin, end);
      });
    }
  }

  void affine2(Team& team, const void* dy, const void* x, const A* a, const A* b, const A* d, void* dx) const {
    if (layout.columns) {
      team.for_ranges(layout.rows(), row_grain(layout), [&](int64_t begin, int64_t end) {
        kernels::channel().column_affine2[type](dy, x, layout.shape.channels, a, b, d, dx, begin, end);
      });
    } else {
      team.for_ranges(layout.shape.batch * layout.shape.channels, plane_grain(layout), [&](int64_t begin, int64_t end) {
        kernels::channel().plane_affine2[type](dy, x, layout.shape, a, b, d, dx, begin, end);
      });
    }
  }
};

inline Status check_channels(const char* op, const char* name, const TensorView* t, int64_t channels) {
  if (!t || t->numel() == channels) return {};
  return bad_parameter(std::string(op) + ": " + name + " " + describe(*t) + ": one element for each of " +
                       std::to_string(channels) + " channels needed");
}

inline Status check_input(const char* op, const TensorView& input, const TensorView& other) {
  if (input.ndim >= 2 && floating_index(input.dtype) >= 0 && other.dtype == input.dtype && same_shape(input, other))
    return {};
  return bad_parameter(std::string(op) + ": input " + describe(input) + " beside " + describe(other) +
                       ": two or more dimensions, one floating type and one shape needed");
}

}  // namespace cann::ops::by_channel
