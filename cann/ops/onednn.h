// oneDNN, as the operators use it: a primitive is made once for a shape and its strides, kept for the life of the
// process, and always run by one thread, on a block that the caller cut. A refusal is a null pointer; oneDNN's errors
// become Status.
#pragma once

#include <cstdint>
#include <span>

#include "cann/base/dtype.h"
#include "cann/base/status.h"

struct dnnl_primitive;
struct dnnl_primitive_desc;

namespace cann::ops::onednn {

// Keeps oneDNN to the calling thread while it stands: its OpenMP team would fight the Team, and splits sums by threads.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// A primitive and what running it needs. Memory descriptors live inside the primitive's own description.
class Primitive {
 public:
  struct Argument {
    int index;  // DNNL_ARG_...
    const void* data;
  };
  Primitive(dnnl_primitive_desc* description, dnnl_primitive* primitive, size_t scratch_bytes)
      : description_(description), primitive_(primitive), scratch_bytes_(scratch_bytes) {}

  // Runs on the calling thread, with a scratchpad of that thread.
  Status run(std::span<const Argument> arguments) const;
  dnnl_primitive_desc* description() const { return description_; }

 private:
  dnnl_primitive_desc* description_;
  dnnl_primitive* primitive_;
  size_t scratch_bytes_;
};

// Makes the primitive of a description, which it takes over. Null if oneDNN has only its reference implementation,
// which is slower than our own kernels, or fails. pre: a OneThread stands.
const Primitive* make_primitive(dnnl_primitive_desc* description);

// The dnnl_data_type_t of a dtype; 0 (undefined) where oneDNN has none that we use.
int data_type(DType dtype);
void* engine();  // a dnnl_engine_t; null if it cannot be made

// out[m, n] = a[m, k] b[k, n] (+ bias[n]); strides in elements, one of each operand's two is 1; out's columns are
// contiguous.
struct MatmulShape {
  DType dtype, out_dtype;
  int64_t m, n, k, a_row, a_col, b_row, b_col, out_row;
  bool bias = false;
  bool operator==(const MatmulShape&) const = default;
};

// Whether oneDNN multiplies bfloat16 with the CPU's matrix units.
bool has_matrix_units();

// Null: oneDNN has no fast implementation for it.
const Primitive* matmul(const MatmulShape& shape);
Status run_matmul(const Primitive& primitive, const void* a, const void* b, const void* bias, void* out);

}  // namespace cann::ops::onednn
