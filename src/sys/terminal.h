// Terminals: their settings, their size, who is in front, and making one.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <string>
#include <utility>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

using TerminalSettings = termios;

Result<TerminalSettings> SettingsOf(int terminal);

enum class Pending : bool { kKeep, kDiscard };  ///< what was typed and not read
/// Also from the background, where the caller ignores SIGTTOU or blocks it.
void ApplySettings(int terminal, const TerminalSettings& settings, Pending pending);

/// Every byte as it is typed; the terminal interprets nothing.
TerminalSettings RawForm(TerminalSettings settings);

/// True for what RawForm makes; no shell's own settings look like it.
bool IsRawForm(const TerminalSettings& settings);

/// Whoever made the terminal says that its characters are UTF-8.
bool SaysUtf8(int terminal);

/// Gives `to` the size of `from`.
void CopySize(int from, int to);

/// True when both lead to one terminal, by whatever names, or that cannot be known.
bool SameTerminal(int one, int other);

/// True when this process may use `terminal` without being stopped for it.
bool InForeground(int terminal);
pid_t ForegroundGroup(int terminal);
/// False when there is no such group in the session.
bool SetForegroundGroup(int terminal, pid_t group);

struct PseudoTerminal {
  Fd master;
  Fd slave;
};
/// From /dev/ptmx of the own view; the slave is opened through the master, not by a name.
Result<PseudoTerminal> OpenPseudoTerminal();

/// Leads a new session with `slave` as its terminal.
void StartSession();
Result<void> TakeTerminal(int slave);

/// A process group of its own for `pid` (0: the caller).
void OwnGroup(pid_t pid);

}  // namespace asb
