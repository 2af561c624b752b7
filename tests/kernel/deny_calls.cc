// deny_calls WHAT CMD…: runs CMD on a host that answers some system calls as a broken one would.
// For an ordinary user: the filter is his own and needs no_new_privs.
//
//   nothing          the control: a filter that lets everything pass
//   userns-eperm     no user namespace, as in a container
//   userns-enospc    no user namespace, as with user.max_user_namespaces = 0
//   network          no network namespace
//   mounts           user namespaces, and nothing can be mounted in them: EACCES, as AppArmor says
//   mounts-eperm     the same, EPERM, as a container's filter says
//   mounts-enosys    the calls that mount by descriptor do not exist
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <vector>

namespace {

/// Call `number` fails with `error`, always or when its first argument has one of `flags`.
struct Denied {
  std::string_view mode;
  long number;
  unsigned flags;
  int error;
};

// clone3 keeps its flags in memory, where no filter looks: without it programs use clone.
const std::vector<Denied> kDenied{
    {"userns-eperm", SYS_unshare, CLONE_NEWUSER, EPERM},
    {"userns-eperm", SYS_clone, CLONE_NEWUSER, EPERM},
    {"userns-eperm", SYS_clone3, 0, ENOSYS},
    {"userns-enospc", SYS_unshare, CLONE_NEWUSER, ENOSPC},
    {"userns-enospc", SYS_clone, CLONE_NEWUSER, ENOSPC},
    {"userns-enospc", SYS_clone3, 0, ENOSYS},
    {"network", SYS_unshare, CLONE_NEWNET, EPERM},
    {"network", SYS_clone, CLONE_NEWNET, EPERM},
    {"network", SYS_clone3, 0, ENOSYS},
    {"mounts", SYS_mount, 0, EACCES},
    {"mounts", SYS_umount2, 0, EACCES},
    {"mounts", SYS_pivot_root, 0, EACCES},
    {"mounts", SYS_open_tree, 0, EACCES},
    {"mounts", SYS_move_mount, 0, EACCES},
    {"mounts", SYS_fsopen, 0, EACCES},
    {"mounts", SYS_mount_setattr, 0, EACCES},
    {"mounts-eperm", SYS_mount, 0, EPERM},
    {"mounts-eperm", SYS_umount2, 0, EPERM},
    {"mounts-eperm", SYS_pivot_root, 0, EPERM},
    {"mounts-eperm", SYS_open_tree, 0, EPERM},
    {"mounts-eperm", SYS_move_mount, 0, EPERM},
    {"mounts-eperm", SYS_fsopen, 0, EPERM},
    {"mounts-eperm", SYS_mount_setattr, 0, EPERM},
    {"mounts-enosys", SYS_open_tree, 0, ENOSYS},
    {"mounts-enosys", SYS_move_mount, 0, ENOSYS},
    {"mounts-enosys", SYS_fsopen, 0, ENOSYS},
    {"mounts-enosys", SYS_mount_setattr, 0, ENOSYS},
    {"mounts-enosys", SYS_openat2, 0, ENOSYS},
};

sock_filter Load(std::size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<unsigned>(offset)};
}

sock_filter Return(unsigned action) { return {BPF_RET | BPF_K, 0, 0, action}; }

/// One block a row: each leaves the next one with the call's number loaded.
std::vector<sock_filter> FilterFor(std::string_view mode) {
  const std::size_t number = offsetof(seccomp_data, nr);
  const std::size_t argument = offsetof(seccomp_data, args);  // its low half
  std::vector<sock_filter> out{Load(number)};
  for (const Denied& row : kDenied) {
    if (row.mode != mode) continue;
    const unsigned refuse = SECCOMP_RET_ERRNO | static_cast<unsigned>(row.error);
    const auto call = static_cast<unsigned>(row.number);
    if (row.flags == 0) {
      out.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call});
    } else {
      out.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 4, call});
      out.push_back(Load(argument));
      out.push_back({BPF_JMP | BPF_JSET | BPF_K, 1, 0, row.flags});
      out.push_back(Return(SECCOMP_RET_ALLOW));
    }
    out.push_back(Return(refuse));
  }
  out.push_back(Return(SECCOMP_RET_ALLOW));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: deny_calls WHAT CMD…\n");
    return 2;
  }
  std::vector<sock_filter> filter = FilterFor(argv[1]);
  if (filter.size() == 2 && std::string_view(argv[1]) != "nothing") {
    std::fprintf(stderr, "deny_calls: '%s' is nothing that could be denied\n", argv[1]);
    return 2;
  }
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("deny_calls");
    return 2;
  }
  execvp(argv[2], argv + 2);
  std::perror(argv[2]);
  return 127;
}
