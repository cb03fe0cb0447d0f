// The iteration space of an indexing operator: what gather, index_select, index, scatter, index_put and take have in
// common. One operand (`plain`) is walked by its own strides; the other (`indexed`) by its strides plus, for each index
// tensor, the index found at the same coordinates times a stride. Everything is in bytes. Owns nothing.
#pragma once

#include <cstdint>

#include "cann/base/tensor_view.h"

namespace cann::kernels {

struct IndexWalk {
  struct Index {
    const char* data;
    int64_t strides[kMaxDims];  // over the walk's dimensions; 0 where the index does not vary
    int64_t size;               // how many values are allowed: [0, size), or [-size, size) where the walk wraps
    int64_t stride;             // what one step moves in `indexed`
    int32_t dim;                // the dimension it selects from, for the message
    bool is_int32;
  };

  int32_t ndim = 0;
  int32_t indices = 0;
  int64_t element_bytes = 0;
  bool wraps = false;  // a negative index counts from the end
  int64_t sizes[kMaxDims] = {};
  char* indexed = nullptr;
  char* plain = nullptr;
  int64_t indexed_strides[kMaxDims] = {};
  int64_t plain_strides[kMaxDims] = {};
  Index index[kMaxDims];

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d) n *= sizes[d];
    return n;
  }
};

// The part of a walk in which dimension `d` runs over [begin, end) only.
inline IndexWalk restricted(IndexWalk walk, int d, int64_t begin, int64_t end) {
  walk.sizes[d] = end - begin;
  walk.indexed += begin * walk.indexed_strides[d];
  walk.plain += begin * walk.plain_strides[d];
  for (int k = 0; k < walk.indices; ++k) walk.index[k].data += begin * walk.index[k].strides[d];
  return walk;
}

// The first index a kernel met that selects nothing.
struct BadIndex {
  bool found = false;
  int32_t dim = 0;
  int64_t value = 0;
  int64_t size = 0;
};

// One point of a scatter: where it goes and where its value comes from, as byte offsets.
struct ScatterEntry {
  int64_t indexed;
  int64_t plain;
};

// How a scatter joins what is there with what comes. Sums and products of integers wrap; of bool they are "or" and
// "and"; NaN wins a minimum and a maximum.
enum class Combine : int32_t { Add, Multiply, Min, Max };

}  // namespace cann::kernels
