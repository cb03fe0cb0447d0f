// A device: its memory, its streams, its contexts.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "cann/runtime/clock.h"
#include "cann/runtime/memory.h"
#include "cann/runtime/stream.h"

namespace cann {

class Device;

// What a thread sets to work on a device: the device, and a default stream of its own.
struct Context {
  std::atomic<bool> live{false};
  Device* device = nullptr;
  std::atomic<Stream*> default_stream{nullptr};  // made at first use
};

class Device {
 public:
  Device(int id, int physical_id, int64_t memory_bytes, bool guard)
      : memory(id, memory_bytes, guard), id_(id), physical_id_(physical_id) {
    primary.device = this;
    primary.live = true;
  }

  int id() const { return id_; }
  int physical_id() const { return physical_id_; }

  void add(Stream* stream);
  void remove(Stream* stream);
  std::vector<Stream*> streams() const;

  // Waits for all streams. The first failure of any is raised, the device works afterwards.
  Status synchronize(Deadline deadline);
  // The same, without raising anything: before memory is given back.
  Status drain();

  DeviceMemory memory;
  Context primary;            // the context that aclrtSetDevice sets
  std::atomic<int> users{0};  // aclrtSetDevice less aclrtResetDevice

 private:
  const int id_, physical_id_;
  mutable std::mutex mutex_;
  std::vector<Stream*> streams_;
};

}  // namespace cann
