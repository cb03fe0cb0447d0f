#include "cann/ops/conv.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cann/kernels/conv/conv.h"
#include "cann/kernels/matmul/gemm.h"
#include "cann/ops/conv_pass.h"
#include "cann/ops/product.h"
#include "cann/ops/scratch.h"

namespace cann::ops {
namespace {

using namespace conv;
using kernels::ConvTile;
using kernels::ConvWeightTile;
using kernels::Grid;
using kernels::Window;

constexpr double kMacsPerUs = 3e4, kChunkUs = 40;

// [N, C, spatial...] with the spatial dimensions as three, leading ones of size 1.
Grid as_grid(const TensorView& t) {
  Grid g{t.data, t.strides[0], t.strides[1], {1, 1, 1}, {0, 0, 0}};
  for (int d = 2; d < t.ndim; ++d) {
    g.size[3 - (t.ndim - d)] = t.sizes[d];
    g.stride[3 - (t.ndim - d)] = t.strides[d];
  }
  return g;
}

// The one step between neighbouring pixels; 0 if there is none.
int64_t pixel_step(const Grid& g) {
  int64_t step = 0, count = 1;
  for (int d = 2; d >= 0; --d) {
    if (g.size[d] == 1) continue;
    if (step == 0)
      step = g.stride[d];
    else if (g.stride[d] != step * count)
      return 0;
    count *= g.size[d];
  }
  return step == 0 ? 1 : step;
}

Result<Window> make_window(const TensorView& weight, const ConvOptions& o, bool transposed) {
  Window w{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, transposed};
  const int dims = weight.ndim - 2;
  auto at = [&](IntArray values, int d) { return values.size() == 1 ? values[0] : values[static_cast<size_t>(d)]; };
  for (IntArray values : {o.stride, o.padding, o.dilation})
    if (values.size() != 1 && values.size() != static_cast<size_t>(dims))
      return bad_parameter("convolution: weight " + describe(weight) + ": stride, padding and dilation need 1 or " +
                           std::to_string(dims) + " numbers");
  for (int d = 0; d < dims; ++d) {
    const int to = 3 - dims + d;
    w.taps[to] = weight.sizes[2 + d];
    w.stride[to] = at(o.stride, d);
    w.padding[to] = at(o.padding, d);
    w.dilation[to] = at(o.dilation, d);
    if (w.stride[to] <= 0 || w.dilation[to] <= 0)
      return bad_parameter("convolution: stride and dilation must be positive");
  }
  return w;
}

void set_taps(const TensorView& weight, int64_t* taps) {
  for (int d = 0; d < 3; ++d) taps[d] = 0;
  for (int d = 2; d < weight.ndim; ++d) taps[3 - (weight.ndim - d)] = weight.strides[d];
}

Launch nothing(const char* name) {
  return {Task(name, 0, [](TaskContext&) {}), 0};
}

// A window of one pixel that moves by one: a matrix product.
Result<Launch> as_product(const Pass& p) {
  Product m;
  m.dtype = p.dtype;
  m.m = p.rows;
  m.n = pixels_of(p.target);
  m.k = p.channels;
  m.batch_dims = 2;
  m.batch_sizes[0] = p.batch;
  m.batch_sizes[1] = p.groups;
  m.a = {const_cast<void*>(p.weight), p.weight_row, p.weight_channel, {0, p.weight_group}};
  m.b = {const_cast<void*>(p.source.data),
         p.source.channel,
         pixel_step(p.source),
         {p.source.batch, p.channels * p.source.channel}};
  m.out = {const_cast<void*>(p.target.data),
           p.target.channel,
           pixel_step(p.target),
           {p.target.batch, p.rows * p.target.channel}};
  if (p.bias) m.c = {const_cast<void*>(p.bias), p.bias_step, 0, {0, p.rows * p.bias_step}};
  return multiply(p.name, m);
}

// A transposed window of stride 1 is a plain one over mirrored taps.
bool mirror(Pass& p) {
  Window& w = p.window;
  for (int d = 0; d < 3; ++d)
    if (w.stride[d] != 1 || w.dilation[d] * (w.taps[d] - 1) < w.padding[d]) return false;
  int64_t last = 0;
  for (int d = 0; d < 3; ++d) {
    w.padding[d] = w.dilation[d] * (w.taps[d] - 1) - w.padding[d];
    last += (w.taps[d] - 1) * p.weight_tap[d];
    p.weight_tap[d] = -p.weight_tap[d];
  }
  p.weight = moved(p.weight, last, p.dtype);
  w.transposed = false;
  return true;
}

Result<Launch> launch_pass(Pass p) {
  const int64_t pixels = pixels_of(p.target);
  if (p.batch * p.groups * p.rows * pixels == 0) return nothing(p.name);
  const int64_t step = pixel_step(p.target);
  if (step == 0) return bad_parameter(std::string(p.name) + ": the result's pixels must follow each other evenly");
  const bool by_planes = p.channels == 1 && p.rows <= 4 && p.groups > 1 && is_floating(p.dtype);
  // Rows of pixels side by side: twice as fast as oneDNN, which copies them into blocks of channels and back.
  if (by_planes && !p.window.transposed && p.source.stride[2] == 1 && p.target.stride[2] == 1)
    return depthwise_by_planes(p);
  if (by_planes && p.rows == 1 && !p.window.transposed && p.source.channel == 1 && p.target.channel == 1)
    return depthwise_by_rows(p);
  const Window& w = p.window;
  bool one_pixel = w.count() == 1 && pixel_step(p.source) != 0;  // transposed or not
  for (int d = 0; d < 3; ++d) one_pixel &= w.stride[d] == 1 && w.padding[d] == 0;
  if (one_pixel) return as_product(p);
  if (std::optional<Launch> large = convolve_with_onednn(p)) return std::move(*large);
  if (w.transposed) mirror(p);
  if (by_planes && !w.transposed) return depthwise_by_planes(p);

  // Tiles: whole rows of weights where there are not many, about 16 chunks or more in all.
  int64_t tile_rows = std::min(p.rows, kernels::kTileRows), tile_pixels = std::min(pixels, kernels::kTileCols);
  const int64_t images = p.batch * p.groups;
  const double macs = static_cast<double>(images) * p.rows * pixels * p.channels * w.count();
  const int64_t wanted = std::clamp<int64_t>(static_cast<int64_t>(macs / (kMacsPerUs * kChunkUs)), 1, 16);
  while (images * pieces(p.rows, tile_rows) * pieces(pixels, tile_pixels) < wanted) {
    if (tile_pixels > 64)
      tile_pixels = pieces(pieces(tile_pixels, 2), 32) * 32;
    else if (tile_rows > 48)
      tile_rows = pieces(pieces(tile_rows, 2), 12) * 12;
    else
      break;
  }
  const int64_t across = pieces(pixels, tile_pixels), down = pieces(p.rows, tile_rows), tiles = images * across * down;
  const double tile_us = 1 + static_cast<double>(tile_rows) * tile_pixels * p.channels * w.count() / kMacsPerUs;
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kChunkUs / tile_us));
  return Launch{
      Task(p.name, static_cast<float>(tile_us * tiles),
           [p, step, pixels, tile_rows, tile_pixels, across, down, tiles, grain](TaskContext& context) {
             context.team.for_ranges(tiles, grain, [&](int64_t from, int64_t to) {
               void* scratch = thread_scratch(kernels::kGemmScratchBytes);
               for (int64_t i = from; i < to; ++i) {
                 const int64_t pixel = i % across * tile_pixels, row = i / across % down * tile_rows;
                 const int64_t group = i / across / down % p.groups, n = i / across / down / p.groups;
                 ConvTile t{};
                 t.source = p.source;
                 t.source.data =
                     moved(p.source.data, n * p.source.batch + group * p.channels * p.source.channel, p.dtype);
                 t.window = p.window;
                 t.channels = p.channels;
                 t.weight = moved(p.weight, group * p.weight_group + row * p.weight_row, p.dtype);
                 t.weight_row = p.weight_row;
                 t.weight_channel = p.weight_channel;
                 std::copy_n(p.weight_tap, 3, t.weight_tap);
                 if (p.bias) t.bias = moved(p.bias, (group * p.rows + row) * p.bias_step, p.dtype);
                 t.bias_step = p.bias_step;
                 std::copy_n(p.target.size, 3, t.grid);
                 t.rows = std::min(tile_rows, p.rows - row);
                 t.first_pixel = pixel;
                 t.pixels = std::min(tile_pixels, pixels - pixel);
                 t.out = moved(p.target.data,
                               n * p.target.batch + (group * p.rows + row) * p.target.channel + pixel * step, p.dtype);
                 t.out_row = p.target.channel;
                 t.out_pixel = step;
                 t.scratch = scratch;
                 kernels::conv().convolve(p.dtype, t);
               }
             });
           }),
      0};
}

// rows of `target`'s group against the window's columns of `source`.
Result<Launch> launch_weight_gradient(const Pass& p, const TensorView& out) {
  const int64_t cols = p.channels * p.window.count();
  if (p.groups * p.rows * cols == 0) return nothing(p.name);
  int64_t tile_rows = std::min(p.rows, kernels::kTileRows), tile_cols = std::min(cols, kernels::kTileCols);
  while (p.groups * pieces(p.rows, tile_rows) * pieces(cols, tile_cols) < 8) {
    if (tile_cols > 64)
      tile_cols = pieces(pieces(tile_cols, 2), 32) * 32;
    else if (tile_rows > 48)
      tile_rows = pieces(pieces(tile_rows, 2), 12) * 12;
    else
      break;
  }
  int64_t taps[3];
  set_taps(out, taps);
  const int64_t across = pieces(cols, tile_cols), down = pieces(p.rows, tile_rows), tiles = p.groups * across * down;
  const double tile_us = 1 + static_cast<double>(tile_rows) * tile_cols * p.batch * pixels_of(p.target) / kMacsPerUs;
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kChunkUs / tile_us));
  struct Out {
    void* data;
    int64_t group, row, channel, tap[3];
  } to{out.data, p.rows * out.strides[0], out.strides[0], out.strides[1], {taps[0], taps[1], taps[2]}};
  return Launch{Task(p.name, static_cast<float>(tile_us * tiles),
                     [p, to, cols, tile_rows, tile_cols, across, down, tiles, grain](TaskContext& context) {
                       context.team.for_ranges(tiles, grain, [&](int64_t from, int64_t end) {
                         void* scratch = thread_scratch(kernels::kGemmScratchBytes);
                         for (int64_t i = from; i < end; ++i) {
                           const int64_t col = i % across * tile_cols, row = i / across % down * tile_rows,
                                         group = i / across / down;
                           ConvWeightTile t{};
                           t.source = p.source;
                           t.source.data = moved(p.source.data, group * p.channels * p.source.channel, p.dtype);
                           t.target = p.target;
                           t.target.data = moved(p.target.data, (group * p.rows + row) * p.target.channel, p.dtype);
                           t.window = p.window;
                           t.batch = p.batch;
                           t.channels = p.channels;
                           t.rows = std::min(tile_rows, p.rows - row);
                           t.first_col = col;
                           t.cols = std::min(tile_cols, cols - col);
                           t.out = moved(to.data, group * to.group + row * to.row, p.dtype);
                           t.out_row = to.row;
                           t.out_channel = to.channel;
                           std::copy_n(to.tap, 3, t.out_tap);
                           t.scratch = scratch;
                           kernels::conv().weight_gradient(p.dtype, t);
                         }
                       });
                     }),
                0};
}

// Checks what a call must agree on, and gives the pass from the input side (channels of input) to the output side or,
// backwards, from the output side to the input side.
Result<Pass> make_pass(const char* name, const TensorView& input, const TensorView& weight, const TensorView& output,
                       const ConvOptions& o, bool backwards) {
  auto refuse = [&](const char* why) {
    return bad_parameter(std::string(name) + ": input " + describe(input) + ", weight " + describe(weight) +
                         ", output " + describe(output) + ", groups " + std::to_string(o.groups) + ": " + why);
  };
  if (input.ndim < 3 || input.ndim > 5 || weight.ndim != input.ndim || output.ndim != input.ndim)
    return refuse("3 to 5 dimensions are needed");
  if (input.dtype != weight.dtype || input.dtype != output.dtype) return refuse("one dtype is needed");
  if (!kernels::conv().supports(input.dtype)) return refuse("no kernel for this dtype");
  const int64_t in_dim = o.transposed ? 0 : 1,
                out_dim = 1 - in_dim;  // of the weight: which side each of its first two counts
  if (o.groups <= 0 || input.sizes[1] % o.groups || output.sizes[1] % o.groups || input.sizes[0] != output.sizes[0])
    return refuse("channels must be multiples of the groups");
  const int64_t in_channels = input.sizes[1] / o.groups, out_channels = output.sizes[1] / o.groups;
  if (weight.sizes[1] != (o.transposed ? out_channels : in_channels) ||
      weight.sizes[0] != (o.transposed ? input : output).sizes[1])
    return refuse("the weight's channels do not fit");
  ASSIGN_OR_RETURN(Window window, make_window(weight, o, o.transposed != backwards));
  Pass p{};
  p.name = name;
  p.dtype = input.dtype;
  p.batch = input.sizes[0];
  p.groups = o.groups;
  p.channels = backwards ? out_channels : in_channels;
  p.rows = backwards ? in_channels : out_channels;
  p.source = as_grid(backwards ? output : input);
  p.target = as_grid(backwards ? input : output);
  p.window = window;
  p.weight = weight.data;
  p.weight_group = weight.sizes[0] / o.groups * weight.strides[0];
  p.weight_row = weight.strides[backwards ? in_dim : out_dim];
  p.weight_channel = weight.strides[backwards ? out_dim : in_dim];
  set_taps(weight, p.weight_tap);
  return p;
}

}  // namespace

Result<Launch> convolution(const TensorView& input, const TensorView& weight, const TensorView* bias,
                           const ConvOptions& options, const TensorView& out) {
  ASSIGN_OR_RETURN(Pass p, make_pass("convolution", input, weight, out, options, false));
  if (bias) {
    if (bias->ndim != 1 || bias->sizes[0] != out.sizes[1] || bias->dtype != input.dtype)
      return bad_parameter("convolution: bias " + describe(*bias) + ": one number for each of " +
                           std::to_string(out.sizes[1]) + " channels is needed");
    p.bias = bias->data;
    p.bias_step = bias->strides[0];
  }
  return launch_pass(p);
}

Result<Launch> convolution_backward(const TensorView& grad_out, const TensorView& input, const TensorView& weight,
                                    const ConvOptions& options, const TensorView* grad_input,
                                    const TensorView* grad_weight, const TensorView* grad_bias) {
  auto parts = std::make_shared<std::vector<Task>>();
  float estimated_us = 0;
  size_t workspace_bytes = 0;  // the parts run one after the other, in the same
  auto add = [&](Launch launch) {
    estimated_us += launch.task.estimated_us();
    workspace_bytes = std::max(workspace_bytes, launch.workspace_bytes);
    parts->push_back(std::move(launch.task));
  };
  if (grad_input) {
    ASSIGN_OR_RETURN(Pass p, make_pass("convolution_backward", *grad_input, weight, grad_out, options, true));
    ASSIGN_OR_RETURN(Launch launch, launch_pass(p));
    add(std::move(launch));
  }
  if (grad_weight) {
    // A pass that gathers from the input for each pixel of the output, or the other way round where the convolution is
    // transposed.
    ASSIGN_OR_RETURN(Pass p,
                     make_pass("convolution_backward", input, *grad_weight, grad_out, options, options.transposed));
    p.window.transposed = false;
    ASSIGN_OR_RETURN(Launch launch, launch_weight_gradient(p, *grad_weight));
    add(std::move(launch));
  }
  if (grad_bias) {
    const Grid grid = as_grid(grad_out);
    const int64_t channels = grad_out.sizes[1], batch = grad_out.sizes[0], step = grad_bias->strides[0];
    const DType dtype = grad_out.dtype;
    if (grad_bias->ndim != 1 || grad_bias->sizes[0] != channels || grad_bias->dtype != dtype ||
        !kernels::conv().supports(dtype))
      return bad_parameter("convolution_backward: gradBias " + describe(*grad_bias) + ": does not fit gradOutput " +
                           describe(grad_out));
    const double channel_us = 0.2 + static_cast<double>(batch) * pixels_of(grid) / 4e3;
    add({Task("convolution_backward", static_cast<float>(channel_us * channels),
              [=, out = grad_bias->data](TaskContext& context) {
                context.team.for_ranges(channels, std::max<int64_t>(1, static_cast<int64_t>(kChunkUs / channel_us)),
                                        [&](int64_t from, int64_t to) {
                                          for (int64_t c = from; c < to; ++c) {
                                            Grid channel = grid;
                                            channel.data = moved(grid.data, c * grid.channel, dtype);
                                            kernels::conv().sum_pixels(dtype, channel, batch,
                                                                       moved(out, c * step, dtype));
                                          }
                                        });
              }),
         0});
  }
  return Launch{Task("convolution_backward", estimated_us,
                     [parts](TaskContext& context) -> Status {
                       for (Task& part : *parts) RETURN_IF_ERROR(part(context));
                       return {};
                     }),
                workspace_bytes};
}

Result<Launch> conv_tbc(const TensorView& input, const TensorView& weight, const TensorView& bias, int64_t padding,
                        const TensorView& out) {
  if (input.ndim != 3 || weight.ndim != 3 || out.ndim != 3)
    return bad_parameter("conv_tbc: input " + describe(input) + ", weight " + describe(weight) +
                         ": three dimensions are needed");
  auto reordered = [](const TensorView& t, int a, int b, int c) {
    TensorView v = t;
    const int order[] = {a, b, c};
    for (int d = 0; d < 3; ++d) v.sizes[d] = t.sizes[order[d]], v.strides[d] = t.strides[order[d]];
    return v;
  };
  const int64_t one = 1;
  const ConvOptions options{IntArray(&one, 1), IntArray(&padding, 1), IntArray(&one, 1), false, 1};
  return convolution(reordered(input, 1, 2, 0), reordered(weight, 2, 1, 0), &bias, options, reordered(out, 1, 2, 0));
}

}  // namespace cann::ops
