// Walks the strided side row by row: dimensions that lie one behind the other are merged first, the innermost is a
// plain loop.
#include "cann/kernels/stage/stage.h"

#include "cann/kernels/bytes.h"
#include "cann/kernels/half.h"

namespace cann::kernels::CANN_ISA {
namespace {

template <class To, class From>
To convert(From x) {
  if constexpr (sizeof(To) == sizeof(From) && __is_same(To, From)) {
    return x;
  } else if constexpr (__is_same(To, Half) || __is_same(To, BFloat16)) {
    To to;
    narrow(static_cast<float>(x), to);
    return to;
  } else if constexpr (__is_same(From, Half) || __is_same(From, BFloat16)) {
    return static_cast<To>(widen(x));
  } else {
    return static_cast<To>(x);
  }
}

// Calls row(strided offset, dense offset, count) for the pieces of [begin, end).
template <class Row>
void walk(const TensorView& t, int64_t begin, int64_t end, Row row) {
  int64_t sizes[kMaxDims], strides[kMaxDims], index[kMaxDims];
  int ndim = 0;
  for (int d = 0; d < t.ndim; ++d) {
    if (t.sizes[d] == 1) continue;
    if (ndim > 0 && strides[ndim - 1] == t.strides[d] * t.sizes[d]) {
      sizes[ndim - 1] *= t.sizes[d];
      strides[ndim - 1] = t.strides[d];
    } else {
      sizes[ndim] = t.sizes[d];
      strides[ndim++] = t.strides[d];
    }
  }
  if (ndim == 0) sizes[0] = 1, strides[0] = 1, ndim = 1;
  int64_t rest = begin, offset = 0;
  for (int d = ndim - 1; d >= 0; --d) {
    index[d] = rest % sizes[d];
    rest /= sizes[d];
    offset += index[d] * strides[d];
  }
  const int last = ndim - 1;
  for (int64_t i = begin; i < end;) {
    int64_t count = sizes[last] - index[last];
    if (count > end - i) count = end - i;
    row(offset, i, count, strides[last]);
    i += count;
    offset += count * strides[last];
    index[last] += count;
    for (int d = last; d > 0 && index[d] == sizes[d]; --d) {
      offset += strides[d - 1] - sizes[d] * strides[d];
      index[d] = 0;
      ++index[d - 1];
    }
  }
}

template <class T>
constexpr bool is_half = __is_same(T, Half) || __is_same(T, BFloat16);

// A run of both sides: half types go through the CPU's own conversions, many at once.
template <class From, class To>
void convert_run(const From* __restrict source, To* __restrict target, int64_t count) {
  if constexpr (is_half<From> && __is_same(To, float)) {
    widen(source, target, count);
  } else if constexpr (is_half<To> && __is_same(From, float)) {
    narrow(source, target, count);
  } else {
    for (int64_t i = 0; i < count; ++i) target[i] = convert<To>(source[i]);
  }
}

template <class From, class To>
void gather_as(const TensorView& t, void* dense, int64_t begin, int64_t end) {
  auto from = static_cast<const From*>(t.data);
  auto to = static_cast<To*>(dense);
  walk(t, begin, end, [=](int64_t strided, int64_t flat, int64_t count, int64_t stride) {
    const From* __restrict source = from + strided;
    To* __restrict target = to + flat;
    if (stride == 1) {
      convert_run(source, target, count);
    } else {
      for (int64_t i = 0; i < count; ++i) target[i] = convert<To>(source[i * stride]);
    }
  });
}

template <class From, class To>
void scatter_as(const TensorView& t, const void* dense, int64_t begin, int64_t end) {
  auto from = static_cast<const From*>(dense);
  auto to = static_cast<To*>(t.data);
  walk(t, begin, end, [=](int64_t strided, int64_t flat, int64_t count, int64_t stride) {
    const From* __restrict source = from + flat;
    To* __restrict target = to + strided;
    if (stride == 1) {
      convert_run(source, target, count);
    } else {
      for (int64_t i = 0; i < count; ++i) target[i * stride] = convert<To>(source[i]);
    }
  });
}

// Calls f with a null pointer of the type's C++ type.
template <class F>
void with_real_type(DType t, F f) {
  switch (t) {
    case DType::Float32: return f(static_cast<float*>(nullptr));
    case DType::Float64: return f(static_cast<double*>(nullptr));
    case DType::Float16: return f(static_cast<Half*>(nullptr));
    case DType::BFloat16: return f(static_cast<BFloat16*>(nullptr));
    case DType::Int64: return f(static_cast<int64_t*>(nullptr));
    case DType::Int32: return f(static_cast<int32_t*>(nullptr));
    case DType::Int16: return f(static_cast<int16_t*>(nullptr));
    case DType::Int8: return f(static_cast<int8_t*>(nullptr));
    case DType::UInt8: return f(static_cast<uint8_t*>(nullptr));
    case DType::Bool: return f(static_cast<bool*>(nullptr));
    case DType::UInt16: return f(static_cast<uint16_t*>(nullptr));
    case DType::UInt32: return f(static_cast<uint32_t*>(nullptr));
    case DType::UInt64: return f(static_cast<uint64_t*>(nullptr));
    default: return;
  }
}

template <class F>
void with_hub_type(DType t, F f) {
  switch (t) {
    case DType::Float32: return f(static_cast<float*>(nullptr));
    case DType::Float64: return f(static_cast<double*>(nullptr));
    default: return f(static_cast<int64_t*>(nullptr));
  }
}

bool is_hub(DType t) { return t == DType::Float32 || t == DType::Float64 || t == DType::Int64; }

void gather(const TensorView& t, void* dense, DType as, int64_t begin, int64_t end) {
  if (t.dtype == as) {
    with_bytes(size_of(as), [&]<class T>(T) { gather_as<T, T>(t, dense, begin, end); });
  } else if (is_hub(as)) {
    with_real_type(t.dtype, [&]<class From>(From*) {
      with_hub_type(as, [&]<class To>(To*) { gather_as<From, To>(t, dense, begin, end); });
    });
  } else {
    with_hub_type(t.dtype, [&]<class From>(From*) {
      with_real_type(as, [&]<class To>(To*) { gather_as<From, To>(t, dense, begin, end); });
    });
  }
}

void scatter(const TensorView& t, const void* dense, DType as, int64_t begin, int64_t end) {
  if (t.dtype == as) {
    with_bytes(size_of(as), [&]<class T>(T) { scatter_as<T, T>(t, dense, begin, end); });
  } else if (is_hub(as)) {
    with_hub_type(as, [&]<class From>(From*) {
      with_real_type(t.dtype, [&]<class To>(To*) { scatter_as<From, To>(t, dense, begin, end); });
    });
  } else {
    with_real_type(as, [&]<class From>(From*) {
      with_hub_type(t.dtype, [&]<class To>(To*) { scatter_as<From, To>(t, dense, begin, end); });
    });
  }
}

}  // namespace

extern const StageKernels stage_table{.gather = gather, .scatter = scatter};

}  // namespace cann::kernels::CANN_ISA
