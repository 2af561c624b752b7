// Children of PID 1: its own and every orphan of its namespace.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/result.h"
#include "sys/child.h"

namespace asb {

/// 0 in the new process.
Result<pid_t> ForkPlainly();

struct ChildChange {
  pid_t pid = -1;
  int stopped_by = 0;  ///< a signal: it has stopped; 0: it has ended
  Ending ending;
};
/// The next child that has stopped or ended, which is collected; nothing when there is none now.
std::optional<ChildChange> NextChildChange();

}  // namespace asb
