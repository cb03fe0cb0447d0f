// See the header. The order in end(): the stream leaves the pool even where CANN finds fault with the capture.
#include "torch_npu/csrc/device/graph.h"

#include <atomic>

#include <c10/util/Exception.h>

#include "torch_npu/csrc/device/allocator.h"
#include "torch_npu/csrc/device/stream.h"
#include "torch_npu/csrc/loader/acl.h"

namespace torch_npu::graph {
namespace {

std::atomic<int64_t> pools{0};

// The allocator knows streams by ids from 0 on, and graph pools by what is below.
c10::StreamId key_of(int64_t pool) { return -pool; }

}  // namespace

bool is_capturing(c10::DeviceIndex device) {
  if (!device::started()) return false;
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  const auto ask = acl::capture_info.try_get();
  if (ask == nullptr) return false;  // a CANN without captures
  acl::check(ask(stream::current_handle(device), &status, nullptr), "aclmdlRICaptureGetInfo");
  return status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
}

int64_t new_pool() noexcept { return pools.fetch_add(1, std::memory_order_relaxed) + 1; }

Graph::~Graph() {
  try {
    reset();
  } catch (const c10::Error& error) {
    TORCH_WARN("NPUGraph: ", error.what_without_backtrace());
  }
}

void Graph::begin(int64_t pool, aclmdlRICaptureMode mode) {
  TORCH_CHECK(captured_ == nullptr && !capturing_,
              "NPUGraph.capture_begin: this graph holds a capture already; reset() drops it");
  stream_ = stream::current(device::current());
  TORCH_CHECK(stream_.id() != 0,
              "NPUGraph.capture_begin: the default stream cannot be captured; use torch.npu.graph, "
              "or make another stream current");
  pool_ = pool != 0 ? pool : new_pool();
  acl::check(acl::capture_begin(stream::handle(stream_), mode), "aclmdlRICaptureBegin");
  memory::begin_pool(stream_.device_index(), stream_.id(), key_of(pool_));
  capturing_ = holds_pool_ = true;
}

void Graph::end() {
  TORCH_CHECK(capturing_, "NPUGraph.capture_end: nothing is being captured into this graph");
  capturing_ = false;
  memory::end_pool(stream_.device_index(), stream_.id());
  acl::check(acl::capture_end(stream::handle(stream_), &captured_), "aclmdlRICaptureEnd");
}

void Graph::replay() {
  check_captured("replay");
  acl::check(acl::execute_graph(captured_, stream::current_handle(stream_.device_index())), "aclmdlRIExecuteAsync");
}

void Graph::reset() {
  if (device::in_bad_fork()) return;
  if (capturing_) end();
  if (holds_pool_) memory::leave_pool(stream_.device_index(), key_of(pool_));
  holds_pool_ = false;
  if (captured_ == nullptr) return;
  // A replay that is under way keeps what it runs; the memory is given away only after the device was waited for.
  acl::check(acl::destroy_graph(captured_), "aclmdlRIDestroy");
  captured_ = nullptr;
}

void Graph::dump(const std::string& path) const {
  check_captured("debug_dump");
  acl::check(acl::print_graph(captured_, path.c_str(), 0), "aclmdlRIDebugJsonPrint");
}

void Graph::check_captured(const char* what) const {
  TORCH_CHECK(captured_ != nullptr, "NPUGraph.", what, ": nothing was captured yet");
}

}  // namespace torch_npu::graph
