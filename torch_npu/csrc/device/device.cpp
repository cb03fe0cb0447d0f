// Lazy start and the current device of each thread.
#include "torch_npu/csrc/device/device.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include <c10/util/Exception.h>

#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu::device {

namespace detail {
thread_local int bound_device = -1;
}

namespace {

std::atomic<bool> is_started{false};
std::atomic<bool> forked_after_start{false};
std::mutex start_mutex;
thread_local c10::DeviceIndex current_device = 0;

// The child has one thread: the one that forked. Forgetting what it was bound to sends every later use to bind_slow.
void after_fork_in_child() {
  if (!is_started.load(std::memory_order_relaxed)) return;
  forked_after_start.store(true, std::memory_order_relaxed);
  detail::bound_device = -1;
}

void check_not_forked() {
  TORCH_CHECK(
      !in_bad_fork(),
      "Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocessing, you must use the 'spawn' "
      "start method");
}

void check_index(c10::DeviceIndex index) {
  const auto devices = count();
  if (devices == 0) start();  // throws with CANN's reason: a malformed option, a missing library
  TORCH_CHECK(
      index >= 0 && index < devices, "Invalid device id: npu:", static_cast<int>(index), ", but ",
      devices == 0 ? std::string("no NPU was found")
                   : "there " + std::string(devices == 1 ? "is 1 NPU, npu:0"
                                                         : "are " + std::to_string(devices) +
                                                               " NPUs, npu:0 to npu:" + std::to_string(devices - 1)),
      ". ASCEND_RT_VISIBLE_DEVICES chooses which are visible, NPU_EMBEDDED_DEVICES how many an embedded CANN has.");
}

}  // namespace

void start() {
  check_not_forked();
  if (is_started.load(std::memory_order_acquire)) return;
  std::lock_guard lock(start_mutex);
  if (is_started.load(std::memory_order_relaxed)) return;
  cann_location();  // says clearly what is missing
  const aclError error = acl::init(nullptr);
  // Another component of the process may have initialised CANN already.
  if (error != ACL_ERROR_REPEAT_INITIALIZE) acl::check(error, "aclInit");
  TORCH_CHECK(count() > 0, "No NPU was found. Check ASCEND_RT_VISIBLE_DEVICES and the driver.");
  pthread_atfork(nullptr, nullptr, &after_fork_in_child);
  is_started.store(true, std::memory_order_release);
}

bool started() noexcept { return is_started.load(std::memory_order_acquire); }

bool in_bad_fork() noexcept { return forked_after_start.load(std::memory_order_relaxed); }

c10::DeviceIndex count() noexcept {
  static const c10::DeviceIndex devices = [] {
    uint32_t found = 0;
    const auto query = acl::device_count.try_get();
    if (query == nullptr || query(&found) != ACL_SUCCESS) return 0;
    return static_cast<int>(std::min<uint32_t>(found, kMaxDevices));
  }();
  return devices;
}

c10::DeviceIndex current() noexcept { return current_device; }

void set_current(c10::DeviceIndex index) {
  if (index != current_device || index >= count()) check_index(index);
  current_device = index;
}

void use(c10::DeviceIndex index) {
  bind(resolve(index));
  set_current(index);
}

void set_current_unchecked(c10::DeviceIndex index) noexcept {
  if (index >= 0) current_device = index;
}

c10::DeviceIndex resolve(c10::DeviceIndex index) {
  if (index < 0) return current_device;
  if (index >= count()) check_index(index);
  return index;
}

void synchronize(c10::DeviceIndex index) {
  bind(resolve(index));
  acl::check(acl::synchronize_device(), "aclrtSynchronizeDevice");
}

namespace detail {

void bind_slow(c10::DeviceIndex index) {
  start();
  check_index(index);
  acl::check(acl::set_device(index), "aclrtSetDevice");
  bound_device = index;
}

}  // namespace detail
}  // namespace torch_npu::device
