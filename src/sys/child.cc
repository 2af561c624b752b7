#include "sys/child.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "sys/error.h"

namespace asb {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  // execve promises not to change them, and takes char* all the same.
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));  // NOLINT
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<Child> Child::Fork() {
  Child child;
  child.pid_ = fork();
  if (child.pid_ < 0) return SysError();
  if (child.pid_ == 0) return child;
  child.pidfd_ = Fd(static_cast<int>(syscall(SYS_pidfd_open, child.pid_, 0)));
  if (!child.pidfd_.IsOpen()) {
    const int error = errno;
    kill(child.pid_, SIGKILL);  // not collected yet, so the pid is still its own
    waitpid(child.pid_, nullptr, 0);
    return SysError(error);
  }
  return child;
}

Result<Child> Child::ForkIntoNamespaces(bool own_network) {
  int pidfd = -1;
  const unsigned long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_PIDFD |
                              (own_network ? CLONE_NEWNET : 0) | SIGCHLD;
  // clone and not clone3, which hosts with an older filter of system calls refuse.
  const long pid = syscall(SYS_clone, flags, nullptr, &pidfd, nullptr, nullptr);
  if (pid < 0) return SysError();
  Child child;
  child.pid_ = static_cast<pid_t>(pid);
  if (pid > 0) child.pidfd_ = Fd(pidfd);
  return child;
}

void Child::Kill() const {
  if (IsRunning()) syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
}

Ending Child::Wait() {
  siginfo_t info{};
  int answer = -1;
  do {
    answer = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED);
  } while (answer != 0 && errno == EINTR);
  pidfd_ = Fd();
  if (answer != 0) return {};
  if (info.si_code == CLD_EXITED) return {info.si_status, 0};
  return {0, info.si_status};
}

bool DieWithParent(pid_t parent) {
  DieWithParent();
  return getppid() == parent;
}

void DieWithParent() { prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

pid_t MyPid() { return getpid(); }

Error Execute(const std::string& path, const std::vector<std::string>& argv,
              const std::vector<std::string>& environment) {
  execve(path.c_str(), Pointers(argv).data(), Pointers(environment).data());
  return SysError().value();
}

Error ExecuteBySearch(const std::vector<std::string>& argv,
                      const std::vector<std::string>& environment, const std::string& search_path) {
  // execvpe searches the PATH of the calling process, whose environment is otherwise empty.
  setenv("PATH", search_path.c_str(), 1);
  execvpe(argv[0].c_str(), Pointers(argv).data(), Pointers(environment).data());
  return SysError().value();
}

void EndNow(int code) { _exit(code); }

Result<void> MakeUndumpable() {
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return SysError();
  return {};
}

void PreferShortTurns() {
  // Not in the headers of Debian 12; <linux/sched/types.h> clashes with <sched.h>.
  struct {
    std::uint32_t size;
    std::uint32_t policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime;  // ns
    std::uint64_t deadline;
    std::uint64_t period;
  } wanted{};
  wanted.size = sizeof wanted;
  wanted.nice = getpriority(PRIO_PROCESS, 0);
  wanted.runtime = 100'000;  // the least that the kernel grants
  (void)syscall(SYS_sched_setattr, 0, &wanted, 0);
}

void SetProcessName(const char* name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

}  // namespace asb
