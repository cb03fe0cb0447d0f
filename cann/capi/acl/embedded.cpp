// The embedded CANN about itself.
#include "acl/acl_embedded.h"

#include <string>

#include "cann/base/isa.h"
#include "cann/runtime/runtime.h"
#include "cann/trace/trace.h"

using namespace cann;

const char* aclEmbeddedDescribe() {
  static const std::string text = [] {
    Runtime& runtime = Runtime::get();
    if (!runtime.options_status().ok()) return std::string();  // aclInit tells what is wrong with them
    const Options& options = runtime.options();
    Result<IsaLevel> isa = choose_isa_level(options.isa);
    return std::string("isa=") + name_of(isa.ok() ? *isa : highest_isa_level()) +
           "\nthreads=" + std::to_string(runtime.team().threads()) + "\nguard=" + (options.guard ? "1" : "0") + "\n";
  }();
  return text.c_str();
}

uint64_t aclEmbeddedReadTrace(void (*visit)(const aclEmbeddedTraceRecord* record, void* user), void* user) {
  if (visit == nullptr) return 0;
  for (const trace::Record& r : trace::records()) {
    const aclEmbeddedTraceRecord record{r.name,   r.launch.api,    r.device,          r.stream,       r.start_ns,
                                        r.end_ns, r.launch.thread, r.launch.begin_ns, r.launch.end_ns};
    visit(&record, user);
  }
  return trace::lost();
}
