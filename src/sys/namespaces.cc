#include "sys/namespaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/nsfs.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "sys/error.h"
#include "sys/fd.h"

namespace asb {
namespace {

/// The kernel takes these files in one write or not at all.
Result<void> WriteProc(const char* path, const std::string& text) {
  const Fd file(open(path, O_WRONLY | O_CLOEXEC));
  if (!file.IsOpen()) return SysError();
  if (write(file.get(), text.data(), text.size()) < 0) return SysError();
  return {};
}

}  // namespace

Result<void> MapOnlyMyself(uid_t uid, gid_t gid) {
  // Without this the kernel lets nobody map a group.
  if (auto done = WriteProc("/proc/self/setgroups", "deny"); !done) return done;
  if (auto done = WriteProc("/proc/self/uid_map", fmt::format("{} {} 1", uid, uid)); !done) {
    return done;
  }
  return WriteProc("/proc/self/gid_map", fmt::format("{} {} 1", gid, gid));
}

Result<void> AllowUserNamespaces(int count) {
  return WriteProc("/proc/sys/user/max_user_namespaces", fmt::to_string(count));
}

Result<void> AllowWatches(int count) {
  auto done = WriteProc("/proc/sys/user/max_inotify_instances", fmt::to_string(count));
  if (!done && done.error().sys_errno == ENOENT) return {};  // a kernel without them
  return done;
}

Result<Fd> OpenProc() {
  Fd fd(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd.IsOpen()) return SysError();
  return fd;
}

Result<Fd> MyMountNamespace(int proc) {
  Fd fd(openat(proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!fd.IsOpen()) return SysError();
  return fd;
}

Result<Fd> OwnerOf(int name_space) {
  Fd fd(ioctl(name_space, NS_GET_USERNS));
  if (!fd.IsOpen()) return SysError();
  return fd;
}

Result<void> EnterUserNamespace(int user_namespace) {
  if (setns(user_namespace, CLONE_NEWUSER) != 0) return SysError();
  return {};
}

Result<void> EnterMountNamespace(int mount_namespace) {
  if (setns(mount_namespace, CLONE_NEWNS) != 0) return SysError();
  return {};
}

Result<void> CopyMountNamespace() {
  if (unshare(CLONE_NEWNS) != 0) return SysError();
  return {};
}

Result<void> BringLoopbackUp() {
  const Fd socket_fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket_fd.IsOpen()) return SysError();
  ifreq request{};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(socket_fd.get(), SIOCSIFFLAGS, &request) != 0) return SysError();
  return {};
}

}  // namespace asb
