#include "cann/ops/product.h"

#include <algorithm>
#include <utility>

#include "cann/ops/onednn.h"
#include "cann/ops/scratch.h"

namespace cann::ops {
namespace {

using kernels::GemmKernel;
using kernels::GemmTile;

// Multiply-adds in a microsecond on one core, roughly: for choosing chunks, and for the Task's estimate.
constexpr double kMacsPerUs = 4e4;
constexpr double kChunkUs = 40;  // below this, handing a chunk to another thread costs more than it brings

GemmKernel gemm_kernel(DType dtype) {
  const kernels::MatmulKernels& table = kernels::matmul();
  switch (dtype) {
    case DType::Float32: return table.f32;
    case DType::Float16: return table.f16;
    case DType::BFloat16: return table.bf16;
    case DType::Float64: return table.f64;
    case DType::Int8: return table.i8;
    case DType::UInt8: return table.u8;
    case DType::Int16: return table.i16;
    case DType::Int32: return table.i32;
    case DType::Int64: return table.i64;
    case DType::Complex64: return table.c64;
    case DType::Complex128: return table.c128;
    default: return nullptr;
  }
}

GemmKernel few_rows_kernel(DType dtype) {
  const kernels::MatmulKernels& table = kernels::matmul();
  switch (dtype) {
    case DType::Float32: return table.few_rows_f32;
    case DType::Float16: return table.few_rows_f16;
    case DType::BFloat16: return table.few_rows_bf16;
    case DType::Float64: return table.few_rows_f64;
    default: return nullptr;
  }
}

// Where a tile's operands begin.
void* at(const Matrices& o, DType dtype, const int64_t* batch, int dims, int64_t row, int64_t col) {
  int64_t offset = row * o.row + col * o.col;
  for (int d = 0; d < dims; ++d) offset += batch[d] * o.batch[d];
  return static_cast<char*>(o.data) + offset * size_of(dtype);
}

// out^T = b^T a^T
void transpose(Product& p) {
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  for (Matrices* o : {&p.a, &p.b, &p.c, &p.out}) std::swap(o->row, o->col);
}

// Merges a batch dimension into the rows where a and out go on alike and b is the same for all of it; then neighbouring
// batch dimensions with each other.
void collapse(Product& p) {
  auto drop = [&](int d) {
    for (int e = d + 1; e < p.batch_dims; ++e) {
      p.batch_sizes[e - 1] = p.batch_sizes[e];
      for (Matrices* o : {&p.a, &p.b, &p.c, &p.out}) o->batch[e - 1] = o->batch[e];
    }
    --p.batch_dims;
  };
  for (int d = p.batch_dims - 1; d >= 0; --d)
    if (p.batch_sizes[d] == 1) drop(d);
  while (p.batch_dims > 0) {
    const int d = p.batch_dims - 1;
    auto goes_on = [&](const Matrices& o) { return o.batch[d] == p.m * o.row; };
    if (p.b.batch[d] != 0 || !goes_on(p.a) || !goes_on(p.out) || (p.c.data && !goes_on(p.c))) {
      if (p.m != 1 || p.b.batch[d] != 0) break;
      for (Matrices* o : {&p.a, &p.c, &p.out}) o->row = o->batch[d];  // one row a batch: any step will do
    }
    p.m *= p.batch_sizes[d];
    drop(d);
  }
  for (int d = p.batch_dims - 2; d >= 0; --d) {
    auto goes_on = [&](const Matrices& o) { return o.batch[d] == p.batch_sizes[d + 1] * o.batch[d + 1]; };
    if (!goes_on(p.a) || !goes_on(p.b) || !goes_on(p.out) || (p.c.data && !goes_on(p.c))) continue;
    p.batch_sizes[d] *= p.batch_sizes[d + 1];
    for (Matrices* o : {&p.a, &p.b, &p.c, &p.out}) o->batch[d] = o->batch[d + 1];
    drop(d + 1);
  }
}

// How a product is cut. All tiles are rows x cols but those at the edges.
struct Tiling {
  int64_t rows, cols;
  const onednn::Primitive* primitives[2][2] = {};  // [last row of tiles][last column]; null: our own kernel
  GemmKernel kernel = nullptr;
  bool onednn = false, units = false;
  bool direct = false;  // oneDNN writes the result itself; otherwise float32 sums that finish() turns into it
};

int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }
int64_t round_up(int64_t n, int64_t unit) { return pieces(n, unit) * unit; }

// About `wanted` tiles, no larger than our kernels take. Whole register blocks, so that edges cost little.
void tile_for_kernels(const Product& p, Tiling& t) {
  t.rows = std::min(p.m, kernels::kTileRows);
  t.cols = std::min(p.n, kernels::kTileCols);
  const double macs = static_cast<double>(p.m) * p.n * p.k * p.batches();
  const int64_t wanted = std::clamp<int64_t>(static_cast<int64_t>(macs / (kMacsPerUs * kChunkUs)), 1, 16);
  while (pieces(p.m, t.rows) * pieces(p.n, t.cols) * p.batches() < wanted) {
    if (t.cols > 64)
      t.cols = round_up(pieces(t.cols, 2), 32);
    else if (t.rows > 48)
      t.rows = round_up(pieces(t.rows, 2), 12);
    else
      break;
  }
}

// Multiply-adds in a microsecond on one core's matrix units; float16 goes through them in four products.
double units_rate(DType dtype) { return dtype == DType::BFloat16 ? 3e5 : 1e5; }

// Columns as many as half of the second cache holds when packed; all rows, so that they are packed once.
bool tile_for_units(const Product& p, Tiling& t) {
  const kernels::MatmulKernels& table = kernels::matmul();
  t.kernel = p.dtype == DType::BFloat16 ? table.units_bf16 : p.dtype == DType::Float16 ? table.units_f16 : nullptr;
  if (!t.kernel || p.m < 7 || p.n < 16 || p.k < 16 || p.k > 1 << 14 || p.a.col != 1 || (p.b.row != 1 && p.b.col != 1) ||
      !onednn::has_matrix_units())
    return false;
  const int64_t column_bytes = p.k * 2 * (p.dtype == DType::Float16 ? 2 : 1);
  t.cols = std::min(p.n, std::clamp<int64_t>((1 << 20) / column_bytes / 32 * 32, 64, kernels::kTileCols));
  t.rows = p.m;
  const double macs = static_cast<double>(p.m) * p.n * p.k * p.batches();
  const int64_t wanted = std::clamp<int64_t>(static_cast<int64_t>(macs / (units_rate(p.dtype) * kChunkUs)), 1, 8);
  while (pieces(p.m, t.rows) * pieces(p.n, t.cols) * p.batches() < wanted) {
    if (t.cols > 64)
      t.cols = round_up(pieces(t.cols, 2), 32);
    else if (t.rows > 64)
      t.rows = round_up(pieces(t.rows, 2), 32);
    else
      break;
  }
  return t.units = true;
}

bool use_few_rows(const Product& p) {
  // Matrix units take 16 rows in the time of one; packing what they read costs as much as six rows here.
  const int64_t most = p.dtype == DType::BFloat16 && onednn::has_matrix_units() ? 6 : kernels::kFewRows;
  return p.m <= most && p.k > 0 && p.n * p.k >= 2048 && (p.b.row == 1 || p.b.col == 1) && few_rows_kernel(p.dtype);
}

// 256 KiB of b a tile: large enough to stream, small enough to share.
void tile_for_few_rows(const Product& p, Tiling& t) {
  t.rows = p.m;
  t.cols = std::clamp<int64_t>(round_up((256 << 10) / (p.k * size_of(p.dtype)), 16), 16, kernels::kTileCols);
  t.kernel = few_rows_kernel(p.dtype);
}

// A bias that oneDNN can add: one row for all, as it lies.
bool is_bias(const Product& p) {
  return p.c.data && p.c.row == 0 && p.c.col == 1 && p.beta.is_one() && p.batch_dims == 0;
}

// Large products of the types oneDNN is fast with. Making a primitive takes 0.3 to 2 ms, so small ones are not worth
// it: our float32 kernel reaches 0.9 of oneDNN's, AMX (bfloat16) is 3 to 8 times as fast (benchmarks/matmul).
bool tile_for_onednn(const Product& p, Tiling& t) {
  const double macs = static_cast<double>(p.m) * p.n * p.k;
  const double least = p.dtype == DType::BFloat16 ? 1 << 20 : 1 << 24;
  if (onednn::data_type(p.dtype) == 0 || macs * p.batches() < least || macs < 1 << 17 || p.m < 16 || p.n < 16 ||
      p.k < 16)
    return false;
  auto fits = [](const Matrices& o) { return (o.row == 1 && o.col > 0) || (o.col == 1 && o.row > 0); };
  if (!fits(p.a) || !fits(p.b)) return false;
  t.direct = p.out.col == 1 && p.alpha.is_one() && (!p.c.data || is_bias(p));
  t.rows = std::min<int64_t>(p.m, 128);  // whole rows of b a tile: it is packed once for 128 rows of a
  const int64_t wanted = std::clamp<int64_t>(static_cast<int64_t>(macs / 4e6), 1, 8);
  const int64_t splits = pieces(wanted, pieces(p.m, t.rows) * p.batches());
  t.cols = std::min(p.n, std::max<int64_t>(128, round_up(pieces(p.n, splits), 64)));
  for (int bottom = 0; bottom < 2; ++bottom)
    for (int right = 0; right < 2; ++right) {
      const int64_t m = bottom ? p.m - (pieces(p.m, t.rows) - 1) * t.rows : t.rows;
      const int64_t n = right ? p.n - (pieces(p.n, t.cols) - 1) * t.cols : t.cols;
      const onednn::MatmulShape shape{p.dtype,
                                      t.direct ? p.dtype : DType::Float32,
                                      m,
                                      n,
                                      p.k,
                                      p.a.row,
                                      p.a.col,
                                      p.b.row,
                                      p.b.col,
                                      t.direct ? p.out.row : n,
                                      t.direct && p.c.data != nullptr};
      t.primitives[bottom][right] = onednn::matmul(shape);
      if (!t.primitives[bottom][right]) return false;
    }
  return t.onednn = true;
}

Status run_tile(const Product& p, const Tiling& t, int64_t index) {
  const int64_t down = pieces(p.m, t.rows), across = pieces(p.n, t.cols);
  const int64_t col = index % across * t.cols, row = index / across % down * t.rows;
  int64_t batch[kBatchDims], rest = index / across / down;
  for (int d = p.batch_dims - 1; d >= 0; rest /= p.batch_sizes[d], --d) batch[d] = rest % p.batch_sizes[d];
  auto start = [&](const Matrices& o, int64_t i, int64_t j) { return at(o, p.dtype, batch, p.batch_dims, i, j); };

  GemmTile tile{.m = std::min(t.rows, p.m - row),
                .n = std::min(t.cols, p.n - col),
                .k = p.k,
                .a = start(p.a, row, 0),
                .a_row = p.a.row,
                .a_col = p.a.col,
                .b = start(p.b, 0, col),
                .b_row = p.b.row,
                .b_col = p.b.col,
                .c = p.c.data ? start(p.c, row, col) : nullptr,
                .c_row = p.c.row,
                .c_col = p.c.col,
                .out = start(p.out, row, col),
                .out_row = p.out.row,
                .out_col = p.out.col,
                .alpha = p.alpha,
                .beta = p.beta,
                .scratch = nullptr};
  if (!t.onednn) {
    tile.scratch = thread_scratch(t.units ? kernels::units_scratch_bytes(p.k, tile.n) : kernels::kGemmScratchBytes);
    t.kernel(tile);
    return {};
  }
  const onednn::Primitive& primitive = *t.primitives[row + t.rows >= p.m][col + t.cols >= p.n];
  if (t.direct) return onednn::run_matmul(primitive, tile.a, tile.b, tile.c, tile.out);
  float* sums = static_cast<float*>(thread_scratch(sizeof(float) * (tile.m + 1) * tile.n));
  RETURN_IF_ERROR(onednn::run_matmul(primitive, tile.a, tile.b, nullptr, sums));
  tile.scratch = sums;
  kernels::matmul().finish(p.dtype, tile);
  return {};
}

}  // namespace

int64_t Product::batches() const {
  int64_t n = 1;
  for (int d = 0; d < batch_dims; ++d) n *= batch_sizes[d];
  return n;
}

kernels::Factor to_factor(const Scalar& value) {
  const std::complex<double> z = value.to_complex();
  return {z.real(), z.imag(), value.to_int64()};
}

TensorView transposed(const TensorView& matrix) {
  TensorView view = matrix;
  std::swap(view.sizes[view.ndim - 1], view.sizes[view.ndim - 2]);
  std::swap(view.strides[view.ndim - 1], view.strides[view.ndim - 2]);
  return view;
}

Result<Product> make_product(const char* name, const TensorView* c, const TensorView& a, const TensorView& b,
                             const TensorView& out, const Scalar& beta, const Scalar& alpha) {
  auto refuse = [&](const std::string& why) {
    return bad_parameter(std::string(name) + ": self " + describe(a) + ", other " + describe(b) + ", out " +
                         describe(out) + ": " + why);
  };
  if (a.ndim < 2 || b.ndim < 2 || out.ndim < 2) return refuse("matrices are needed");
  if (a.dtype != b.dtype || a.dtype != out.dtype || (c && c->dtype != a.dtype)) return refuse("one dtype is needed");
  if (!gemm_kernel(a.dtype)) return refuse("no kernel for this dtype");
  if (is_integral(a.dtype) && (!alpha.is_integral() || !beta.is_integral()))
    return refuse("integers need integer alpha and beta");
  if (out.ndim - 2 > kBatchDims || a.ndim > out.ndim || b.ndim > out.ndim || (c && c->ndim > out.ndim))
    return refuse("too many dimensions");

  Product p;
  p.dtype = a.dtype;
  p.m = a.sizes[a.ndim - 2];
  p.k = a.sizes[a.ndim - 1];
  p.n = b.sizes[b.ndim - 1];
  if (b.sizes[b.ndim - 2] != p.k)
    return refuse("inner sizes " + std::to_string(p.k) + " and " + std::to_string(b.sizes[b.ndim - 2]) + " must match");
  if (out.sizes[out.ndim - 2] != p.m || out.sizes[out.ndim - 1] != p.n)
    return refuse("out does not have the product's shape");
  p.alpha = to_factor(alpha);
  p.beta = to_factor(beta);
  p.batch_dims = out.ndim - 2;
  std::copy_n(out.sizes, p.batch_dims, p.batch_sizes);

  bool broadcasts = true;
  auto operand = [&](const TensorView& t, bool whole) {  // whole: the matrix dimensions broadcast too
    Matrices o;
    o.data = t.data;
    auto stride = [&](int from_end, int64_t size) -> int64_t {
      if (from_end > t.ndim) return 0;
      const int d = t.ndim - from_end;
      if (t.sizes[d] == size) return t.strides[d];
      broadcasts &= t.sizes[d] == 1;
      return 0;
    };
    o.row = whole ? stride(2, p.m) : t.strides[t.ndim - 2];
    o.col = whole ? stride(1, p.n) : t.strides[t.ndim - 1];
    for (int d = 0; d < p.batch_dims; ++d) o.batch[d] = stride(p.batch_dims - d + 2, p.batch_sizes[d]);
    return o;
  };
  p.a = operand(a, false);
  p.b = operand(b, false);
  p.out = operand(out, false);
  if (c && !p.beta.is_zero()) p.c = operand(*c, true);  // beta 0: self is not read, NaN or not
  if (!broadcasts) return refuse("sizes do not broadcast");
  if (p.alpha.is_zero()) p.k = 0;
  return p;
}

Result<Launch> multiply(const char* name, const Product& product) {
  Product p = product;
  if (p.m == 0 || p.n == 0 || p.batches() == 0) return Launch{Task(name, 0, [](TaskContext&) {}), 0};
  // A stride of a dimension of one element says nothing: make it one that the fast paths know.
  auto settle = [](Matrices& o, int64_t rows, int64_t cols) {
    if (cols == 1) o.col = o.row == 1 && rows > 1 ? rows : 1;
    if (rows == 1) o.row = o.col == 1 ? cols : 1;
  };
  collapse(p);
  if ((p.out.row == 1 && p.out.col != 1) || (p.m > p.n && p.n <= kernels::kFewRows && p.k > 16)) transpose(p);
  settle(p.a, p.m, p.k);
  settle(p.b, p.k, p.n);
  settle(p.out, p.m, p.n);

  Tiling t;
  if (use_few_rows(p)) {
    tile_for_few_rows(p, t);
  } else if (!tile_for_units(p, t) && !tile_for_onednn(p, t = {})) {
    t = {};
    t.kernel = gemm_kernel(p.dtype);
    tile_for_kernels(p, t);
  }
  const int64_t tiles = p.batches() * pieces(p.m, t.rows) * pieces(p.n, t.cols);
  const double rate = t.units ? units_rate(p.dtype) : kMacsPerUs;
  const double tile_us = static_cast<double>(std::min(t.rows, p.m)) * std::min(t.cols, p.n) * p.k / rate + 0.2;
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kChunkUs / tile_us));
  return Launch{Task(name, static_cast<float>(tile_us * tiles),
                     [p, t, tiles, grain](TaskContext& context) -> Status {
                       FirstFailure failure;
                       context.team.for_ranges(tiles, grain, [&](int64_t begin, int64_t end) {
                         for (int64_t i = begin; i < end; ++i) failure.note(run_tile(p, t, i));
                       });
                       return failure.take();
                     }),
                0};
}

}  // namespace cann::ops
