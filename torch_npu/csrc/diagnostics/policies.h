// What is to happen when an event happens: nothing, counting, a warning once a line, an error.
#pragma once

#include "torch_npu/csrc/diagnostics/events.h"

namespace torch_npu::policies {

enum class Policy : uint8_t { Ignore, Count, Warn, Error };

NPU_API Policy of(events::Kind kind);
// Warnings and errors name the line, so they turn tracing on, for as long as one of the kinds has one.
NPU_API void set(events::Kind kind, Policy policy);

// Warns or throws where the kind's policy says so.
void apply(events::Kind kind, std::string_view what, events::Place place, const events::Detail& detail);

// True the first time that it is asked about these two since the process began.
bool first_time(std::string_view subject, events::Place place);

}  // namespace torch_npu::policies
