#include "sys/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/error.h"

namespace asb {

Result<TerminalSettings> SettingsOf(int terminal) {
  termios settings{};
  if (tcgetattr(terminal, &settings) != 0) return SysError();
  return settings;
}

void ApplySettings(int terminal, const TerminalSettings& settings, Pending pending) {
  int answer = -1;
  do {
    answer = tcsetattr(terminal, pending == Pending::kDiscard ? TCSAFLUSH : TCSADRAIN, &settings);
  } while (answer != 0 && errno == EINTR);
}

TerminalSettings RawForm(TerminalSettings settings) {
  cfmakeraw(&settings);
  return settings;
}

bool SaysUtf8(int terminal) {
  termios settings{};
  return tcgetattr(terminal, &settings) == 0 &&
         (settings.c_iflag & static_cast<tcflag_t>(IUTF8)) != 0;
}

void CopySize(int from, int to) {
  winsize size{};
  if (ioctl(from, TIOCGWINSZ, &size) == 0) ioctl(to, TIOCSWINSZ, &size);
}

bool IsRawForm(const TerminalSettings& settings) {
  return (settings.c_lflag & static_cast<tcflag_t>(ICANON | ECHO | ISIG)) == 0;
}

bool SameTerminal(int one, int other) {
  unsigned first = 0;
  unsigned second = 0;  // /dev/tty has a number of its own: fstat would not do
  return ioctl(one, TIOCGDEV, &first) != 0 || ioctl(other, TIOCGDEV, &second) != 0 ||
         first == second;
}

bool InForeground(int terminal) {
  const pid_t front = tcgetpgrp(terminal);
  // Not this session's terminal: it stops nobody here for reading (su -c, setsid).
  if (front < 0) return errno == ENOTTY;
  return front == getpgrp();
}
pid_t ForegroundGroup(int terminal) { return tcgetpgrp(terminal); }
bool SetForegroundGroup(int terminal, pid_t group) { return tcsetpgrp(terminal, group) == 0; }

Result<PseudoTerminal> OpenPseudoTerminal() {
  PseudoTerminal out;
  out.master = Fd(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!out.master.IsOpen()) return SysError();
  const int unlocked = 0;
  if (ioctl(out.master.get(), TIOCSPTLCK, &unlocked) != 0) return SysError();
  out.slave = Fd(ioctl(out.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!out.slave.IsOpen()) return SysError();
  return out;
}

void StartSession() { setsid(); }

Result<void> TakeTerminal(int slave) {
  if (ioctl(slave, TIOCSCTTY, 0) != 0) return SysError();
  return {};
}

void OwnGroup(pid_t pid) { setpgid(pid, pid); }

}  // namespace asb
