// The boxed CPU fallback. PyTorch's own accepts mixed devices, rejects NPU generators and loses what an operator writes
// to arguments that its schema does not mark, so this one is written out: arguments to the host, the CPU kernel,
// results back.
#include "torch_npu/csrc/dispatch/fallback.h"

#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/generator.h"
#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/diagnostics/policies.h"
#include "torch_npu/csrc/dispatch/arguments.h"
#include "torch_npu/csrc/dispatch/sparse.h"

namespace torch_npu {
namespace {

thread_local std::string noted_refusal;

bool fallback_disabled() {
  static const bool disabled = [] {
    const char* value = std::getenv("TORCH_NPU_FALLBACK_CPU_DISABLE");
    if (value == nullptr || *value == '\0') return false;
    const std::string_view text(value);
    TORCH_CHECK(text == "0" || text == "1", "TORCH_NPU_FALLBACK_CPU_DISABLE should be 0 or 1, but got \"", text, "\"");
    return text == "1";
  }();
  return disabled;
}

// Arguments that the CPU kernel changes although the schema does not say so.
const std::vector<std::string_view>& hidden_outputs(const std::string& name) {
  static const std::vector<std::string_view> none;
  static const std::vector<std::string_view> running{"running_mean", "running_var"};
  static const std::unordered_map<std::string, std::vector<std::string_view>> table{
      {"aten::native_batch_norm", running},        {"aten::batch_norm", running},
      {"aten::_batch_norm_impl_index", running},   {"aten::cudnn_batch_norm", running},
      {"aten::batch_norm_update_stats", running},  {"aten::instance_norm", running},
      {"aten::_native_batch_norm_legit", running}, {"aten::_batch_norm_with_update", running}};
  const auto found = table.find(name);
  return found == table.end() ? none : found->second;
}

// The CPU kernel keeps what its backward needs only if an argument requires a gradient: the host copy must say so.
bool reads_requires_grad(const std::string& name) { return name == "aten::_sparse_mm_reduce_impl"; }

// PyTorch lets these take indices, lengths and the like from the host beside device tensors.
bool may_mix_devices(const std::string& name) {
  static constexpr std::string_view prefixes[] = {
      "aten::index",        "aten::_index_put",     "aten::_unsafe_index", "aten::_foreach", "aten::_fused",
      "aten::tensor_split", "aten::_embedding_bag", "aten::_pack_padded",  "aten::_cudnn",   "aten::_amp"};
  for (const auto prefix : prefixes)
    if (name.compare(0, prefix.size(), prefix) == 0) return true;
  return false;
}

// A device tensor that was copied to the host, and whether the operator may have changed the copy.
struct Moved {
  at::Tensor device;
  at::Tensor host;
  bool written = false;
};

// One call of the fallback.
class Call {
 public:
  // `cpu`: the CPU's key of the layout that brought the call here; sparse arguments add theirs.
  Call(const c10::OperatorHandle& op, torch::jit::Stack* stack, c10::DispatchKey cpu)
      : op_(op), schema_(op.schema()), stack_(stack), first_(stack->size() - schema_.arguments().size()), keys_(cpu) {}

  void run() {
    for (size_t i = 0; i < schema_.arguments().size(); ++i) to_host(i);
    op_.redispatchBoxed(keys_, stack_);
    write_back();
    const size_t first_result = stack_->size() - schema_.returns().size();
    for (size_t i = 0; i < schema_.returns().size(); ++i) to_device(first_result + i, schema_.returns()[i]);
  }

  uint64_t bytes() const { return bytes_; }

 private:
  c10::IValue& argument(size_t i) { return (*stack_)[first_ + i]; }

  bool is_written(const c10::Argument& argument) const {
    if (argument.alias_info() != nullptr && argument.alias_info()->isWrite()) return true;
    for (const auto hidden : hidden_outputs(schema_.name()))
      if (hidden == argument.name()) return true;
    return false;
  }

  at::Tensor host_copy(const at::Tensor& tensor, bool written, bool read) {
    if (!tensor.defined()) return tensor;
    if (sparse::is_coo(tensor)) keys_ = keys_.add(c10::DispatchKey::SparseCPU);
    if (sparse::is_compressed(tensor)) keys_ = keys_.add(c10::DispatchKey::SparseCsrCPU);
    if (!tensor.is_privateuseone()) {
      const bool scalar = tensor.dim() == 0 && tensor.is_cpu();
      if (!scalar && !foreign_.defined()) foreign_ = tensor;
      check_one_device();
      return tensor;
    }
    if (!device_.has_value()) device_ = tensor.device();
    if (!home_.defined()) home_ = tensor;
    check_one_device();
    TORCH_CHECK(tensor.device() == *device_,
                "Expected all tensors to be on the same device, but found at least two devices, ", *device_, " and ",
                tensor.device(), "! (when checking arguments for ", schema_.name(), ")");
    for (Moved& moved : moved_) {
      if (!moved.device.is_same(tensor)) continue;
      moved.written |= written;
      return moved.host;
    }
    const at::Tensor host = sparse::is_sparse(tensor) ? sparse::to(tensor, at::kCPU)
                            : read                    ? tensor.to(at::kCPU)
                                                      : at::empty_like(tensor, tensor.options().device(at::kCPU));
    if (reads_requires_grad(schema_.name())) host.set_requires_grad(tensor.requires_grad());
    if (read) bytes_ += size_of(host);
    moved_.push_back({tensor, host, written});
    return host;
  }

  static uint64_t size_of(const at::Tensor& t) { return sparse::is_sparse(t) ? sparse::nbytes(t) : t.nbytes(); }

  void check_one_device() const {
    if (!foreign_.defined() || !home_.defined() || may_mix_devices(schema_.name())) return;
    TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ",
                home_.device(), " and ", foreign_.device(), "! (when checking arguments for ", schema_.name(), ")");
  }

  void to_host(size_t i) {
    c10::IValue& value = argument(i);
    const c10::Argument& declared = schema_.arguments()[i];
    const bool written = is_written(declared);
    const bool read = !(written && declared.kwarg_only());  // an out= tensor is only written
    if (value.isTensor()) {
      value = host_copy(value.toTensor(), written, read);
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> host;
      for (const at::Tensor& tensor : value.toTensorVector()) host.push_back(host_copy(tensor, written, read));
      value = std::move(host);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> host;
      for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector())
        host.push_back(tensor.has_value() ? std::optional(host_copy(*tensor, written, read)) : std::nullopt);
      value = std::move(host);
    } else if (value.isDevice()) {
      if (!device_.has_value())
        device_ = c10::Device(c10::DeviceType::PrivateUse1, device::resolve(value.toDevice().index()));
      value = c10::Device(at::kCPU);
    } else if (is_generator(declared)) {
      value = host_generator(value);
    }
  }

  static bool is_generator(const c10::Argument& argument) {
    const auto& type = argument.type();
    if (type->kind() == c10::TypeKind::GeneratorType) return true;
    const auto optional = type->cast<c10::OptionalType>();
    return optional != nullptr && optional->getElementType()->kind() == c10::TypeKind::GeneratorType;
  }

  // A CPU generator that the NPU's own seeds, so that torch.npu.manual_seed governs fallbacks too.
  c10::IValue host_generator(const c10::IValue& value) const {
    std::optional<at::Generator> given;
    if (!value.isNone()) given = value.toGenerator();
    const auto index = device_.has_value() ? device_->index() : device::current();
    const auto [seed, offset] = random::reserve(given, 4, index);
    return at::detail::createCPUGenerator(seed ^ (offset * 0x9E3779B97F4A7C15ull));
  }

  void write_back() {
    for (const Moved& moved : moved_) {
      if (!moved.written) continue;
      bytes_ += size_of(moved.host);
      if (sparse::is_sparse(moved.device)) {
        sparse::assign(moved.device, moved.host);
        continue;
      }
      if (moved.host.sizes() != moved.device.sizes()) moved.device.resize_(moved.host.sizes());
      moved.device.copy_(moved.host);
    }
  }

  at::Tensor device_copy(const at::Tensor& host) {
    if (!host.defined() || !host.is_cpu() || !device_.has_value()) return host;
    for (const Moved& moved : moved_)
      if (moved.host.is_same(host) && moved.written) return moved.device;
    bytes_ += size_of(host);
    return sparse::is_sparse(host) ? sparse::to(host, *device_) : host.to(*device_);
  }

  void to_device(size_t slot, const c10::Argument& returned) {
    c10::IValue& value = (*stack_)[slot];
    TORCH_CHECK_NOT_IMPLEMENTED(
        returned.alias_info() == nullptr || returned.alias_info()->isWrite() || over_sparse(), "The operator '",
        op_.operator_name(),
        "' returns a view and has no NPU kernel: a view of device memory cannot come from the CPU.");
    if (value.isTensor()) {
      value = device_copy(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> moved;
      for (const at::Tensor& tensor : value.toTensorVector()) moved.push_back(device_copy(tensor));
      value = std::move(moved);
    }
  }

  // A "view" of a sparse tensor has members of its own.
  bool over_sparse() const {
    return keys_.has(c10::DispatchKey::SparseCPU) || keys_.has(c10::DispatchKey::SparseCsrCPU);
  }

  const c10::OperatorHandle& op_;
  const c10::FunctionSchema& schema_;
  torch::jit::Stack* stack_;
  const size_t first_;
  c10::DispatchKeySet keys_;
  std::vector<Moved> moved_;
  std::optional<c10::Device> device_;  // where results go
  at::Tensor home_;                    // the first tensor on the device
  at::Tensor foreign_;                 // the first elsewhere
  uint64_t bytes_ = 0;
};

void announce(const std::string& name, const std::string& refusal) {
  if (policies::of(events::Kind::Fallback) == policies::Policy::Ignore) return;  // the user has said so
  if (!policies::first_time(name, events::kNowhere)) return;
  TORCH_WARN("CAUTION: The operator '", name,
             "' is not currently supported on the NPU backend and will fall back to run on the CPU. ",
             "This may have performance implications.", refusal.empty() ? "" : " Reason: ", refusal);
}

// The tensors among the arguments on top of the stack.
std::string operands_on(const torch::jit::Stack& stack, size_t arguments) {
  if (!events::tracing()) return {};
  std::vector<at::Tensor> tensors;
  for (size_t i = stack.size() - arguments; i < stack.size(); ++i)
    if (stack[i].isTensor()) tensors.push_back(stack[i].toTensor());
  return events::operands_of(tensors);
}

void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack, c10::DispatchKey cpu) {
  const std::string refusal = std::exchange(noted_refusal, {});
  const std::string name = c10::toString(op.operator_name());
  TORCH_CHECK(!fallback_disabled(), "The operator '", name,
              "' would execute its main computation on CPU through dispatcher backend fallback because no kernel is "
              "registered ",
              "for the NPU PrivateUse1 backend, but CPU fallback is disabled by TORCH_NPU_FALLBACK_CPU_DISABLE=1.",
              refusal.empty() ? "" : " Reason: ", refusal);
  events::Occurrence fallback(
      events::Kind::Fallback, name,
      {.reason = refusal, .operands = operands_on(*stack, op.schema().arguments().size()), .op_name = {}});
  announce(name, refusal);
  const events::Cause cause("fallback");
  Call call(op, stack, cpu);
  call.run();
  fallback.add_bytes(call.bytes());
}

}  // namespace

void note_refusal(const Refusal& refusal) { noted_refusal = refusal.what(); }

void cpu_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  run_on_cpu(op, stack, c10::DispatchKey::CPU);
}

void sparse_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  run_on_cpu(op, stack, c10::DispatchKey::SparseCPU);
}

void sparse_compressed_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  run_on_cpu(op, stack, c10::DispatchKey::SparseCsrCPU);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>()); }
TORCH_LIBRARY_IMPL(_, SparsePrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&sparse_fallback>());
}
TORCH_LIBRARY_IMPL(_, SparseCsrPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&sparse_compressed_fallback>());
}

}  // namespace torch_npu
