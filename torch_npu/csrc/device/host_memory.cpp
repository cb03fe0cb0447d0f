// torch's caching host allocator over aclrtMallocHost. `is_pinned` keeps its own ordered list of what is allocated,
// since an address inside a block counts too.
#include "torch_npu/csrc/device/host_memory.h"

#include <map>
#include <mutex>

#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/event.h"
#include "torch_npu/csrc/device/stream.h"

namespace torch_npu::host_memory {
namespace {

class PinnedRanges {
 public:
  void add(const void* address, size_t bytes) {
    std::lock_guard lock(mutex_);
    ranges_[static_cast<const char*>(address)] = bytes;
  }
  void remove(const void* address) {
    std::lock_guard lock(mutex_);
    ranges_.erase(static_cast<const char*>(address));
  }
  bool contains(const void* address) const {
    const auto* byte = static_cast<const char*>(address);
    std::lock_guard lock(mutex_);
    auto next = ranges_.upper_bound(byte);
    if (next == ranges_.begin()) return false;
    --next;
    return byte < next->first + next->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const char*, size_t> ranges_;
};

PinnedRanges& pinned_ranges() {
  static auto& ranges = *new PinnedRanges();
  return ranges;
}

using Block = at::HostBlock<c10::Stream>;
using SharedEvent = std::shared_ptr<event::Event>;  // torch's list of events asks for copies

struct Impl final : at::CachingHostAllocatorImpl<c10::Stream, SharedEvent, Block> {
 private:
  void allocate_host_memory(size_t size, void** address) override {
    device::bind(device::current());
    acl::check(acl::malloc_host(address, size), "aclrtMallocHost");
    pinned_ranges().add(*address, size);
  }
  void free_block(Block* block) override {
    pinned_ranges().remove(block->ptr_);
    if (!device::in_bad_fork()) acl::free_host(block->ptr_);
  }
  void record_stream(std::optional<std::vector<SharedEvent>>& events, c10::Stream stream) override {
    auto event = std::make_shared<event::Event>();
    event->record(stream::handle(stream));
    events->push_back(std::move(event));
  }
  bool query_event(SharedEvent& event) override { return event->done(); }
  c10::Stream get_current_stream() const override { return stream::current(-1); }
  bool stream_is_capturing(c10::Stream) const override { return false; }
};

void release(void* context);

struct Allocator final : at::CachingHostAllocatorInterface<Impl, release> {};

Allocator& instance() {
  static auto& allocator = *new Allocator();  // never destroyed: tensors may outlive static objects
  return allocator;
}

void release(void* context) { instance().free(context); }

REGISTER_HOST_ALLOCATOR(at::DeviceType::PrivateUse1, &instance())

}  // namespace

at::HostAllocator* allocator() { return &instance(); }

bool is_pinned(const void* address) { return device::started() && pinned_ranges().contains(address); }

bool record(const c10::DataPtr& data, const c10::Stream& stream) {
  return instance().record_event(data.get(), data.get_context(), stream);
}

}  // namespace torch_npu::host_memory
