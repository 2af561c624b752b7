#include "sys/signals.h"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "sys/error.h"

namespace asb {
namespace {

bool IsIgnored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void SetDisposition(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

Result<Fd> ReadBlocked(const sigset_t& blocked, const sigset_t& read) {
  if (sigprocmask(SIG_SETMASK, &blocked, nullptr) != 0) return SysError();
  Fd fd(signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.IsOpen()) return SysError();
  return fd;
}

}  // namespace

Result<Fd> BlockAndRead(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) {
    if (!IsIgnored(signal)) sigaddset(&set, signal);
  }
  return ReadBlocked(set, set);
}

Result<Fd> BlockAllAndReadChildren() {
  sigset_t all;
  sigset_t children;
  sigfillset(&all);
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  SetDisposition(SIGCHLD, SIG_DFL);
  return ReadBlocked(all, children);
}

int TakeSignal(int signal_fd) {
  signalfd_siginfo info{};
  if (read(signal_fd, &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

void UseUsualDispositions() {
  SetDisposition(SIGCHLD, SIG_DFL);
  SetDisposition(SIGPIPE, SIG_IGN);
}

void IgnoreTerminalSignals() {
  for (const int signal : {SIGTTOU, SIGTTIN, SIGTSTP, SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    SetDisposition(signal, SIG_IGN);
  }
}

void ResetSignals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal != SIGKILL && signal != SIGSTOP) SetDisposition(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool StopMyself(int signal, bool whole_group) {
  sigset_t only;
  sigset_t before;
  sigemptyset(&only);
  sigaddset(&only, signal);
  SetDisposition(signal, SIG_DFL);
  kill(whole_group ? 0 : getpid(), signal);
  sigprocmask(SIG_UNBLOCK, &only, &before);  // here it stops, and here it goes on
  sigprocmask(SIG_SETMASK, &before, nullptr);
  // A stop discards an older SIGCONT, so one that waits now is what ended the stop.
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1;
}

bool SignalGroup(pid_t group, int signal) { return kill(-group, signal) == 0; }

}  // namespace asb
