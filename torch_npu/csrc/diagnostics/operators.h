// What each thread is computing while tracing is on: the operator that Python called, its line, and for a backward pass
// the line of the forward call. Learnt through PyTorch's RecordFunction, which costs nothing while tracing is off.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include <ATen/core/Tensor.h>

#include "torch_npu/csrc/diagnostics/events.h"
#include "torch_npu/csrc/diagnostics/places.h"

namespace torch_npu::events {

// Counts its users: on with the first, off with the last.
NPU_API void start_tracing();
NPU_API void stop_tracing();

namespace operators {

std::string_view current_name();  // the outermost operator of this thread ("aten::linear"), or autograd's node; or ""
Place place();                    // where the thread is now
uint64_t work_done();             // grows with every operator that the device was given
// Whether this is the kind's first event in the operator that this thread's Python called; true outside of any.
bool is_first_in_call(Kind kind);

}  // namespace operators

// Asked of every tensor that becomes a descriptor; one load and a shift.
namespace detail {
extern std::atomic<uint64_t> remarkable_dtypes;  // a bit a ScalarType; all of them while tracing
extern std::atomic<bool> counted_operands;       // some thread ever met float64 or complex operands
void end_counted_call();
}  // namespace detail
inline bool is_remarkable(at::ScalarType dtype) {
  return (detail::remarkable_dtypes.load(std::memory_order_relaxed) >> static_cast<int>(dtype) & 1) != 0;
}
// What a remarkable operand is to the events: work for the device, float64, complex numbers.
void note_operand(at::ScalarType dtype);
// Ends the call that those tensors belonged to: its float64 operands are one event.
inline void operands_done() {
  if (detail::counted_operands.load(std::memory_order_relaxed)) [[unlikely]]
    detail::end_counted_call();
}

}  // namespace torch_npu::events
