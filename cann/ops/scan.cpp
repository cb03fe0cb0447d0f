// The walk of a scan: rows if the dimension is contiguous (or nothing is), columns if another one is. A long dimension
// with few neighbours is cut: pieces are folded, their states merged in order, then scanned. All of it follows from
// shapes and strides.
#include "cann/ops/scan.h"

#include <algorithm>
#include <cstring>

#include "cann/kernels/reduce/convert.h"

namespace cann::ops {
namespace {

using namespace kernels;

constexpr int64_t kChunkElements = 32 * 1024;
constexpr int64_t kEnoughUnits = 16;
constexpr int64_t kTile = 4096;  // values that are converted at a time
constexpr int64_t kMaxScanStateBytes = 16;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// One of the tensors that are walked together.
struct Operand {
  char* data;
  int64_t bytes;            // of an element
  Convert convert;          // to or from the compute type
  bool direct;              // the compute type itself
  int64_t along, inner;     // stride of the scanned dimension, of the innermost other one
  int64_t outer[kMaxDims];  // of the others
};

class ScanPlan {
 public:
  ScanPlan(const Scanner* scanner, const TensorView& x, int dim, const TensorView& y, const TensorView* indices)
      : scanner_(scanner), compute_bytes_(size_of(scanner->compute)), n_(x.ndim ? x.sizes[dim] : 1) {
    order_dims(x, dim);
    x_ = operand(x, dim, convert().find(x.dtype, scanner->compute), x.dtype == scanner->compute);
    y_ = operand(y, dim, convert().find(scanner->compute, y.dtype), y.dtype == scanner->compute);
    if (indices)
      index_ = operand(*indices, dim, convert().find(DType::Int64, indices->dtype), indices->dtype == DType::Int64);
    columns_ = cols_ > 1 && x_.inner < x_.along;
    if (!columns_) outer_units_ *= cols_;
    int64_t width = columns_ ? std::min(cols_, kMaxScanCols) : 1;
    units_ = columns_ ? outer_units_ * ceil_div(cols_, kMaxScanCols) : outer_units_;
    piece_ = std::max<int64_t>(n_, 1);
    if (units_ < kEnoughUnits && n_ * width > 4 * kChunkElements) piece_ = std::max<int64_t>(kChunkElements / width, 1);
    pieces_ = ceil_div(std::max<int64_t>(n_, 1), piece_);
    units_per_chunk_ = std::max<int64_t>(kChunkElements / std::max<int64_t>(piece_ * width, 1), 1);
  }

  size_t workspace_bytes() const {
    return pieces_ == 1 ? 0 : static_cast<size_t>(units_ * pieces_) * tile_state_bytes();
  }

  float estimated_us() const { return 0.3f + static_cast<float>(outer_units_ * n_ * (columns_ ? cols_ : 1)) / 1e3f; }

  void run(TaskContext& context) const {
    if (n_ == 0 || units_ == 0) return;
    auto states = static_cast<char*>(context.workspace);
    if (pieces_ == 1) {
      context.team.for_ranges(units_, units_per_chunk_, [&](int64_t begin, int64_t end) {
        char state[kMaxScanCols * kMaxScanStateBytes];
        for (int64_t unit = begin; unit < end; ++unit) {
          scanner_->identity(state, columns_ ? std::min(cols_, kMaxScanCols) : 1);
          scan_piece(unit, 0, state, true);
        }
      });
      return;
    }
    const int64_t bytes = tile_state_bytes(), states_in_tile = bytes / scanner_->state_bytes;
    context.team.run(units_ * pieces_, [&](int64_t i) {
      scanner_->identity(states + i * bytes, states_in_tile);
      scan_piece(i / pieces_, i % pieces_, states + i * bytes, false);
    });
    // Each piece's state becomes that of all pieces before it.
    for (int64_t unit = 0; unit < units_; ++unit) {
      char so_far[kMaxScanCols * kMaxScanStateBytes], piece[kMaxScanCols * kMaxScanStateBytes];
      scanner_->identity(so_far, states_in_tile);
      for (int64_t p = 0; p < pieces_; ++p) {
        char* at = states + (unit * pieces_ + p) * bytes;
        std::memcpy(piece, at, bytes);
        std::memcpy(at, so_far, bytes);
        scanner_->merge(so_far, piece, states_in_tile);
      }
    }
    context.team.run(units_ * pieces_,
                     [&](int64_t i) { scan_piece(i / pieces_, i % pieces_, states + i * bytes, true); });
  }

 private:
  // The other dimensions, outermost first by x's strides.
  void order_dims(const TensorView& x, int dim) {
    for (int d = 0; d < x.ndim; ++d)
      if (d != dim && x.sizes[d] != 1) dims_[others_++] = d;
    std::stable_sort(dims_, dims_ + others_, [&](int a, int b) { return x.strides[a] > x.strides[b]; });
    for (int i = 0; i < others_; ++i) sizes_[i] = x.sizes[dims_[i]];
    if (others_ > 0) cols_ = sizes_[others_ - 1];
    for (int i = 0; i + 1 < others_; ++i) outer_units_ *= sizes_[i];
  }

  Operand operand(const TensorView& t, int dim, Convert convert, bool direct) const {
    Operand o{t.as<char>(), size_of(t.dtype), convert, direct, t.ndim ? t.strides[dim] : 1, 0, {}};
    for (int i = 0; i < others_; ++i) o.outer[i] = t.strides[dims_[i]];
    if (others_ > 0) o.inner = o.outer[others_ - 1];
    return o;
  }

  int64_t tile_state_bytes() const { return scanner_->state_bytes * (columns_ ? std::min(cols_, kMaxScanCols) : 1); }

  // Where a unit begins: index over the outer dimensions (and the innermost one, for rows), then the column.
  char* address(const Operand& o, int64_t index, int64_t col, int64_t along) const {
    int64_t offset = col * o.inner + along * o.along;
    for (int d = others_ - (columns_ ? 2 : 1); d >= 0; --d) {
      offset += index % sizes_[d] * o.outer[d];
      index /= sizes_[d];
    }
    return o.data + offset * o.bytes;
  }

  void scan_piece(int64_t unit, int64_t piece, void* state, bool store) const {
    int64_t begin = piece * piece_, end = std::min(n_, begin + piece_);
    if (columns_) {
      int64_t tiles = ceil_div(cols_, kMaxScanCols), col = unit % tiles * kMaxScanCols;
      scan_block(unit / tiles, col, std::min(kMaxScanCols, cols_ - col), begin, end, state, store);
    } else {
      scan_block(unit, 0, 1, begin, end, state, store);
    }
  }

  // Rows [begin, end) of `cols` columns (one, where the walk is by rows).
  void scan_block(int64_t index, int64_t col, int64_t cols, int64_t begin, int64_t end, void* state, bool store) const {
    alignas(64) char x_tile[kTile * 16], y_tile[kTile * 16];
    int64_t index_tile[kTile];
    // In memory order: rows are walked along the dimension, columns across it.
    auto walked = [&](const Operand& o) { return columns_ ? Strides2{o.along, o.inner} : Strides2{o.inner, o.along}; };
    auto in_place = [&](const Operand& o) { return o.direct && (columns_ ? o.inner == 1 : o.along == 1); };
    bool x_direct = in_place(x_), y_direct = in_place(y_), index_direct = scanner_->indexed && in_place(index_);
    bool all_direct = x_direct && (!store || (y_direct && (!scanner_->indexed || index_direct)));
    int64_t step = all_direct ? end - begin : std::max<int64_t>(kTile / cols, 1);
    for (int64_t at = begin; at < end; at += step) {
      int64_t rows = std::min(step, end - at);
      // Converted in runs as long as they come: across the columns, or along the one row.
      const int64_t lines = columns_ ? rows : 1, length = columns_ ? cols : rows;
      const Strides2 in_tile{length, 1};
      const void* x = address(x_, index, col, at);
      if (!x_direct) {
        x_.convert(x, walked(x_), x_tile, in_tile, lines, length);
        x = x_tile;
      }
      void* y_at = address(y_, index, col, at);
      void* y = !store ? nullptr : y_direct ? y_at : y_tile;
      void* indices_at = scanner_->indexed ? address(index_, index, col, at) : nullptr;
      auto indices = static_cast<int64_t*>(index_direct ? indices_at : index_tile);
      if (columns_)
        scanner_->columns(x, x_direct ? x_.along : cols, y, y_direct ? y_.along : cols, indices,
                          index_direct ? index_.along : cols, rows, cols, at, state);
      else
        scanner_->row(x, y, indices, rows, at, state);
      if (store && !y_direct) y_.convert(y_tile, in_tile, y_at, walked(y_), lines, length);
      if (store && scanner_->indexed && !index_direct)
        index_.convert(index_tile, in_tile, indices_at, walked(index_), lines, length);
    }
  }

  const Scanner* scanner_;
  Operand x_, y_, index_{};
  int64_t compute_bytes_, n_;
  int dims_[kMaxDims], others_ = 0;
  int64_t sizes_[kMaxDims];
  int64_t cols_ = 1, outer_units_ = 1;  // the innermost other dimension; the product of the rest
  bool columns_ = false;
  int64_t units_, units_per_chunk_, piece_, pieces_;
};

}  // namespace

Result<Launch> scan(const char* name, ScanOp op, const TensorView& self, int64_t dim, const TensorView& out,
                    const TensorView* indices) {
  int64_t wrapped = dim < 0 ? dim + std::max(self.ndim, 1) : dim;
  if (wrapped < 0 || wrapped >= std::max(self.ndim, 1))
    return bad_parameter(std::string(name) + ": dim " + std::to_string(dim) + " of self " + describe(self));
  if (!same_shape(self, out) || (indices && !same_shape(self, *indices)))
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", out " + describe(out) +
                         ": need one shape");
  if (indices && indices->dtype != DType::Int64)
    return bad_parameter(std::string(name) + ": indices " + describe(*indices) + ": int64 is needed");
  const bool extremum = op == ScanOp::CumMax || op == ScanOp::CumMin;
  DType compute = extremum ? self.dtype : out.dtype;
  if (is_half(compute))
    compute = DType::Float32;
  else if (is_integral(compute))
    compute = DType::Int64;
  const Scanner* scanner = kernels::scan().find(op, compute);
  if (scanner == nullptr || (is_complex(self.dtype) && !is_complex(compute)) ||
      kernels::convert().find(self.dtype, compute) == nullptr || kernels::convert().find(compute, out.dtype) == nullptr)
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", out " + name_of(out.dtype) +
                         ": no such types");
  ScanPlan plan(scanner, self, static_cast<int>(wrapped), out, indices);
  return Launch{Task(name, plan.estimated_us(), [plan](TaskContext& context) { plan.run(context); }),
                plan.workspace_bytes()};
}

}  // namespace cann::ops
