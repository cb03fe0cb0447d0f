// The process's one runtime: options, devices, handles. Made at the first call, never destroyed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "cann/base/options.h"
#include "cann/runtime/arena_team.h"
#include "cann/runtime/device.h"
#include "cann/runtime/event.h"
#include "cann/runtime/handle_pool.h"
#include "cann/runtime/host_memory.h"

namespace cann {

class Runtime {
 public:
  explicit Runtime(Result<Options> options);

  static Runtime& get();

  const Status& options_status() const { return options_status_; }
  const Options& options() const { return options_; }
  ArenaTeam& team() { return *team_; }

  int device_count() const { return static_cast<int>(devices_.size()); }
  Result<Device*> device(int id);      // by the number that the program sees
  Device* owner(const void* address);  // whose memory it is, or null
  std::vector<Device*> devices() const;

  Status set_device(int id);
  Status reset_device(int id, bool force);
  Result<Context*> create_context(int device);
  Status destroy_context(Context* context);
  Status set_current(Context* context);
  Context* current() const;  // of this thread, or null
  Result<Device*> current_device();

  Result<Stream*> create_stream();  // on the current device
  Status destroy_stream(Stream* stream);
  Result<Stream*> stream(void* handle);  // null: the current context's default stream

  Result<Event*> create_event();
  Status destroy_event(Event* event);
  Result<Event*> event(void* handle);

  // Waits for everything and ends the workers. For the end of the process: exit handlers run in reverse order, so who
  // has statics that Tasks use asks for one more after having made them.
  void shut_down();
  static void shut_down_at_exit();

  // True in a child of a fork that came after the first use of a device: its threads are gone, it can only let go.
  static bool forked() { return forked_.load(std::memory_order_relaxed); }
  static Status fork_error(const char* what);

  HostMemory host_memory;
  std::atomic<int> initializations{0};

 private:
  Status usable(const char* what) const;
  Stream* open_stream(Device& device);
  Result<Stream*> default_stream(Context& context);
  static void watch_process();

  static std::atomic<bool> forked_;
  Options options_;
  Status options_status_;
  std::unique_ptr<ArenaTeam> team_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::mutex mutex_;  // guards the making of default streams
  HandlePool<Stream> streams_;
  HandlePool<Event> events_;
  HandlePool<Context> contexts_;
  std::atomic<uint32_t> next_stream_id_{0}, next_event_id_{0};
};

}  // namespace cann
