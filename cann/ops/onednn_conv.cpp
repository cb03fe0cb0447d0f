#include "cann/ops/onednn_conv.h"

#include <cstring>
#include <mutex>
#include <unordered_map>

#include "oneapi/dnnl/dnnl.h"

namespace cann::ops::onednn {
namespace {

static_assert(sizeof(ConvShape) % sizeof(int64_t) == 0);

struct HashOfShape {
  size_t operator()(const ConvShape& s) const {
    constexpr size_t kWords = sizeof(ConvShape) / sizeof(int64_t);
    uint64_t words[kWords];
    std::memcpy(words, &s, sizeof s);
    uint64_t h = 0;
    for (uint64_t w : words) h = (h ^ w) * 0x9e3779b97f4a7c15ull, h ^= h >> 32;
    return h;
  }
};

struct Description {  // an owned memory descriptor
  dnnl_memory_desc_t handle = nullptr;
  ~Description() { dnnl_memory_desc_destroy(handle); }
};

dnnl_engine_t the_engine() { return static_cast<dnnl_engine_t>(engine()); }

// Sizes and strides of one tensor in oneDNN's order; depth is left out where there is none.
struct Dims {
  int count = 0;
  dnnl_dims_t size{}, stride{};
  void add(int64_t n, int64_t step) { size[count] = n, stride[count++] = step; }
};

Dims image_dims(bool deep, int64_t channels, const int64_t* size, const int64_t* strides) {
  Dims d;
  d.add(1, channels * strides[0]);
  d.add(channels, strides[0]);
  for (int i = deep ? 0 : 1; i < 3; ++i) d.add(size[i], size[i] == 1 ? 1 : strides[i + 1]);
  return d;
}

bool describe(Description& given, Description& any, const Dims& d, dnnl_data_type_t type) {
  return dnnl_memory_desc_create_with_strides(&given.handle, d.count, d.size, type, d.stride) == dnnl_success &&
         dnnl_memory_desc_create_with_tag(&any.handle, d.count, d.size, type, dnnl_format_tag_any) == dnnl_success;
}

size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

// The copy between two layouts, unless they are one. False if oneDNN has none.
bool make_copy(const_dnnl_memory_desc_t from, const_dnnl_memory_desc_t to, const Primitive*& copy) {
  copy = nullptr;
  if (dnnl_memory_desc_equal(from, to)) return true;
  dnnl_primitive_attr_t attributes = nullptr;
  if (dnnl_primitive_attr_create(&attributes) != dnnl_success) return false;
  dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
  dnnl_primitive_desc_t description = nullptr;
  const dnnl_status_t status =
      dnnl_reorder_primitive_desc_create(&description, from, the_engine(), to, the_engine(), attributes);
  dnnl_primitive_attr_destroy(attributes);
  if (status != dnnl_success) return false;
  copy = make_primitive(description);
  return copy != nullptr;
}

const Convolution* create(const ConvShape& s) {
  const auto type = static_cast<dnnl_data_type_t>(data_type(static_cast<DType>(s.dtype)));
  if (!engine() || type == dnnl_data_type_undef) return nullptr;
  const bool deep = s.source_size[0] != 1 || s.target_size[0] != 1 || s.taps[0] != 1;
  // The forward convolution's input and output.
  const bool back = s.backwards != 0;
  const int64_t *in_size = back ? s.target_size : s.source_size, *out_size = back ? s.source_size : s.target_size;
  const int64_t in_channels = back ? s.rows : s.channels, out_channels = back ? s.channels : s.rows;
  Dims weight;
  if (s.groups > 1) weight.add(s.groups, s.weight_group);
  weight.add(out_channels, back ? s.weight_channel : s.weight_row);
  weight.add(in_channels, back ? s.weight_row : s.weight_channel);
  dnnl_dims_t stride, dilation, left, right;
  int space = 0;
  for (int i = deep ? 0 : 1; i < 3; ++i, ++space) {
    weight.add(s.taps[i], s.taps[i] == 1 ? 1 : s.weight_tap[i]);
    stride[space] = s.stride[i];
    dilation[space] = s.dilation[i] - 1;
    left[space] = s.padding[i];
    right[space] = (out_size[i] - 1) * s.stride[i] + (s.taps[i] - 1) * s.dilation[i] + 1 - in_size[i] - s.padding[i];
  }
  Description in, any_in, out, any_out, w, any_w, bias;
  const int64_t *in_strides = back ? s.target_strides : s.source_strides,
                *out_strides = back ? s.source_strides : s.target_strides;
  if (!describe(in, any_in, image_dims(deep, s.groups * in_channels, in_size, in_strides), type) ||
      !describe(out, any_out, image_dims(deep, s.groups * out_channels, out_size, out_strides), type) ||
      !describe(w, any_w, weight, type))
    return nullptr;
  const dnnl_dims_t bias_size{s.groups * s.rows}, bias_stride{1};
  if (s.bias && dnnl_memory_desc_create_with_strides(&bias.handle, 1, bias_size, type, bias_stride) != dnnl_success)
    return nullptr;

  dnnl_primitive_attr_t attributes = nullptr;
  if (dnnl_primitive_attr_create(&attributes) != dnnl_success) return nullptr;
  dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
  const OneThread one_thread;
  dnnl_primitive_desc_t forward = nullptr, description = nullptr;
  dnnl_status_t status = dnnl_convolution_forward_primitive_desc_create(
      &forward, the_engine(), back ? dnnl_forward_training : dnnl_forward_inference, dnnl_convolution_direct,
      any_in.handle, any_w.handle, back ? nullptr : bias.handle, any_out.handle, stride, dilation, left, right,
      attributes);
  if (status == dnnl_success && back) {
    status = dnnl_convolution_backward_data_primitive_desc_create(&description, the_engine(), dnnl_convolution_direct,
                                                                  any_in.handle, any_w.handle, any_out.handle, stride,
                                                                  dilation, left, right, forward, attributes);
    dnnl_primitive_desc_destroy(forward);
  } else {
    description = forward;
  }
  dnnl_primitive_attr_destroy(attributes);
  if (status != dnnl_success) return nullptr;
  const Primitive* primitive = make_primitive(description);
  if (!primitive) return nullptr;

  const auto wanted = [&](dnnl_query_t what) {
    return dnnl_primitive_desc_query_md(primitive->description(), what, 0);
  };
  const const_dnnl_memory_desc_t source_md = wanted(back ? dnnl_query_diff_dst_md : dnnl_query_src_md),
                                 target_md = wanted(back ? dnnl_query_diff_src_md : dnnl_query_dst_md),
                                 weight_md = wanted(dnnl_query_weights_md);
  Convolution c{primitive, nullptr, nullptr, nullptr, 0, 0, 0};
  if (!make_copy(back ? out.handle : in.handle, source_md, c.read_source) ||
      !make_copy(w.handle, weight_md, c.read_weight) ||
      !make_copy(target_md, back ? in.handle : out.handle, c.write_target))
    return nullptr;
  if (c.read_source) c.source_bytes = rounded(dnnl_memory_desc_get_size(source_md));
  if (c.read_weight) c.weight_bytes = rounded(dnnl_memory_desc_get_size(weight_md));
  if (c.write_target) c.target_bytes = rounded(dnnl_memory_desc_get_size(target_md));
  return new Convolution(c);  // kept for the life of the process
}

}  // namespace

const Convolution* convolution(const ConvShape& shape) {
  static std::mutex mutex;
  static auto& made = *new std::unordered_map<ConvShape, const Convolution*, HashOfShape>;  // left alone at exit
  const std::lock_guard lock(mutex);
  auto [entry, is_new] = made.try_emplace(shape, nullptr);
  if (is_new) entry->second = create(shape);
  return entry->second;
}

Status run_copy(const Primitive& copy, const void* from, void* to) {
  const Primitive::Argument arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  return copy.run(arguments);
}

Status run_convolution(const Convolution& c, const ConvShape& shape, const void* source, const void* weight,
                       const void* bias, void* target, void* scratch) {
  if (c.read_source) {
    RETURN_IF_ERROR(run_copy(*c.read_source, source, scratch));
    source = scratch;
  }
  void* result = c.write_target ? static_cast<char*>(scratch) + c.source_bytes : target;
  const bool back = shape.backwards != 0;
  const Primitive::Argument arguments[] = {{back ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC, source},
                                           {DNNL_ARG_WEIGHTS, weight},
                                           {back ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, result},
                                           {DNNL_ARG_BIAS, bias}};
  RETURN_IF_ERROR(c.primitive->run({arguments, bias ? size_t{4} : size_t{3}}));
  return c.write_target ? run_copy(*c.write_target, result, target) : Status();
}

}  // namespace cann::ops::onednn
