// A piece of device work: a small closure with a name and an estimated time, kept in place (no heap for the usual
// size). The runtime runs it on a stream; the graph engine records it. Nobody but its maker knows what is inside.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "cann/base/status.h"
#include "cann/base/team.h"

namespace cann {

struct TaskContext {
  Team& team;
  void* workspace;  // as many bytes as the operator asked for; null if none
};

class Task {
 public:
  static constexpr size_t kInlineBytes = 472;

  Task() {}  // not defaulted: `Task()` would then fill the storage with zeros first

  // body(TaskContext&) gives void or a Status. `name` must outlive the task (a literal).
  template <class F>
  Task(const char* name, float estimated_us, F&& body) : name_(name), estimated_us_(estimated_us) {
    using Body = std::decay_t<F>;
    if constexpr (sizeof(Body) <= kInlineBytes && alignof(Body) <= 16 && std::is_nothrow_move_constructible_v<Body>) {
      new (storage_) Body(std::forward<F>(body));
      operations_ = &kOperations<Body, true>;
    } else {
      new (storage_) Body*(new Body(std::forward<F>(body)));
      operations_ = &kOperations<Body, false>;
    }
  }

  Task(Task&& other) noexcept { take(other); }
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~Task() { reset(); }

  explicit operator bool() const { return operations_ != nullptr; }
  const char* name() const { return name_; }
  float estimated_us() const { return estimated_us_; }

  // May run more than once: a captured task is replayed.
  Status operator()(TaskContext& context) { return operations_->run(storage_, context); }

  // Where an operator keeps a workspace for its own replay, or null.
  void* workspace = nullptr;

 private:
  struct Operations {
    Status (*run)(void* storage, TaskContext&);
    void (*move)(void* to, void* from);  // null: copying so many bytes does it
    void (*destroy)(void* storage);      // null: there is nothing to do
    size_t bytes;
  };

  template <class Body, bool kInPlace>
  static Body& body_in(void* storage) {
    if constexpr (kInPlace)
      return *std::launder(static_cast<Body*>(storage));
    else
      return **std::launder(static_cast<Body**>(storage));
  }

  template <class Body, bool kInPlace>
  static constexpr bool kPlainBytes = kInPlace && std::is_trivially_copyable_v<Body>;

  template <class Body, bool kInPlace>
  static Status run_body(void* storage, TaskContext& context) {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, TaskContext&>>) {
      body_in<Body, kInPlace>(storage)(context);
      return {};
    } else {
      return body_in<Body, kInPlace>(storage)(context);
    }
  }
  template <class Body, bool kInPlace>
  static void move_body(void* to, void* from) {
    if constexpr (kInPlace) {
      new (to) Body(std::move(body_in<Body, true>(from)));
      body_in<Body, true>(from).~Body();
    } else {
      new (to) Body*(&body_in<Body, false>(from));
    }
  }
  template <class Body, bool kInPlace>
  static void destroy_body(void* storage) {
    if constexpr (kInPlace)
      body_in<Body, true>(storage).~Body();
    else
      delete &body_in<Body, false>(storage);
  }

  template <class Body, bool kInPlace>
  static constexpr Operations kOperations{
      run_body<Body, kInPlace>,
      kPlainBytes<Body, kInPlace> ? nullptr : move_body<Body, kInPlace>,
      kPlainBytes<Body, kInPlace> ? nullptr : destroy_body<Body, kInPlace>,
      sizeof(Body),
  };

  void reset() {
    if (operations_ && operations_->destroy) operations_->destroy(storage_);
    operations_ = nullptr;
  }
  void take(Task& other) {
    name_ = other.name_;
    estimated_us_ = other.estimated_us_;
    workspace = other.workspace;
    operations_ = std::exchange(other.operations_, nullptr);
    if (!operations_) return;
    if (operations_->move)
      operations_->move(storage_, other.storage_);
    else
      std::memcpy(storage_, other.storage_, operations_->bytes);
  }

  const Operations* operations_ = nullptr;
  const char* name_ = "";
  float estimated_us_ = 0;
  alignas(16) std::byte storage_[kInlineBytes];
};

// What an operator answers to a call: the work, and the device memory it needs meanwhile.
struct Launch {
  Task task;
  size_t workspace_bytes = 0;
};

}  // namespace cann
