// Trying, in a process that is gone again when the answer is there: walls one by one, and programs
// that might hang.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/hints.h"
#include "sys/child.h"

namespace asb {

/// Every wall by itself: 0, kNotTried, or the errno.
std::array<int, kTrialSteps> TryWalls();

/// How a program ended that had a bounded time for it.
struct ProgramEnd {
  int exec_errno = 0;            ///< not 0: it could not be executed
  std::optional<Ending> ending;  ///< nothing: it was ended when its time was over
  std::string output;            ///< both streams, at most 4 KiB
};

/// Runs a program by its absolute path with an empty environment, without input, in '/'.
Result<ProgramEnd> RunBriefly(const std::string& path, const std::vector<std::string>& argv,
                              int milliseconds);

/// "exit code 1: …", "killed by signal 11", "no answer within a second"; empty: it went well.
std::string ProblemOf(const ProgramEnd& end);

}  // namespace asb
