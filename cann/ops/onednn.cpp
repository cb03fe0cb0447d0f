#include "cann/ops/onednn.h"

#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cann/kernels/isa.h"
#include "cann/ops/scratch.h"
#include "oneapi/dnnl/dnnl.h"

// libgomp comes with libdnnl; weak, so that nothing but libdnnl is linked.
extern "C" {
__attribute__((weak)) int omp_get_max_threads();
__attribute__((weak)) void omp_set_num_threads(int threads);
}

namespace cann::ops::onednn {

OneThread::OneThread() : before_(omp_get_max_threads ? omp_get_max_threads() : 1) {
  if (before_ != 1) omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (before_ != 1) omp_set_num_threads(before_);
}

void* engine() {
  static const dnnl_engine_t engine = [] {
    // A level forced below the CPU's holds for oneDNN too. Refused once oneDNN has run: then it was chosen before.
    if (isa_level() == IsaLevel::V2) (void)dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41);
    if (isa_level() == IsaLevel::V3) (void)dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
    dnnl_engine_t made = nullptr;
    return dnnl_engine_create(&made, dnnl_cpu, 0) == dnnl_success ? made : nullptr;
  }();
  return engine;
}

namespace {

dnnl_stream_t thread_stream() {
  struct Owned {
    dnnl_stream_t stream = nullptr;
    Owned() {
      if (dnnl_stream_create(&stream, static_cast<dnnl_engine_t>(engine()), dnnl_stream_default_flags) != dnnl_success)
        stream = nullptr;
    }
    ~Owned() { dnnl_stream_destroy(stream); }
  };
  thread_local Owned owned;
  return owned.stream;
}

Status failure(dnnl_status_t status) { return {Code::InternalFailure, "oneDNN answered " + std::to_string(status)}; }

// Memory objects of one run.
struct Memories {
  static constexpr int kMost = 6;
  dnnl_exec_arg_t arguments[kMost];
  int count = 0;
  ~Memories() {
    for (int i = 0; i < count; ++i) dnnl_memory_destroy(arguments[i].memory);
  }
  dnnl_status_t add(int index, const_dnnl_memory_desc_t description, const void* data) {
    dnnl_memory_t memory = nullptr;
    const dnnl_status_t status =
        dnnl_memory_create(&memory, description, static_cast<dnnl_engine_t>(engine()), const_cast<void*>(data));
    if (status == dnnl_success) arguments[count++] = {index, memory};
    return status;
  }
};

struct HashOfShape {
  size_t operator()(const MatmulShape& s) const {
    size_t h = static_cast<size_t>(s.dtype) * 64 + static_cast<size_t>(s.out_dtype) * 4 + s.bias;
    for (int64_t v : {s.m, s.n, s.k, s.a_row, s.a_col, s.b_row, s.b_col, s.out_row})
      h = (h ^ static_cast<size_t>(v)) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
  }
};

struct Description {  // an owned memory descriptor
  dnnl_memory_desc_t handle = nullptr;
  ~Description() { dnnl_memory_desc_destroy(handle); }
};

const Primitive* create(const MatmulShape& s) {
  const auto type = static_cast<dnnl_data_type_t>(data_type(s.dtype));
  const auto out_type = static_cast<dnnl_data_type_t>(data_type(s.out_dtype));
  if (!engine() || type == dnnl_data_type_undef) return nullptr;
  const dnnl_dims_t a_sizes{s.m, s.k}, a_strides{s.a_row, s.a_col}, b_sizes{s.k, s.n}, b_strides{s.b_row, s.b_col},
      out_sizes{s.m, s.n}, out_strides{s.out_row, 1}, bias_sizes{1, s.n}, bias_strides{s.n, 1};
  Description a, b, bias, out;
  if (dnnl_memory_desc_create_with_strides(&a.handle, 2, a_sizes, type, a_strides) != dnnl_success ||
      dnnl_memory_desc_create_with_strides(&b.handle, 2, b_sizes, type, b_strides) != dnnl_success ||
      dnnl_memory_desc_create_with_strides(&out.handle, 2, out_sizes, out_type, out_strides) != dnnl_success ||
      (s.bias && dnnl_memory_desc_create_with_strides(&bias.handle, 2, bias_sizes, type, bias_strides) != dnnl_success))
    return nullptr;
  dnnl_primitive_attr_t attributes = nullptr;
  if (dnnl_primitive_attr_create(&attributes) != dnnl_success) return nullptr;
  dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
  dnnl_primitive_desc_t description = nullptr;
  const OneThread one_thread;
  const dnnl_status_t status = dnnl_matmul_primitive_desc_create(
      &description, static_cast<dnnl_engine_t>(engine()), a.handle, b.handle, bias.handle, out.handle, attributes);
  dnnl_primitive_attr_destroy(attributes);
  return status == dnnl_success ? make_primitive(description) : nullptr;
}

}  // namespace

int data_type(DType dtype) {
  switch (dtype) {
    case DType::Float32: return dnnl_f32;
    case DType::Float16: return dnnl_f16;
    case DType::BFloat16: return dnnl_bf16;
    default: return dnnl_data_type_undef;
  }
}

bool has_matrix_units() {
  static const bool has =
      engine() && (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_amx) == dnnl_cpu_isa_avx512_core_amx;
  return has;  // oneDNN has asked the system for the tile registers, for the whole process
}

const Primitive* make_primitive(dnnl_primitive_desc* description) {
  const char* implementation = "";
  dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &implementation);
  dnnl_primitive_t primitive = nullptr;
  if (std::strstr(implementation, "ref") || dnnl_primitive_create(&primitive, description) != dnnl_success) {
    dnnl_primitive_desc_destroy(description);
    return nullptr;
  }
  const size_t scratch =
      dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0));
  return new Primitive(description, primitive, scratch);  // kept for the life of the process
}

Status Primitive::run(std::span<const Argument> arguments) const {
  Memories memories;
  for (const Argument& argument : arguments)
    if (const dnnl_status_t status = memories.add(
            argument.index, dnnl_primitive_desc_query_md(description_, dnnl_query_exec_arg_md, argument.index),
            argument.data);
        status != dnnl_success)
      return failure(status);
  if (scratch_bytes_) {
    const dnnl_status_t status =
        memories.add(DNNL_ARG_SCRATCHPAD, dnnl_primitive_desc_query_md(description_, dnnl_query_scratchpad_md, 0),
                     thread_scratch(scratch_bytes_, 1));
    if (status != dnnl_success) return failure(status);
  }
  const OneThread one_thread;
  const dnnl_status_t status = dnnl_primitive_execute(primitive_, thread_stream(), memories.count, memories.arguments);
  return status == dnnl_success ? Status() : failure(status);
}

const Primitive* matmul(const MatmulShape& shape) {
  static std::mutex mutex;
  static auto& made = *new std::unordered_map<MatmulShape, const Primitive*, HashOfShape>;  // left alone at exit
  const std::lock_guard lock(mutex);
  auto [entry, is_new] = made.try_emplace(shape, nullptr);
  if (is_new) entry->second = create(shape);
  return entry->second;
}

Status run_matmul(const Primitive& primitive, const void* a, const void* b, const void* bias, void* out) {
  const Primitive::Argument arguments[] = {
      {DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, out}, {DNNL_ARG_BIAS, bias}};
  return primitive.run({arguments, bias ? size_t{4} : size_t{3}});
}

}  // namespace cann::ops::onednn
