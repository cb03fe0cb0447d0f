// A free list for each thread: descriptors and executors live for one call, and malloc would cost more than filling
// them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace cann::capi {

// Objects are kept constructed (vectors keep their capacity); a thread keeps at most kKept of a kind. An object may be
// given back on another thread than the one that took it.
template <class T>
class Pool {
 public:
  static T* take() {
    Shelf& shelf = this_thread();
    if (shelf.count > 0) return shelf.items[--shelf.count];
    return new T();
  }
  static void give(T* item) {
    Shelf& shelf = this_thread();
    if (shelf.count < kKept)
      shelf.items[shelf.count++] = item;
    else
      delete item;
  }

 private:
  static constexpr size_t kKept = 64;
  struct Shelf {
    T* items[kKept];
    size_t count = 0;
    ~Shelf() {
      while (count > 0) delete items[--count];
      count = kKept;  // what other thread-local destructors give back later is deleted at once
    }
  };
  static Shelf& this_thread() {
    static thread_local Shelf shelf;
    return shelf;
  }
};

}  // namespace cann::capi
