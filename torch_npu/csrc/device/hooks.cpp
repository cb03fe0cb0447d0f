// The rest of what PyTorch asks of a backend: availability, generators, pinned memory, resizing of storages.
#include <ATen/detail/PrivateUse1HooksInterface.h>

#include "torch_npu/csrc/device/allocator.h"
#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/generator.h"
#include "torch_npu/csrc/device/host_memory.h"
#include "torch_npu/csrc/device/stream.h"
#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu::device {
namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  void init() const override { start(); }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return count() > 0; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return started(); }

  c10::DeviceIndex deviceCount() const override { return count(); }
  void setCurrentDevice(c10::DeviceIndex index) const override { set_current(index); }
  c10::DeviceIndex getCurrentDevice() const override { return current(); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    const auto former = current();
    set_current(index);
    return former;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return index < 0 ? current() : exchangeDevice(index);
  }

  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
    return random::default_generator(index);
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override { return random::new_generator(index); }

  bool isPinnedPtr(const void* data) const override { return host_memory::is_pinned(data); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return host_memory::allocator(); }

  // CANN cannot be asked whose address it is; like a fresh allocation, it counts as the current device's.
  at::Device getDeviceFromPtr(void*) const override { return {c10::DeviceType::PrivateUse1, current()}; }

  // Keeps the old bytes, as `Tensor.resize_` and `UntypedStorage.resize_` promise.
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t new_bytes) const override {
    auto* impl = storage.unsafeGetStorageImpl();
    const auto device = impl->device().index();
    const size_t kept = std::min(impl->nbytes(), new_bytes);
    c10::DataPtr memory = memory::allocate(new_bytes, device);
    if (kept > 0) {
      const aclrtStream stream = stream::current_handle(device);
      acl::check(acl::memcpy_async(memory.get(), kept, impl->data(), kept, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                 "aclrtMemcpyAsync");
      memory::allocator()->recordStream(impl->data_ptr(), stream::current(device));
    }
    impl->set_data_ptr_noswap(std::move(memory));
    impl->set_nbytes(new_bytes);
  }
};

const bool registered = [] {
  static auto& hooks = *new Hooks();
  at::RegisterPrivateUse1HooksInterface(&hooks);
  return true;
}();

}  // namespace
}  // namespace torch_npu::device
