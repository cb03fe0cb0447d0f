// Captured graphs: what a stream was asked to do between begin() and end(), to be run again and again on the same
// memory. That memory comes from a pool of its own, which nobody else uses while the graph is alive.
#pragma once

#include <cstdint>
#include <string>

#include <c10/core/Stream.h>

#include "acl/acl.h"
#include "torch_npu/csrc/device/device.h"

namespace torch_npu::graph {

// Is the thread's current stream of this device being captured? Starts nothing.
NPU_API bool is_capturing(c10::DeviceIndex device);

// Numbers from 1 on. Graphs that never run at the same time, and in the order of their captures, may share one.
NPU_API int64_t new_pool() noexcept;

class NPU_API Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  // On the current stream, which must not be the default one. pool 0: a new one.
  void begin(int64_t pool, aclmdlRICaptureMode mode);
  void end();
  void replay();  // on the current stream
  void reset();   // lets go of graph and pool
  void dump(const std::string& path) const;
  int64_t pool() const { return pool_; }

 private:
  void check_captured(const char* what) const;

  aclmdlRI captured_ = nullptr;
  int64_t pool_ = 0;
  bool holds_pool_ = false;
  bool capturing_ = false;
  c10::Stream stream_{c10::Stream::DEFAULT, c10::Device(c10::DeviceType::PrivateUse1, 0)};
};

}  // namespace torch_npu::graph
