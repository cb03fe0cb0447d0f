// What ran on the devices while a profile was taken, from CANN: started by aclprof*, read by aclEmbeddedReadTrace. A
// real CANN keeps its trace in files of its own and gives none. Knows nothing of PyTorch's profiler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace torch_npu::profiler {

enum class Kind { Kernel, Copy, Fill };

// Times are nanoseconds since 1970.
struct DeviceEvent {
  Kind kind;
  std::string name;
  std::string api;  // the call that launched it
  int device;
  uint32_t stream;
  int64_t start_ns, end_ns;
  int32_t launch_thread;  // 0 if it was launched before the trace began
  int64_t launch_begin_ns, launch_end_ns;
};

class DeviceTrace {
 public:
  void start();
  void stop();
  ~DeviceTrace();

  const std::vector<DeviceEvent>& events() const { return events_; }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void read();

  aclprofConfig* config_ = nullptr;
  int64_t started_ns_ = 0;
  std::vector<DeviceEvent> events_;
  std::vector<std::string> problems_;
};

}  // namespace torch_npu::profiler
