// The profiler's other way, torch.autograd.profiler.profile(use_device="npu") without kineto: an event of the device
// before and after each operator, and the time between them.
#include <functional>
#include <memory>
#include <utility>

#include <c10/util/ApproximateClock.h>
#include <torch/csrc/profiler/stubs/base.h>

#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/event.h"
#include "torch_npu/csrc/device/stream.h"

namespace torch_npu::profiler {
namespace {

using torch::profiler::impl::ProfilerVoidEventStub;

class Markers final : public torch::profiler::impl::ProfilerStubs {
 public:
  void record(c10::DeviceIndex* device, ProfilerVoidEventStub* event, int64_t* cpu_ns) const override {
    const c10::DeviceIndex current = device::current();
    device::bind(current);
    auto made = std::make_shared<event::Event>(/*timing=*/true);
    if (cpu_ns != nullptr) *cpu_ns = c10::getTime();
    made->record(stream::current_handle(current));
    if (device != nullptr) *device = current;
    *event = std::move(made);
  }

  // In microseconds. Waits for both.
  float elapsed(const ProfilerVoidEventStub* begin, const ProfilerVoidEventStub* end) const override {
    const auto& first = *static_cast<const event::Event*>(begin->get());
    const auto& last = *static_cast<const event::Event*>(end->get());
    first.synchronize();
    last.synchronize();
    return first.milliseconds_to(last) * 1000;
  }

  bool enabled() const override { return true; }
  void onEachDevice(std::function<void(int)> visit) const override {
    for (c10::DeviceIndex i = 0; i < device::count(); ++i) visit(i);
  }
  void synchronize() const override { device::synchronize(device::current()); }

  // Marks for a CUDA tool. A program's own are torch.npu.mstx.
  void mark(const char*) const override {}
  void rangePush(const char*) const override {}
  void rangePop() const override {}
};

const bool registered = [] {
  static Markers markers;
  torch::profiler::impl::registerPrivateUse1Methods(&markers);
  return true;
}();

}  // namespace
}  // namespace torch_npu::profiler
