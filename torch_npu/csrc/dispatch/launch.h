// The one launcher: ATen arguments to descriptors, GetWorkspaceSize (which checks and plans), workspace, enqueue.
// Costs no heap allocation beyond the contract's descriptors. Shapes and dtypes are settled by the caller.
#pragma once

#include <tuple>
#include <utility>

#include <c10/core/Allocator.h>

#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/stream.h"
#include "torch_npu/csrc/dispatch/arguments.h"

namespace torch_npu {

template <class GetWorkspaceSize>
class Operator;

// An aclnn operator of the contract: the pair aclnnXGetWorkspaceSize (whose signature this is) and aclnnX.
// Generated handles stand in aclnn_functions.h: aclnn::Add, aclnn::Softmax, ...
template <class... Params>
class Operator<aclnnStatus(Params...)> {
 public:
  using Run = aclnnStatus(void* workspace, uint64_t workspace_bytes, aclOpExecutor* executor, aclrtStream stream);

  constexpr Operator(const char* name, const char* get_workspace_size)
      : plan(get_workspace_size, Library::Opapi), run(name, Library::Opapi) {}

  const char* name() const { return run.name(); }
  bool available() const { return plan.try_get() != nullptr && run.try_get() != nullptr; }

  Function<aclnnStatus(Params...)> plan;
  Function<Run> run;
};

namespace detail {

[[noreturn]] void refuse_missing(const char* name);
[[noreturn]] void refuse(const char* name, aclnnStatus status);
[[noreturn]] void fail(const char* name, aclnnStatus status);
c10::DataPtr allocate_workspace(uint64_t bytes, c10::DeviceIndex device);

inline void note_device(int& device, const at::Tensor& t) {
  if (device < 0 && t.defined() && t.is_privateuseone()) device = t.device().index();
}
inline void note_device(int& device, const std::optional<at::Tensor>& t) {
  if (t.has_value()) note_device(device, *t);
}
template <class List>
  requires requires(const List& list) {
    { *list.begin() } -> std::convertible_to<const at::Tensor&>;
  }
void note_device(int& device, const List& list) {
  for (const at::Tensor& t : list) note_device(device, t);
}
template <class Other>
  requires(!requires(const Other& list) {
    { *list.begin() } -> std::convertible_to<const at::Tensor&>;
  })
void note_device(int&, const Other&) {}

template <class... Params, class... Args, size_t... I>
void launch(const Operator<aclnnStatus(Params...)>& op, std::index_sequence<I...>, const Args&... args) {
  auto* const plan = op.plan.try_get();
  if (plan == nullptr) [[unlikely]]
    refuse_missing(op.name());
  int device = -1;
  (note_device(device, args), ...);
  if (device < 0) device = device::current();

  using Types = std::tuple<Params...>;
  const std::tuple<Argument<std::tuple_element_t<I, Types>>...> converted{args...};
  uint64_t workspace_bytes = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus planned = plan(std::get<I>(converted).get()..., &workspace_bytes, &executor);
  if (planned != 0) [[unlikely]]
    refuse(op.name(), planned);
  c10::DataPtr workspace;
  if (workspace_bytes != 0) workspace = allocate_workspace(workspace_bytes, static_cast<c10::DeviceIndex>(device));
  const aclnnStatus ran =
      op.run(workspace.get(), workspace_bytes, executor, stream::current_handle(static_cast<c10::DeviceIndex>(device)));
  if (ran != 0) [[unlikely]]
    fail(op.name(), ran);
}

}  // namespace detail

// Enqueues the operator on the current stream of its tensors' device. Throws Refusal where CANN declines the call.
template <class... Params, class... Args>
void launch(const Operator<aclnnStatus(Params...)>& op, const Args&... args) {
  static_assert(sizeof...(Params) == sizeof...(Args) + 2,
                "the number of arguments differs from the row's aclnn signature");
  detail::launch(op, std::index_sequence_for<Args...>{}, args...);
}

}  // namespace torch_npu
