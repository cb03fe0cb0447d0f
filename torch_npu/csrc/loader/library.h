// Finds the CANN that this process uses and resolves its functions at run time. Nothing of CANN is linked:
// one libtorch_npu.so serves the embedded CANN and a real one. Knows neither ATen nor Python.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "torch_npu/csrc/export.h"

namespace torch_npu {

enum class Library { Ascendcl, Opapi, OpCompiler, GeRunner, Hccl };

// Address of a function, or null where the library or the function is missing. Opens libascendcl first and
// `library` on top of it, once.
void* find_function(Library library, const char* name) noexcept;

// Throws c10::Error: which function, in which library, from which CANN, and what to do.
[[noreturn]] void throw_missing(Library library, const char* name);

struct CannLocation {
  std::string root;       // the toolkit folder, e.g. .../site-packages/torch_npu/cann
  std::string lib_dir;    // where libascendcl.so was found
  bool embedded = true;   // the one inside this package
  std::string chosen_by;  // "default", "TORCH_NPU_CANN", "ASCEND_HOME_PATH" or "LD_LIBRARY_PATH"
};

// Where CANN is looked for, and what is wrong there ("" if nothing). Opens nothing.
NPU_API std::pair<CannLocation, std::string> find_cann();

// Opens libascendcl if that has not happened yet. Throws if there is no CANN or it cannot be opened.
NPU_API const CannLocation& cann_location();

namespace detail {

// Resolved at the first use, so that a CANN that lacks one function serves all others.
class LazyAddress {
 public:
  constexpr LazyAddress(const char* name, Library library) noexcept : name_(name), library_(library) {}
  LazyAddress(const LazyAddress& other) noexcept : name_(other.name_), library_(other.library_) {}
  LazyAddress& operator=(const LazyAddress&) = delete;

  void* get_or_null() const noexcept {
    void* address = address_.load(std::memory_order_acquire);
    if (address == nullptr) [[unlikely]]
      address = resolve();
    return address == missing() ? nullptr : address;
  }
  void* get() const {
    void* address = get_or_null();
    if (address == nullptr) [[unlikely]]
      throw_missing(library_, name_);
    return address;
  }
  const char* name() const noexcept { return name_; }

 private:
  // A missing function is remembered as missing: launchers probe optional functions on every call.
  void* missing() const noexcept { return const_cast<std::atomic<void*>*>(&address_); }
  void* resolve() const noexcept {
    void* address = find_function(library_, name_);
    if (address == nullptr) address = missing();
    address_.store(address, std::memory_order_release);
    return address;
  }

  const char* name_;
  Library library_;
  mutable std::atomic<void*> address_{nullptr};
};

}  // namespace detail

// `Function<decltype(aclrtMalloc)> malloc{"aclrtMalloc", Library::Ascendcl};` is called like the function itself.
template <class Signature>
class Function;

template <class R, class... Args>
class Function<R(Args...)> {
 public:
  using Pointer = R (*)(Args...);

  constexpr Function(const char* name, Library library) noexcept : address_(name, library) {}

  R operator()(Args... args) const { return get()(args...); }
  Pointer get() const { return reinterpret_cast<Pointer>(address_.get()); }
  Pointer try_get() const noexcept { return reinterpret_cast<Pointer>(address_.get_or_null()); }
  const char* name() const noexcept { return address_.name(); }

 private:
  detail::LazyAddress address_;
};

template <class R, class... Args>
class Function<R(Args...) noexcept> : public Function<R(Args...)> {
 public:
  using Function<R(Args...)>::Function;
};

}  // namespace torch_npu
