// The lines of the user's program, read from Python's frames. Whose a file is (torch's, a library's, the user's own) is
// decided once a code object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "torch_npu/csrc/diagnostics/places.h"

namespace torch_npu::frames {

struct Line {
  std::string file, function;
  int line = 0;
  bool own = false;  // the user's, not an installed library's
};

// Paths (with a slash at their end) whose files are torch's and Python's own: such frames are passed over; and parts of
// paths that mark installed libraries.
void set_roots(std::vector<std::string> passed_over, std::vector<std::string> libraries);

// Innermost first. pre: the interpreter's lock is held.
std::vector<Line> lines_of(events::Place place);
// How often the operator that was first seen at the place has been called there: about how often its line has run.
struct Visits {
  Line line;
  uint64_t times;
};
std::vector<Visits> visits();
void reset_visits();

void lend();  // to libtorch_npu

}  // namespace torch_npu::frames
