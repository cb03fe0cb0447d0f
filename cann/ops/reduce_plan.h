// How a reduction walks a tensor: which dimensions are kept and which reduced, merged and ordered by stride; whether
// vectors run along the reduced dimension (rows) or across outputs (columns); where the work is cut. Decided from
// shapes and strides alone, so the same input gives the same bits on any number of threads. The arithmetic is a
// kernels::Reducer.
#pragma once

#include <bitset>

#include "cann/base/task.h"
#include "cann/base/tensor_view.h"
#include "cann/kernels/reduce/convert.h"
#include "cann/kernels/reduce/reduce.h"

namespace cann::ops {

using DimSet = std::bitset<kMaxDims>;

class ReducePlan {
 public:
  // pre: out (and indices, if there are any) has x's dimensions, the reduced ones left out or of size 1;
  // reducer->compute and ->value convert from x's and to out's type. out may be null where only indices are wanted.
  ReducePlan(const kernels::Reducer* reducer, const TensorView& x, DimSet reduced, double parameter,
             const TensorView* out, const TensorView* indices = nullptr);

  size_t workspace_bytes() const;
  float estimated_us() const;
  void run(TaskContext& context) const;

 private:
  struct Buffers;

  void order_dims(const TensorView& x, DimSet reduced, const TensorView* out, const TensorView* indices);
  void merge_dims();
  void cut();

  void reduce_rows(int64_t begin, int64_t end, int64_t split, char* partials, Buffers&) const;
  void reduce_columns(int64_t begin, int64_t end, int64_t split, char* partials, Buffers&) const;
  void row_state(const char* x, int64_t begin, int64_t end, void* state, Buffers&) const;
  void column_states(const char* x, int64_t cols, int64_t begin, int64_t end, void* states, Buffers&) const;
  void block_of_columns(const char* x, int64_t row_stride, int64_t col_stride, int64_t rows, int64_t cols,
                        int64_t first, void* states, Buffers&) const;
  void merge_partials(const char* partials, int64_t begin, int64_t end, Buffers&) const;
  void emit(const void* states, int64_t output, int64_t count, Buffers&) const;

  bool reads_directly() const { return convert_in_ == nullptr; }
  int64_t inner_kept() const { return kept_ ? sizes_[kept_ - 1] : 1; }
  int64_t offset_of_output(int64_t output, const int64_t* strides) const;

  const kernels::Reducer* reducer_;
  kernels::Convert convert_in_ = nullptr, convert_out_ = nullptr, convert_indices_ = nullptr;
  kernels::Convert copy_in_ = nullptr;  // where the type fits and only strides do not
  const char* x_;
  char* out_ = nullptr;
  char* indices_ = nullptr;
  double parameter_;
  int16_t x_bytes_, out_bytes_ = 0, index_bytes_ = 0, compute_bytes_, value_bytes_;
  bool columns_ = false;

  // The kept dimensions, outermost first, then the reduced ones.
  int kept_ = 0, reduced_ = 0;
  int64_t sizes_[kMaxDims], x_strides_[kMaxDims], out_strides_[kMaxDims], index_strides_[kMaxDims];
  int64_t outputs_ = 1, count_ = 1;

  int64_t splits_ = 1, split_length_;  // of the reduced space; partial states stand in the workspace
  int64_t units_, units_per_chunk_;    // rows: outputs; columns: tiles of kMaxBlockCols outputs
};

}  // namespace cann::ops
