#include "sys/trial.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/error.h"

namespace asb {
namespace {

int FlagOf(NamespaceKind kind) {
  switch (kind) {
    case NamespaceKind::kUser:
      return CLONE_NEWUSER;
    case NamespaceKind::kMount:
      return CLONE_NEWNS;
    case NamespaceKind::kNetwork:
      return CLONE_NEWNET;
    case NamespaceKind::kProcesses:
      return CLONE_NEWPID;
  }
  return 0;
}

}  // namespace

Result<void> EnterNamespace(NamespaceKind kind) {
  if (unshare(FlagOf(kind)) != 0) return SysError();
  return {};
}

Result<Fd> NewProcessList() {
  auto context = Owned(syscall(SYS_fsopen, "proc", FSOPEN_CLOEXEC));
  if (!context) return context;
  if (syscall(SYS_fsconfig, context->get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return SysError();
  }
  return Owned(syscall(SYS_fsmount, context->get(), FSMOUNT_CLOEXEC,
                       MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
}

Result<void> TryTerminal(int terminals) {
  const Fd master(openat(terminals, "ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master.IsOpen()) return SysError();
  const int unlocked = 0;
  if (ioctl(master.get(), TIOCSPTLCK, &unlocked) != 0) return SysError();
  const Fd slave(ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!slave.IsOpen()) return SysError();
  return {};
}

bool OffersFilters() {
  const unsigned action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool MayWrite(const std::string& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

}  // namespace asb
