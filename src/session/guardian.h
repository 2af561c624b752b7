// A second process that puts the person's terminal back when the supervisor is killed: nobody else
// could.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "sys/child.h"
#include "sys/fd.h"
#include "sys/terminal.h"
#include "terminal/filter.h"

namespace asb {

/// What both processes know; lives in shared memory.
struct TerminalState {
  std::atomic<TerminalModes> modes;
  std::atomic<bool> changed;  ///< settings hold what has to be put back
  TerminalSettings settings;
};

/// Switches off what the command has switched on. Waits a moment for a terminal that is busy.
void ResetModes(int terminal, TerminalModes modes);

class Guardian {
 public:
  Guardian() = default;
  /// Watches over `terminal` from now on. `state` is shared memory.
  static Result<Guardian> Start(int terminal, TerminalState* state);

  /// The supervisor has put everything back itself.
  void Dismiss();

 private:
  Child child_;
  Fd pipe_;
};

}  // namespace asb
