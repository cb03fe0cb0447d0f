// The outcome of a call inside cann/: an AscendCL error code and a text that says what came and what was needed.
// A success costs one null pointer. Leaves the thread's recent error message to the runtime.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace cann {

// The codes that the contract fixes (include/acl/acl_base.h); aclnn calls answer with the first group.
enum class Code : int {
  Ok = 0,
  NullPointer = 161001,      // ACLNN_ERR_PARAM_NULLPTR
  BadParameter = 161002,     // ACLNN_ERR_PARAM_INVALID
  RuntimeFailure = 361001,   // ACLNN_ERR_RUNTIME_ERROR
  InternalFailure = 561000,  // ACLNN_ERR_INNER
  InvalidArgument = 100000,  // ACL_ERROR_INVALID_PARAM
  OutOfMemory = 207001,      // ACL_ERROR_RT_MEMORY_ALLOCATION
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : Status(static_cast<int>(code), std::move(message)) {}
  Status(int code, std::string message) : detail_(std::make_unique<Detail>(Detail{code, std::move(message)})) {}

  bool ok() const { return detail_ == nullptr; }
  int code() const { return detail_ ? detail_->code : 0; }
  const std::string& message() const {
    static const std::string kNone;
    return detail_ ? detail_->message : kNone;
  }

 private:
  struct Detail {
    int code;
    std::string message;
  };
  std::unique_ptr<Detail> detail_;
};

inline Status bad_parameter(std::string message) { return {Code::BadParameter, std::move(message)}; }

// A value or the Status that explains why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {}  // pre: !status.ok()

  bool ok() const { return value_.has_value(); }
  Status& status() { return status_; }
  T& value() { return *value_; }
  T& operator*() { return *value_; }
  T* operator->() { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace cann

#define RETURN_IF_ERROR(expression)                  \
  do {                                               \
    ::cann::Status status_of_call = (expression);    \
    if (!status_of_call.ok()) return status_of_call; \
  } while (false)

#define CANN_CONCAT_INNER(a, b) a##b
#define CANN_CONCAT(a, b) CANN_CONCAT_INNER(a, b)
#define ASSIGN_OR_RETURN(declaration, expression)                                                      \
  auto CANN_CONCAT(result_, __LINE__) = (expression);                                                  \
  if (!CANN_CONCAT(result_, __LINE__).ok()) return std::move(CANN_CONCAT(result_, __LINE__).status()); \
  declaration = std::move(CANN_CONCAT(result_, __LINE__).value())
