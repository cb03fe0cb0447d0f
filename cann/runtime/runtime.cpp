#include "cann/runtime/runtime.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "cann/runtime/error.h"
#include "cann/trace/trace.h"

namespace cann {
namespace {

thread_local Context* t_current = nullptr;  // AscendCL's "current context of the calling thread"

std::string valid_devices(int count) {
  return count == 0 ? "there is none (ASCEND_RT_VISIBLE_DEVICES hides them)"
                    : "valid are 0 to " + std::to_string(count - 1);
}

void at_exit() {
  Runtime& runtime = Runtime::get();
  if (Runtime::forked()) return;
  runtime.shut_down();
  if (trace::enabled.load() && !runtime.options().trace.empty()) {
    trace::stop();
    std::ofstream(runtime.options().trace + "/trace_view.json") << trace::to_chrome_json(trace::records());
  }
}

}  // namespace

std::atomic<bool> Runtime::forked_{false};

Runtime& Runtime::get() {
  static Runtime* const runtime = new Runtime(read_options(process_environment()));
  return *runtime;
}

Runtime::Runtime(Result<Options> options) {
  if (options.ok())
    options_ = std::move(*options);
  else
    options_status_ = std::move(options.status());
  team_ = std::make_unique<ArenaTeam>(std::max(options_.threads, 1));
  if (!options_status_.ok()) return;  // no devices, and every call says why
  for (size_t i = 0; i < options_.visible.size(); ++i)
    devices_.push_back(
        std::make_unique<Device>(static_cast<int>(i), options_.visible[i], options_.memory_bytes, options_.guard));
  if (!options_.trace.empty()) trace::start();
}

Status Runtime::fork_error(const char* what) {
  return {error::kInternal, std::string(what) +
                                ": this process was forked from one that had used an NPU, whose threads it does "
                                "not have; start it with the 'spawn' method instead"};
}

Status Runtime::usable(const char* what) const {
  if (!options_status_.ok()) return {options_status_.code(), options_status_.message()};
  if (forked()) return fork_error(what);
  return {};
}

// From the first use of a device on. A child then has memory and handles, but neither workers nor a Team.
void Runtime::watch_process() {
  static const bool watching = [] {
    pthread_atfork(nullptr, nullptr, [] { forked_.store(true, std::memory_order_relaxed); });
    std::atexit(at_exit);
    return true;
  }();
  (void)watching;
}

Result<Device*> Runtime::device(int id) {
  RETURN_IF_ERROR(usable("set device"));
  if (id < 0 || id >= device_count())
    return Status{error::kInvalidDevice,
                  "device " + std::to_string(id) + " does not exist: " + valid_devices(device_count())};
  return devices_[static_cast<size_t>(id)].get();
}

std::vector<Device*> Runtime::devices() const {
  std::vector<Device*> all;
  for (const auto& device : devices_) all.push_back(device.get());
  return all;
}

Device* Runtime::owner(const void* address) {
  for (auto& device : devices_)
    if (device->memory.owns(address)) return device.get();
  return nullptr;
}

// ---- contexts --------------------------------------------------------------------------------------------

Status Runtime::set_device(int id) {
  ASSIGN_OR_RETURN(Device * device, this->device(id));
  watch_process();
  device->users.fetch_add(1, std::memory_order_relaxed);
  t_current = &device->primary;
  return {};
}

Status Runtime::reset_device(int id, bool force) {
  if (forked()) return {};
  ASSIGN_OR_RETURN(Device * device, this->device(id));
  if (device->users.load() == 0)
    return {error::kInvalidDevice, "reset device " + std::to_string(id) + ": it was not set"};
  const int left = force ? (device->users.store(0), 0) : device->users.fetch_sub(1) - 1;
  if (left > 0) return {};
  RETURN_IF_ERROR(device->drain());
  if (t_current == &device->primary) t_current = nullptr;
  return {};
}

Result<Context*> Runtime::create_context(int id) {
  ASSIGN_OR_RETURN(Device * device, this->device(id));
  watch_process();
  Context* context = contexts_.take();
  context->device = device;
  context->default_stream = nullptr;
  context->live.store(true, std::memory_order_release);
  t_current = context;
  return context;
}

Status Runtime::destroy_context(Context* context) {
  if (!context || !context->live.load(std::memory_order_acquire))
    return {error::kInvalidHandle, "destroy context: null, or destroyed already"};
  if (context == &context->device->primary)
    return {error::kInvalidHandle, "destroy context: it is the device's own; aclrtResetDevice ends its use"};
  if (Stream* stream = context->default_stream.exchange(nullptr)) RETURN_IF_ERROR(destroy_stream(stream));
  context->live.store(false, std::memory_order_release);
  if (t_current == context) t_current = nullptr;
  contexts_.give(context);
  return {};
}

Status Runtime::set_current(Context* context) {
  if (!context || !context->live.load(std::memory_order_acquire))
    return {error::kContextNull, "set current context: null, or destroyed already"};
  t_current = context;
  return {};
}

Context* Runtime::current() const { return t_current; }

Result<Device*> Runtime::current_device() {
  RETURN_IF_ERROR(usable("use the current device"));
  if (!t_current) return Status{error::kContextNull, "this thread has set no device: call aclrtSetDevice first"};
  return t_current->device;
}

// ---- streams and events ----------------------------------------------------------------------------------

Stream* Runtime::open_stream(Device& device) {
  Stream* stream = streams_.take();
  stream->open(*team_, device.id(), next_stream_id_.fetch_add(1), options_.launch_blocking);
  device.add(stream);
  return stream;
}

Result<Stream*> Runtime::create_stream() {
  ASSIGN_OR_RETURN(Device * device, current_device());
  return open_stream(*device);
}

Status Runtime::destroy_stream(Stream* stream) {
  if (forked()) return {};
  if (!stream || !stream->live.load(std::memory_order_acquire))
    return {error::kInvalidHandle, "destroy stream: null, or destroyed already"};
  stream->close();
  devices_[static_cast<size_t>(stream->device())]->remove(stream);
  streams_.give(stream);
  return {};
}

Result<Stream*> Runtime::default_stream(Context& context) {
  if (Stream* stream = context.default_stream.load(std::memory_order_acquire)) return stream;
  std::lock_guard lock(mutex_);
  if (!context.default_stream.load(std::memory_order_relaxed))
    context.default_stream.store(open_stream(*context.device), std::memory_order_release);
  return context.default_stream.load(std::memory_order_relaxed);
}

Result<Stream*> Runtime::stream(void* handle) {
  if (forked()) [[unlikely]]
    return fork_error("use a stream");
  if (!handle) {
    if (!t_current)
      return Status{error::kContextNull, "a null stream is the current context's, but this thread has set no device"};
    return default_stream(*t_current);
  }
  Stream* stream = static_cast<Stream*>(handle);
  if (!stream->live.load(std::memory_order_acquire)) [[unlikely]]
    return Status{error::kInvalidHandle, "use a stream: it was destroyed"};
  return stream;
}

Result<Event*> Runtime::create_event() {
  RETURN_IF_ERROR(usable("create event"));
  Event* event = events_.take();
  event->reset();
  event->id = next_event_id_.fetch_add(1);
  event->live.store(true, std::memory_order_release);
  return event;
}

Status Runtime::destroy_event(Event* event) {
  if (forked()) return {};
  if (!event || !event->live.exchange(false))
    return {error::kInvalidHandle, "destroy event: null, or destroyed already"};
  event->reset();
  events_.give(event);
  return {};
}

Result<Event*> Runtime::event(void* handle) {
  if (forked()) return fork_error("use an event");
  Event* event = static_cast<Event*>(handle);
  if (!event || !event->live.load(std::memory_order_acquire))
    return Status{error::kInvalidHandle, "use an event: null, or destroyed"};
  return event;
}

void Runtime::shut_down_at_exit() { std::atexit(at_exit); }

void Runtime::shut_down() {
  streams_.for_each([](Stream& stream) {
    if (stream.live.load(std::memory_order_acquire)) stream.close();
  });
}

}  // namespace cann
