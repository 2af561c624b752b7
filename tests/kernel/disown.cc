// disown FOLDER: the files of FOLDER, a file system in memory mounted in this user namespace, seem
// to belong to nobody who is known here, as root's files do. So an ordinary user builds hosts whose
// bubblewrap is broken and root's all the same.
//
// By an id-mapped mount whose namespace does not know the owner. Needs Linux 6.3.
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

bool Write(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  const bool done =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) close(file);
  return done;
}

/// A user namespace in which this user has another number; -1: errno.
int StrangeNamespace() {
  std::array<int, 2> ready{};
  if (pipe2(ready.data(), O_CLOEXEC) != 0) return -1;
  const std::string uid = std::to_string(getuid());
  const std::string gid = std::to_string(getgid());
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    const bool made = unshare(CLONE_NEWUSER) == 0 && Write("/proc/self/setgroups", "deny") &&
                      Write("/proc/self/uid_map", "77777 " + uid + " 1") &&
                      Write("/proc/self/gid_map", "77777 " + gid + " 1");
    if (made && write(ready[1], "y", 1) == 1) pause();
    _exit(1);
  }
  close(ready[1]);
  char word = 0;
  int space = -1;
  if (read(ready[0], &word, 1) == 1) {
    space = open(("/proc/" + std::to_string(child) + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return space;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: disown FOLDER\n");
    return 2;
  }
  const int space = StrangeNamespace();
  const long tree = syscall(SYS_open_tree, AT_FDCWD, argv[1], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<unsigned long long>(space);
  const bool done =
      space >= 0 && tree >= 0 &&
      syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0 &&
      syscall(SYS_move_mount, tree, "", AT_FDCWD, argv[1], MOVE_MOUNT_F_EMPTY_PATH) == 0;
  if (!done) {
    std::fprintf(stderr, "disown: %s\n", std::strerror(errno));
    return 1;
  }
  return 0;
}
