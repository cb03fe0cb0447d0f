// Captured graphs (aclmdlRI*).
#include <cstring>
#include <fstream>
#include <iostream>

#include "acl/acl.h"
#include "cann/capi/acl/guarded.h"
#include "cann/runtime/recording.h"
#include "cann/runtime/runtime.h"
#include "cann/trace/trace.h"

using namespace cann;
using capi::guarded;
using capi::not_supported;

namespace {

// Behind an aclmdlRI. Replays that are under way keep the recording itself alive.
struct Graph {
  std::atomic<bool> live{false};
  std::shared_ptr<Recording> recording;
};

HandlePool<Graph>& graphs() {
  static HandlePool<Graph>* const pool = new HandlePool<Graph>;
  return *pool;
}

template <class F>
aclError with_graph(const char* name, aclmdlRI handle, F&& f) noexcept {
  return guarded(name, [&]() -> Status {
    Graph* graph = static_cast<Graph*>(handle);
    if (!graph || !graph->live.load(std::memory_order_acquire))
      return {error::kInvalidHandle, "the graph is null, or was destroyed"};
    return f(*graph);
  });
}

}  // namespace

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode) {
  return guarded("aclmdlRICaptureBegin", [&]() -> Status {
    ASSIGN_OR_RETURN(Stream * s, Runtime::get().stream(stream));
    RETURN_IF_ERROR(s->begin_capture());
    s->capture()->handle = graphs().take();
    return {};
  });
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI) {
  return guarded("aclmdlRICaptureGetInfo", [&]() -> Status {
    ASSIGN_OR_RETURN(Stream * s, Runtime::get().stream(stream));
    CANN_REQUIRE(status);
    std::shared_ptr<Recording> recording = s->capture();
    *status = recording ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (modelRI) *modelRI = recording ? recording->handle : nullptr;
    return {};
  });
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return guarded("aclmdlRICaptureEnd", [&]() -> Status {
    ASSIGN_OR_RETURN(Stream * s, Runtime::get().stream(stream));
    CANN_REQUIRE(modelRI);
    *modelRI = nullptr;
    ASSIGN_OR_RETURN(std::shared_ptr<Recording> recording, s->end_capture());
    for (Device* device : Runtime::get().devices())
      for (Stream* joined : device->streams()) joined->leave_capture(recording.get());
    Graph* graph = static_cast<Graph*>(recording->handle);
    graph->recording = std::move(recording);
    graph->live.store(true, std::memory_order_release);
    *modelRI = graph;
    return {};
  });
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  return guarded("aclmdlRICaptureThreadExchangeMode", [&]() -> Status {
    CANN_REQUIRE(mode);
    thread_local aclmdlRICaptureMode current = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    std::swap(*mode, current);
    return {};
  });
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream) { return not_supported("aclmdlRICaptureTaskGrpBegin"); }
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream, aclrtTaskGrp*) { return not_supported("aclmdlRICaptureTaskGrpEnd"); }
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream, aclrtTaskGrp) {
  return not_supported("aclmdlRICaptureTaskUpdateBegin");
}
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream) { return not_supported("aclmdlRICaptureTaskUpdateEnd"); }

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return with_graph("aclmdlRIExecuteAsync", modelRI, [&](Graph& graph) -> Status {
    ASSIGN_OR_RETURN(Stream * s, Runtime::get().stream(stream));
    trace::Call call("aclmdlRIExecuteAsync");
    return s->enqueue(replay(graph.recording));
  });
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
  return with_graph("aclmdlRIExecute", modelRI, [&](Graph& graph) -> Status {
    ASSIGN_OR_RETURN(Stream * s, Runtime::get().stream(nullptr));
    trace::Call call("aclmdlRIExecute");
    RETURN_IF_ERROR(s->enqueue(replay(graph.recording)));
    return s->synchronize(deadline_after_ms(timeout));
  });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return with_graph("aclmdlRIDestroy", modelRI, [&](Graph& graph) -> Status {
    graph.live.store(false, std::memory_order_release);
    graph.recording.reset();
    graphs().give(&graph);
    return {};
  });
}

aclError aclmdlRIAbort(aclmdlRI) { return not_supported("aclmdlRIAbort"); }

aclError aclmdlRISetName(aclmdlRI modelRI, const char* name) {
  return with_graph("aclmdlRISetName", modelRI, [&](Graph& graph) -> Status {
    CANN_REQUIRE(name);
    graph.recording->name = name;
    return {};
  });
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name) {
  return with_graph("aclmdlRIGetName", modelRI, [&](Graph& graph) -> Status {
    CANN_REQUIRE(name);
    const std::string& text = graph.recording->name;
    if (text.size() >= maxLen)
      return {error::kInvalidParam, "the name needs " + std::to_string(text.size() + 1) + " bytes"};
    std::memcpy(name, text.c_str(), text.size() + 1);
    return {};
  });
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
  return with_graph("aclmdlRIDebugPrint", modelRI, [&](Graph& graph) -> Status {
    std::cerr << graph.recording->describe();
    return {};
  });
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t) {
  return with_graph("aclmdlRIDebugJsonPrint", modelRI, [&](Graph& graph) -> Status {
    CANN_REQUIRE(path);
    std::ofstream file(path);
    file << "[\n";
    const auto names = graph.recording->names();
    for (size_t i = 0; i < names.size(); ++i)
      file << "  {\"task\": " << i << ", \"name\": \"" << names[i] << (i + 1 < names.size() ? "\"},\n" : "\"}\n");
    file << "]\n";
    if (!file.flush()) return {error::kInvalidFile, std::string("cannot write '") + path + "'"};
    return {};
  });
}

// Dumping tensors is a real device's business; switching it off and on does no harm.
aclError aclmdlInitDump() { return ACL_SUCCESS; }
aclError aclmdlSetDump(const char*) { return not_supported("aclmdlSetDump"); }
aclError aclmdlFinalizeDump() { return ACL_SUCCESS; }
