// Signals as data: blocked and read from a descriptor, never handled in the middle of something.
#pragma once

#include <sys/types.h>

#include <initializer_list>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

/// Blocks `signals` and gives a descriptor that is readable when one has come. Those that the
/// caller ignores (nohup) stay ignored.
Result<Fd> BlockAndRead(std::initializer_list<int> signals);

/// Every signal blocked, none ignored, and only children reported: what PID 1 needs.
Result<Fd> BlockAllAndReadChildren();

/// The next signal that came; 0 when there is none.
int TakeSignal(int signal_fd);

/// SIGCHLD as usual, SIGPIPE as an error of write(): whatever the caller left behind.
void UseUsualDispositions();

/// Changing a terminal from the background, or losing it, does nothing to this process.
void IgnoreTerminalSignals();

/// In a child before it becomes another program: nothing blocked, nothing ignored.
void ResetSignals();

/// Stops this process, and its whole process group if wanted, as a terminal would with `signal`.
/// Returns when it is continued, and true: SIGCONT, which the caller has blocked, is there to be
/// read. False at once where nobody could continue it.
bool StopMyself(int signal, bool whole_group);

/// To a process group of the own namespace; false when there is none.
bool SignalGroup(pid_t group, int signal);

}  // namespace asb
