// A free list for each thread: descriptors and executors live for one call, and malloc would cost more than filling
// them.
#pragma once

#include <cstddef>
#include <utility>

namespace cann::capi {

// Objects are kept constructed (vectors keep their capacity); a thread keeps at most kKept of a kind. An object may be
// given back on another thread than the one that took it.
template <class T>
class Pool {
 public:
  static T* take() {
    Shelf* const shelf = shelf_;
    return shelf && shelf->count > 0 ? shelf->items[--shelf->count] : new T();
  }
  static void give(T* item) {
    Shelf* shelf = shelf_;
    if (!shelf) [[unlikely]]
      shelf = open_shelf();
    if (shelf && shelf->count < kKept)
      shelf->items[shelf->count++] = item;
    else
      delete item;
  }

 private:
  static constexpr size_t kKept = 64;
  struct Shelf {
    T* items[kKept];
    size_t count = 0;
  };
  // Empties the thread's shelf when the thread ends. What later thread-local destructors give back is deleted at once.
  struct Owner {
    ~Owner() {
      thread_ends_ = true;
      Shelf* const shelf = std::exchange(shelf_, nullptr);
      while (shelf->count > 0) delete shelf->items[--shelf->count];
      delete shelf;
    }
  };
  static Shelf* open_shelf() {
    if (thread_ends_) return nullptr;
    shelf_ = new Shelf();
    static thread_local Owner owner;
    return shelf_;
  }

  // A launch comes by here ten times. In the initial-exec model this is a load instead of a call to the dynamic linker;
  // it wants its bytes from a small reserve that all opened libraries share, hence a pointer and no more.
  [[gnu::tls_model("initial-exec")]] static inline thread_local Shelf* shelf_ = nullptr;
  static inline thread_local bool thread_ends_ = false;
};

}  // namespace cann::capi
