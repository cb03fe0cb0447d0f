// Steps through the rows of an IndexWalk (all dimensions but the last), keeping the byte offset of each operand.
// Included by kernel files only: it stands in their ISA level's namespace.
#pragma once

#include "cann/kernels/index/walk.h"

namespace cann::kernels::CANN_ISA {

inline int64_t load_index(const char* at, bool is_int32) {
  return is_int32 ? *reinterpret_cast<const int32_t*>(at) : *reinterpret_cast<const int64_t*>(at);
}

// Counts a negative value from the end where that is allowed. False and `bad` filled if it selects nothing.
inline bool in_range(const IndexWalk::Index& index, bool wraps, int64_t& value, BadIndex& bad) {
  if (static_cast<uint64_t>(value) < static_cast<uint64_t>(index.size)) [[likely]]
    return true;
  const int64_t given = value;
  if (wraps && value < 0) value += index.size;
  if (static_cast<uint64_t>(value) < static_cast<uint64_t>(index.size)) return true;
  bad = {true, index.dim, given, index.size};
  return false;
}

class Cursor {
 public:
  explicit Cursor(const IndexWalk& walk) : walk_(walk) {}

  void seek(int64_t row) {
    plain = indexed = 0;
    for (int k = 0; k < walk_.indices; ++k) index[k] = 0;
    for (int d = walk_.ndim - 2; d >= 0; --d) {
      at_[d] = row % walk_.sizes[d];
      row /= walk_.sizes[d];
      move(d, at_[d]);
    }
  }

  void next() {
    for (int d = walk_.ndim - 2; d >= 0; --d) {
      move(d, 1);
      if (++at_[d] < walk_.sizes[d]) return;
      move(d, -at_[d]);
      at_[d] = 0;
    }
  }

  // Adds up what the indices select, `along` steps into the last dimension; `but` one index, if given, is left out.
  // False and `bad` filled if one selects nothing.
  bool resolve(int64_t along, int64_t& offset, BadIndex& bad, int but = -1) const {
    const int last = walk_.ndim - 1;
    int64_t sum = 0;
    for (int k = 0; k < walk_.indices; ++k) {
      if (k == but) continue;
      const IndexWalk::Index& from = walk_.index[k];
      int64_t value = load_index(from.data + index[k] + along * from.strides[last], from.is_int32);
      if (!in_range(from, walk_.wraps, value, bad)) return false;
      sum += value * from.stride;
    }
    offset = sum;
    return true;
  }

  int64_t plain = 0, indexed = 0;
  int64_t index[kMaxDims];

 private:
  void move(int d, int64_t steps) {
    plain += steps * walk_.plain_strides[d];
    indexed += steps * walk_.indexed_strides[d];
    for (int k = 0; k < walk_.indices; ++k) index[k] += steps * walk_.index[k].strides[d];
  }

  const IndexWalk& walk_;
  int64_t at_[kMaxDims];
};

// How a walk's last dimension is read: as one block, through one index, or through several.
struct Inside {
  explicit Inside(const IndexWalk& walk) {
    for (int k = 0; k < walk.indices; ++k)
      if (walk.index[k].strides[walk.ndim - 1] != 0) {
        ++varying;
        index = k;
      }
  }
  int varying = 0;
  int index = -1;  // the one that varies, if it is the only one
};

}  // namespace cann::kernels::CANN_ISA
