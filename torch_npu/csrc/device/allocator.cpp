// Registers one heap per device as PyTorch's allocator for PrivateUse1.
#include "torch_npu/csrc/device/allocator.h"

#include <array>
#include <memory>
#include <mutex>

#include "torch_npu/csrc/device/heap.h"
#include "torch_npu/csrc/device/stream.h"

namespace torch_npu::memory {
namespace {

// Never destroyed: other libraries' exit handlers may still free tensors.
Heap& heap_of(c10::DeviceIndex device) {
  struct Heaps {
    std::array<std::unique_ptr<Heap>, device::kMaxDevices> heaps;
    Heaps() {
      for (int i = 0; i < device::kMaxDevices; ++i) heaps[i] = std::make_unique<Heap>(static_cast<c10::DeviceIndex>(i));
    }
  };
  static auto& all = *new Heaps();
  return *all.heaps[device];
}

void report(Block* block, int64_t bytes) {
  // Costs a thread-local look-up; builds its numbers only under a memory profiler.
  if (!c10::memoryProfilingEnabled()) [[likely]]
    return;
  c10::reportMemoryUsageToProfiler(block->address, bytes, block->heap->allocated_bytes(), block->heap->reserved_bytes(),
                                   c10::Device(c10::DeviceType::PrivateUse1, device::current()));
}

void release(void* context) {
  auto* block = static_cast<Block*>(context);
  report(block, -static_cast<int64_t>(block->size));
  block->heap->free(block);
}

class Allocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override { return memory::allocate(bytes, device::current()); }

  // The context is the block, not the address; nothing else about the pointer is out of the ordinary.
  bool is_simple_data_ptr(const c10::DataPtr& data) const override { return data.get_deleter() == &release; }

  void copy_data(void* dst, const void* src, size_t count) const override {
    const auto device = device::current();
    const aclrtStream stream = stream::current_handle(device);
    acl::check(acl::memcpy_async(dst, count, src, count, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), "aclrtMemcpyAsync");
  }

  bool initialized() override { return device::started(); }

  void emptyCache(c10::MempoolId_t) override {
    if (!device::started()) return;
    for (c10::DeviceIndex i = 0; i < device::count(); ++i) heap_of(i).empty_cache();
    device::bind(device::current());
  }

  void recordStream(const c10::DataPtr& data, c10::Stream stream) override {
    if (data.get_deleter() != &release) return;  // empty, or memory that is not ours
    auto* block = static_cast<Block*>(data.get_context());
    block->heap->record_stream(block, stream.id());
  }

  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    return heap_of(device::resolve(device)).stats();
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    heap_of(device::resolve(device)).reset_accumulated_stats();
  }
  void resetPeakStats(c10::DeviceIndex device) override { heap_of(device::resolve(device)).reset_peak_stats(); }

  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    device::bind(device::resolve(device));
    acl::check(acl::memory_info(ACL_HBM_MEM, &free_bytes, &total_bytes), "aclrtGetMemInfo");
    return {free_bytes, total_bytes};
  }
};

Allocator& instance() {
  static auto& allocator = *new Allocator();
  return allocator;
}

REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, &instance())

}  // namespace

c10::DeviceAllocator* allocator() noexcept { return &instance(); }

c10::DataPtr allocate(size_t bytes, c10::DeviceIndex device) {
  const c10::Device where(c10::DeviceType::PrivateUse1, device);
  if (bytes == 0) {
    device::bind(device);
    return {nullptr, where};
  }
  if (device < 0 || device >= device::kMaxDevices) [[unlikely]]
    device = device::resolve(device);
  Block* block = heap_of(device).allocate(bytes, stream::current_id(device));
  report(block, static_cast<int64_t>(block->size));
  return {block->address, block, &release, where};
}

void begin_pool(c10::DeviceIndex device, c10::StreamId stream, c10::StreamId key) {
  heap_of(device).begin_pool(stream, key);
}
void end_pool(c10::DeviceIndex device, c10::StreamId stream) { heap_of(device).end_pool(stream); }
void leave_pool(c10::DeviceIndex device, c10::StreamId key) { heap_of(device).leave_pool(key); }

void set_fraction(double fraction, c10::DeviceIndex device) { heap_of(device::resolve(device)).set_fraction(fraction); }

std::vector<c10::CachingDeviceAllocator::SegmentInfo> snapshot(c10::DeviceIndex device) {
  return heap_of(device::resolve(device)).snapshot();
}

}  // namespace torch_npu::memory
