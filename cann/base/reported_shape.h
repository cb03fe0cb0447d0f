// An output whose real size only the finished work knows (nonzero, unique): the caller's descriptor and the task share
// one of these, because either may go first.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace cann {

class ReportedShape {
 public:
  // Counts its owners: the descriptor, and every copy that a task holds.
  class Handle {
   public:
    Handle() = default;
    explicit Handle(ReportedShape* shape) : shape_(shape) {
      if (shape_) shape_->owners_.fetch_add(1, std::memory_order_relaxed);
    }
    Handle(const Handle& other) : Handle(other.shape_) {}
    Handle(Handle&& other) noexcept : shape_(std::exchange(other.shape_, nullptr)) {}
    Handle& operator=(Handle other) noexcept {
      std::swap(shape_, other.shape_);
      return *this;
    }
    ~Handle() {
      if (shape_ && shape_->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shape_;
    }
    ReportedShape* get() const { return shape_; }
    // Called by the task when it knows: the size of dimension `dim`.
    void report(int dim, int64_t size) const {
      if (shape_ == nullptr) return;
      shape_->dim_ = dim;
      shape_->size_.store(size, std::memory_order_release);
    }

   private:
    ReportedShape* shape_ = nullptr;
  };

  // -1 until the task has reported.
  int64_t size() const { return size_.load(std::memory_order_acquire); }
  int dim() const { return dim_; }

 private:
  std::atomic<int> owners_{0};
  std::atomic<int64_t> size_{-1};
  int dim_ = 0;
};

}  // namespace cann
