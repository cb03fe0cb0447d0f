// The walk of a reduction. See the header for what it decides; the constants were chosen on a machine with 48 KiB of
// first-level and 2 MiB of second-level cache a core, and are not critical.
#include "cann/ops/reduce_plan.h"

#include <algorithm>
#include <cstring>

namespace cann::ops {
namespace {

using namespace kernels;

constexpr int64_t kChunkElements = 64 * 1024;  // what one thread takes at a time: about 10 us of reading
constexpr int64_t kEnoughUnits = 64;           // with fewer independent outputs the reduced space is cut, too
constexpr int64_t kConvertedElements = 16384;  // a converted block of columns: 64 KiB of float32
constexpr int64_t kStateBatch = 512;
constexpr int64_t kShortRow = 32;  // shorter rows are transposed and reduced as columns
constexpr int64_t kNarrow = 64;    // fewer columns than this are reduced several rows at once

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

struct ReducePlan::Buffers {
  alignas(64) char block[kConvertedElements * 16];
  alignas(64) char states[kStateBatch * kMaxStateBytes];
  alignas(64) char block_states[kStateBatch * kMaxStateBytes];
  alignas(64) char values[kStateBatch * 16];
  int64_t indices[kStateBatch];
};

ReducePlan::ReducePlan(const Reducer* reducer, const TensorView& x, DimSet reduced, double parameter,
                       const TensorView* out, const TensorView* indices)
    : reducer_(reducer), x_(x.as<const char>()), parameter_(parameter) {
  x_bytes_ = size_of(x.dtype);
  compute_bytes_ = size_of(reducer->compute);
  value_bytes_ = size_of(reducer->value);
  copy_in_ = convert().find(x.dtype, reducer->compute);
  if (x.dtype != reducer->compute) {
    bool magnitudes = is_complex(x.dtype) && !is_complex(reducer->compute) && reducer->compute != DType::Bool;
    if (magnitudes) copy_in_ = convert().find_magnitude(x.dtype);
    convert_in_ = copy_in_;
  }
  if (out) {
    out_ = out->as<char>();
    out_bytes_ = size_of(out->dtype);
    convert_out_ = convert().find(reducer->value, out->dtype);
  }
  if (indices) {
    indices_ = indices->as<char>();
    index_bytes_ = size_of(indices->dtype);
    convert_indices_ = convert().find(DType::Int64, indices->dtype);
  }
  order_dims(x, reduced, out, indices);
  merge_dims();
  cut();
}

// Kept dimensions first, each group by falling stride; an ordered reduction keeps the order of its index.
void ReducePlan::order_dims(const TensorView& x, DimSet reduced, const TensorView* out, const TensorView* indices) {
  struct Dim {
    int64_t size, x, out, index;
    bool reduced;
  };
  Dim dims[kMaxDims];
  int n = 0;
  auto results_keep_dims = [&](const TensorView& t) { return t.ndim == x.ndim; };
  int out_dim = 0, index_dim = 0;
  for (int d = 0; d < x.ndim; ++d) {
    Dim dim{x.sizes[d], x.strides[d], 0, 0, reduced[d]};
    if (out && (!reduced[d] || results_keep_dims(*out))) dim.out = out->strides[out_dim++];
    if (indices && (!reduced[d] || results_keep_dims(*indices))) dim.index = indices->strides[index_dim++];
    (dim.reduced ? count_ : outputs_) *= dim.size;
    if (dim.size != 1) dims[n++] = dim;
  }
  std::stable_sort(dims, dims + n, [&](const Dim& a, const Dim& b) {
    if (a.reduced != b.reduced) return b.reduced;
    if (a.reduced && reducer_->ordered) return false;
    return a.x > b.x;
  });
  for (int i = 0; i < n; ++i) {
    (dims[i].reduced ? reduced_ : kept_)++;
    sizes_[i] = dims[i].size;
    x_strides_[i] = dims[i].x;
    out_strides_[i] = dims[i].reduced ? 0 : dims[i].out;
    index_strides_[i] = dims[i].reduced ? 0 : dims[i].index;
  }
}

// Two neighbours of a group that are walked like one become one.
void ReducePlan::merge_dims() {
  int n = 0, kept = 0;
  for (int i = 0; i < kept_ + reduced_; ++i) {
    bool group_starts = i == 0 || i == kept_;
    if (!group_starts && x_strides_[n - 1] == x_strides_[i] * sizes_[i] &&
        out_strides_[n - 1] == out_strides_[i] * sizes_[i] && index_strides_[n - 1] == index_strides_[i] * sizes_[i]) {
      sizes_[n - 1] *= sizes_[i];
    } else {
      sizes_[n] = sizes_[i];
      if (i < kept_) ++kept;
      ++n;
    }
    x_strides_[n - 1] = x_strides_[i];
    out_strides_[n - 1] = out_strides_[i];
    index_strides_[n - 1] = index_strides_[i];
  }
  kept_ = kept;
  reduced_ = n - kept;
}

void ReducePlan::cut() {
  int64_t cols = inner_kept();
  if (kept_ && reduced_ && cols > 1) {
    int64_t kept_stride = x_strides_[kept_ - 1], reduced_stride = x_strides_[kept_ + reduced_ - 1];
    bool rows_contiguous = reduced_stride == 1;
    columns_ = (kept_stride == 1 && !(rows_contiguous && count_ > kShortRow)) ||
               (!rows_contiguous && kept_stride < reduced_stride) || (count_ <= kShortRow && cols >= 8 * count_);
  }
  int64_t width = columns_ ? std::min(cols, kMaxBlockCols) : 1;
  units_ = columns_ ? outputs_ / cols * ceil_div(cols, kMaxBlockCols) : outputs_;
  split_length_ = std::max<int64_t>(count_, 1);
  if (units_ < kEnoughUnits && count_ * width > kChunkElements) {
    split_length_ = std::max<int64_t>(kChunkElements / width, 1);
    splits_ = ceil_div(count_, split_length_);
  }
  units_per_chunk_ = std::max<int64_t>(kChunkElements / std::max<int64_t>(split_length_ * width, 1), 1);
}

size_t ReducePlan::workspace_bytes() const {
  return splits_ == 1 ? 0 : static_cast<size_t>(outputs_ * splits_ * reducer_->state_bytes);
}

float ReducePlan::estimated_us() const {
  // Sums take 0.05 to 0.1 ns an element in the cache, the dearest reductions several times that.
  return 0.3f + static_cast<float>(outputs_ * (count_ + 2)) * static_cast<float>(std::max<int>(x_bytes_, 4)) / 3e4f;
}

void ReducePlan::run(TaskContext& context) const {
  if (outputs_ == 0) return;
  auto partials = static_cast<char*>(context.workspace);
  int64_t groups = ceil_div(units_, units_per_chunk_), chunks = groups * splits_;
  auto body = [&](int64_t chunk) {
    Buffers buffers;
    int64_t begin = chunk / splits_ * units_per_chunk_, end = std::min(units_, begin + units_per_chunk_);
    if (columns_)
      reduce_columns(begin, end, chunk % splits_, partials, buffers);
    else
      reduce_rows(begin, end, chunk % splits_, partials, buffers);
  };
  if (chunks == 1)
    body(0);
  else
    context.team.run(chunks, body);
  if (splits_ == 1) return;
  context.team.for_ranges(outputs_, std::max<int64_t>(kChunkElements / splits_, 1), [&](int64_t begin, int64_t end) {
    Buffers buffers;
    merge_partials(partials, begin, end, buffers);
  });
}

int64_t ReducePlan::offset_of_output(int64_t output, const int64_t* strides) const {
  int64_t offset = 0;
  for (int d = kept_ - 1; d >= 0; --d) {
    offset += output % sizes_[d] * strides[d];
    output /= sizes_[d];
  }
  return offset;
}

// Outputs [begin, end), one state each from the values of one split.
void ReducePlan::reduce_rows(int64_t begin, int64_t end, int64_t split, char* partials, Buffers& b) const {
  int64_t first = split * split_length_, last = std::min(count_, first + split_length_);
  int64_t inner = inner_kept(), stride = kept_ ? x_strides_[kept_ - 1] : 0;
  int64_t n = last - first;
  bool one_run = reduced_ <= 1 && splits_ == 1 && n > 0 && n <= kMaxRowBlock;
  bool contiguous = reduced_ == 0 || x_strides_[kept_] == 1;
  for (int64_t output = begin; output < end;) {
    // Outputs along the innermost kept dimension lie at one stride.
    int64_t batch = std::min({end - output, inner - output % inner, kStateBatch});
    const char* x = x_ + offset_of_output(output, x_strides_) * x_bytes_;
    if (one_run && reads_directly() && contiguous) {
      reducer_->rows(x, stride, batch, n, 0, parameter_, b.states);
    } else if (one_run) {
      batch = std::min(batch, kConvertedElements / n);
      copy_in_(x, {stride, reduced_ ? x_strides_[kept_] : 1}, b.block, {n, 1}, batch, n);
      reducer_->rows(b.block, n, batch, n, 0, parameter_, b.states);
    } else {
      for (int64_t i = 0; i < batch; ++i)
        row_state(x + i * stride * x_bytes_, first, last, b.states + i * reducer_->state_bytes, b);
    }
    if (splits_ == 1)
      emit(b.states, output, batch, b);
    else
      for (int64_t i = 0; i < batch; ++i)
        std::memcpy(partials + ((output + i) * splits_ + split) * reducer_->state_bytes,
                    b.states + i * reducer_->state_bytes, reducer_->state_bytes);
    output += batch;
  }
}

// One state from the values [begin, end) of the reduced space, block by block.
void ReducePlan::row_state(const char* x, int64_t begin, int64_t end, void* state, Buffers& b) const {
  reducer_->identity(state, 1);
  const int64_t* sizes = sizes_ + kept_;
  const int64_t* strides = x_strides_ + kept_;
  int64_t run = reduced_ ? sizes[reduced_ - 1] : 1, run_stride = reduced_ ? strides[reduced_ - 1] : 1;
  auto offset_of_run = [&](int64_t index) {
    int64_t offset = 0;
    for (int d = reduced_ - 2; d >= 0; --d) {
      offset += index % sizes[d] * strides[d];
      index /= sizes[d];
    }
    return offset;
  };
  for (int64_t at = begin; at < end;) {
    int64_t n = std::min(end - at, kMaxRowBlock), within = at % run;
    if (reads_directly() && run_stride == 1 && (run >= kMaxRowBlock / 8 || reduced_ <= 1)) {
      n = std::min(n, run - within);
      reducer_->rows(x + (offset_of_run(at / run) + within) * x_bytes_, 0, 1, n, at, parameter_, b.block_states);
    } else {
      for (int64_t filled = 0; filled < n;) {
        int64_t position = at + filled, i = position % run, index = position / run;
        char* to = b.block + filled * compute_bytes_;
        const char* from = x + (offset_of_run(index) + i * run_stride) * x_bytes_;
        if (i == 0 && n - filled >= run && reduced_ > 1) {  // whole runs, as many as lie at one stride
          int64_t outer = sizes[reduced_ - 2], runs = std::min(outer - index % outer, (n - filled) / run);
          copy_in_(from, {strides[reduced_ - 2], run_stride}, to, {run, 1}, runs, run);
          filled += runs * run;
        } else {
          int64_t part = std::min(run - i, n - filled);
          copy_in_(from, {0, run_stride}, to, {0, 1}, 1, part);
          filled += part;
        }
      }
      reducer_->rows(b.block, 0, 1, n, at, parameter_, b.block_states);
    }
    reducer_->merge(state, b.block_states, 1);
    at += n;
  }
}

// Tiles [begin, end) of neighbouring outputs.
void ReducePlan::reduce_columns(int64_t begin, int64_t end, int64_t split, char* partials, Buffers& b) const {
  int64_t first = split * split_length_, last = std::min(count_, first + split_length_);
  int64_t inner = inner_kept(), tiles = ceil_div(inner, kMaxBlockCols);
  for (int64_t tile = begin; tile < end; ++tile) {
    int64_t col = tile % tiles * kMaxBlockCols, cols = std::min(kMaxBlockCols, inner - col);
    int64_t output = tile / tiles * inner + col;
    column_states(x_ + offset_of_output(output, x_strides_) * x_bytes_, cols, first, last, b.states, b);
    if (splits_ == 1)
      emit(b.states, output, cols, b);
    else
      for (int64_t i = 0; i < cols; ++i)
        std::memcpy(partials + ((output + i) * splits_ + split) * reducer_->state_bytes,
                    b.states + i * reducer_->state_bytes, reducer_->state_bytes);
  }
}

// States of `cols` neighbouring outputs from the rows [begin, end) of the reduced space.
void ReducePlan::column_states(const char* x, int64_t cols, int64_t begin, int64_t end, void* states,
                               Buffers& b) const {
  reducer_->identity(states, cols);
  const int64_t* sizes = sizes_ + kept_;
  const int64_t* strides = x_strides_ + kept_;
  int64_t run = reduced_ ? sizes[reduced_ - 1] : 1, row_stride = reduced_ ? strides[reduced_ - 1] : 0;
  int64_t col_stride = x_strides_[kept_ - 1];
  bool direct = reads_directly() && col_stride == 1;
  int64_t most = direct ? kMaxBlockRows : std::min(kMaxBlockRows, kConvertedElements / cols);
  if (cols < kNarrow && !reducer_->ordered) most = std::max(most, kConvertedElements / cols);
  for (int64_t at = begin; at < end;) {
    int64_t offset = 0, index = at / run;
    for (int d = reduced_ - 2; d >= 0; --d) {
      offset += index % sizes[d] * strides[d];
      index /= sizes[d];
    }
    int64_t rows = std::min({end - at, run - at % run, most});
    block_of_columns(x + (offset + at % run * row_stride) * x_bytes_, row_stride, col_stride, rows, cols, at,
                     b.block_states, b);
    reducer_->merge(states, b.block_states, cols);
    at += rows;
  }
}

// A few columns alone would leave most of a vector empty: rows that follow one another in memory are then taken as one
// wide row, and its columns merged.
void ReducePlan::block_of_columns(const char* x, int64_t row_stride, int64_t col_stride, int64_t rows, int64_t cols,
                                  int64_t first, void* states, Buffers& b) const {
  const void* block = x;
  if (!reads_directly() || col_stride != 1) {
    // Whichever way is contiguous in memory is walked innermost.
    if (row_stride == 1)
      copy_in_(x, {col_stride, row_stride}, b.block, {1, cols}, cols, rows);
    else
      copy_in_(x, {row_stride, col_stride}, b.block, {cols, 1}, rows, cols);
    block = b.block;
    row_stride = cols;
  }
  int64_t together = cols < kNarrow && row_stride == cols && !reducer_->ordered ? kMaxBlockCols / 2 / cols : 1;
  if (together <= 1 || rows < 2 * together) {
    int64_t bytes = compute_bytes_ * row_stride;
    reducer_->columns(block, row_stride, std::min(rows, kMaxBlockRows), cols, first, parameter_, states);
    for (int64_t r = kMaxBlockRows; r < rows; r += kMaxBlockRows) {
      reducer_->columns(static_cast<const char*>(block) + r * bytes, row_stride, std::min(rows - r, kMaxBlockRows),
                        cols, first + r, parameter_, b.values);
      reducer_->merge(states, b.values, cols);
    }
    return;
  }
  alignas(64) char wide[kMaxBlockCols * kMaxStateBytes];
  int64_t wide_rows = std::min(rows / together, kMaxBlockRows), done = wide_rows * together;
  reducer_->columns(block, together * cols, wide_rows, together * cols, first, parameter_, wide);
  std::memcpy(states, wide, cols * reducer_->state_bytes);
  for (int64_t i = 1; i < together; ++i) reducer_->merge(states, wide + i * cols * reducer_->state_bytes, cols);
  while (done < rows) {
    int64_t more = std::min(rows - done, kMaxBlockRows);
    reducer_->columns(static_cast<const char*>(block) + done * cols * compute_bytes_, cols, more, cols, first + done,
                      parameter_, wide);
    reducer_->merge(states, wide, cols);
    done += more;
  }
}

void ReducePlan::merge_partials(const char* partials, int64_t begin, int64_t end, Buffers& b) const {
  int64_t bytes = reducer_->state_bytes;
  for (int64_t output = begin; output < end;) {
    int64_t batch = std::min(end - output, kStateBatch);
    for (int64_t i = 0; i < batch; ++i) {
      char* state = b.states + i * bytes;
      const char* parts = partials + (output + i) * splits_ * bytes;
      std::memcpy(state, parts, bytes);
      for (int64_t s = 1; s < splits_; ++s) reducer_->merge(state, parts + s * bytes, 1);
    }
    emit(b.states, output, batch, b);
    output += batch;
  }
}

// Writes the results of outputs [output, output + count).
void ReducePlan::emit(const void* states, int64_t output, int64_t count, Buffers& b) const {
  reducer_->finish(states, count, count_, parameter_, b.values, indices_ ? b.indices : nullptr);
  int64_t inner = inner_kept();
  for (int64_t i = 0; i < count;) {
    int64_t run = std::min(count - i, inner - (output + i) % inner);
    int64_t out_stride = kept_ ? out_strides_[kept_ - 1] : 1, index_stride = kept_ ? index_strides_[kept_ - 1] : 1;
    if (out_)
      convert_out_(b.values + i * value_bytes_, {0, 1}, out_ + offset_of_output(output + i, out_strides_) * out_bytes_,
                   {0, out_stride}, 1, run);
    if (indices_)
      convert_indices_(b.indices + i, {0, 1}, indices_ + offset_of_output(output + i, index_strides_) * index_bytes_,
                       {0, index_stride}, 1, run);
    i += run;
  }
}

}  // namespace cann::ops
