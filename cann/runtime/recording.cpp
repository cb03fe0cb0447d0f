#include "cann/runtime/recording.h"

#include <algorithm>

#include "cann/trace/trace.h"

namespace cann {

void Recording::append(Task&& task) {
  std::lock_guard lock(mutex_);
  estimated_us_ += task.estimated_us();
  tasks_.push_back(std::move(task));
}

Status Recording::run(TaskContext& context) {
  std::lock_guard lock(mutex_);
  for (Task& task : tasks_) {
    trace::Part part(task.name());
    TaskContext own{context.team, task.workspace};
    Status status = task(own);
    if (!status.ok()) return {status.code(), name + ": " + task.name() + ": " + status.message()};
  }
  return {};
}

std::vector<const char*> Recording::names() const {
  std::vector<const char*> all;
  for (const Task& task : tasks_) all.push_back(task.name());
  return all;
}

std::string Recording::describe() const {
  std::string text;
  for (const char* task : names()) text += name + ": " + task + "\n";
  return text;
}

Task replay(std::shared_ptr<Recording> recording) {
  const float us = recording->estimated_us();
  return Task("graph", us,
              [recording = std::move(recording)](TaskContext& context) { return recording->run(context); });
}

}  // namespace cann
