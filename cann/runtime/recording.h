// What a captured stream was asked to do: a list of Tasks, in the order of the calls, to be run again and again.
// One list serves all streams of a capture: the order of the calls respects every dependence between them.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cann/base/task.h"

namespace cann {

class Stream;

class Recording {
 public:
  void append(Task&& task);
  Status run(TaskContext& context);

  size_t size() const { return tasks_.size(); }
  float estimated_us() const { return estimated_us_; }
  std::vector<const char*> names() const;
  std::string describe() const;  // one line a task

  std::string name = "graph";
  Stream* origin = nullptr;
  void* handle = nullptr;  // of the C contract, the same during the capture and after it

 private:
  std::mutex mutex_;  // streams of one capture may be fed from several threads; two replays take turns
  std::deque<Task> tasks_;
  float estimated_us_ = 0;
};

// Runs the recording as one Task. It keeps the recording alive until it has run.
Task replay(std::shared_ptr<Recording> recording);

}  // namespace cann
