// Operands for a kernel that wants dense tensors. What is dense already is used where it lies; anything else is
// gathered into the workspace before the kernel runs and, if it is a result, scattered back after. Needs a Team only
// when it runs.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cann/base/task.h"
#include "cann/base/tensor_view.h"

namespace cann::ops {

// Where an operand will be when the task runs: at its own address, or in the workspace.
class Slot {
 public:
  Slot() = default;
  explicit operator bool() const { return data_ != nullptr || offset_ >= 0; }
  template <class T = void>
  T* in(const TaskContext& context) const {
    return static_cast<T*>(offset_ < 0 ? data_ : static_cast<char*>(context.workspace) + offset_);
  }

 private:
  friend class Staging;
  void* data_ = nullptr;
  int64_t offset_ = -1;
};

class Staging {
 public:
  // Dense, row-major, in its own type or in `as`.
  Slot input(const TensorView& t, DType as = DType::Undefined);
  Slot input(const TensorView* t, DType as = DType::Undefined) { return t ? input(*t, as) : Slot(); }
  Slot output(const TensorView& t, DType as = DType::Undefined);
  Slot output(const TensorView* t, DType as = DType::Undefined) { return t ? output(*t, as) : Slot(); }
  // Both read and written.
  Slot update(const TensorView& t, DType as = DType::Undefined);
  Slot update(const TensorView* t, DType as = DType::Undefined) { return t ? update(*t, as) : Slot(); }
  Slot scratch(size_t bytes);

  // The work: gathers, body(TaskContext&) -> void or Status, scatters. us: the body's estimated time on one core.
  template <class Body>
  Launch launch(const char* name, double us, Body body) && {
    if (!copies_) return {Task(name, static_cast<float>(us), std::move(body)), bytes_};
    us += static_cast<double>(copied_bytes_) / 4e3;
    return {Task(name, static_cast<float>(us),
                 [copies = std::move(copies_), body = std::move(body)](TaskContext& context) mutable -> Status {
                   RETURN_IF_ERROR(gather(*copies, context));
                   if constexpr (std::is_void_v<decltype(body(context))>)
                     body(context);
                   else
                     RETURN_IF_ERROR(body(context));
                   return scatter(*copies, context);
                 }),
            bytes_};
  }

 private:
  struct Copy {
    TensorView strided;
    DType as;
    bool before, after;
    int64_t offset;
  };
  using Copies = std::vector<Copy>;
  Slot stage(const TensorView& t, DType as, bool before, bool after);
  static TensorView dense_view(const Copy&, const TaskContext&);
  static Status gather(const Copies&, TaskContext&);
  static Status scatter(const Copies&, TaskContext&);

  std::unique_ptr<Copies> copies_;
  size_t bytes_ = 0, copied_bytes_ = 0;
};

}  // namespace cann::ops
