#include "sys/reap.h"

#include <sys/wait.h>
#include <unistd.h>

#include "sys/error.h"

namespace asb {

Result<pid_t> ForkPlainly() {
  const pid_t pid = fork();
  if (pid < 0) return SysError();
  return pid;
}

std::optional<ChildChange> NextChildChange() {
  int status = 0;
  const pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED);
  if (pid <= 0) return std::nullopt;
  if (WIFSTOPPED(status)) return ChildChange{pid, WSTOPSIG(status), {}};
  if (WIFSIGNALED(status)) return ChildChange{pid, 0, {0, WTERMSIG(status)}};
  return ChildChange{pid, 0, {WEXITSTATUS(status), 0}};
}

}  // namespace asb
