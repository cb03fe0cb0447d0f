#include "cann/runtime/device.h"

#include <algorithm>

namespace cann {

void Device::add(Stream* stream) {
  std::lock_guard lock(mutex_);
  streams_.push_back(stream);
}

void Device::remove(Stream* stream) {
  std::lock_guard lock(mutex_);
  std::erase(streams_, stream);
}

std::vector<Stream*> Device::streams() const {
  std::lock_guard lock(mutex_);
  return streams_;
}

Status Device::synchronize(Deadline deadline) {
  Status first;
  for (Stream* stream : streams()) {
    Status status = stream->synchronize(deadline);
    if (first.ok()) first = std::move(status);
  }
  return first;
}

Status Device::drain() {
  Status first;
  for (Stream* stream : streams()) {
    Status status = stream->drain(std::nullopt);
    if (first.ok()) first = std::move(status);
  }
  return first;
}

}  // namespace cann
