// Objects behind C handles. Their memory is reused but never given back, so a stale handle is found out by its mark
// instead of being followed into foreign memory.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace cann {

// T has a public member `std::atomic<bool> live`, and is default constructible.
template <class T>
class HandlePool {
 public:
  T* take() {
    std::lock_guard lock(mutex_);
    if (free_.empty()) {
      all_.push_back(std::make_unique<T>());
      free_.reserve(all_.size());  // so that give() cannot fail
      free_.push_back(all_.back().get());
    }
    T* object = free_.back();
    free_.pop_back();
    return object;
  }

  void give(T* object) noexcept {
    std::lock_guard lock(mutex_);
    free_.push_back(object);
  }

  template <class F>
  void for_each(F&& f) {
    std::vector<T*> objects;
    {
      std::lock_guard lock(mutex_);
      for (auto& object : all_) objects.push_back(object.get());
    }
    for (T* object : objects) f(*object);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> all_;
  std::vector<T*> free_;
};

}  // namespace cann
