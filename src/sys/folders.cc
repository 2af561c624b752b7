#include "sys/folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <ctime>

#include "sys/error.h"

namespace asb {
namespace {

constexpr mode_t kFileMode = 0600;
constexpr std::uint64_t kBlock = 512;  // of st_blocks, whatever the file system

// An entry of a folder, as the kernel writes it: its own length, and the name up to a NUL.
constexpr std::size_t kLengthAt = offsetof(dirent64, d_reclen);
constexpr std::size_t kNameAt = offsetof(dirent64, d_name);

Result<Fd> OpenIn(int folder, const std::string& name, int flags, Mounts mounts) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  if (mounts == Mounts::kStay) how.resolve |= RESOLVE_NO_XDEV;
  return Owned(syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how));
}

NodeStatus StatusFrom(const struct stat& status) {
  const auto links = std::max<nlink_t>(1, S_ISDIR(status.st_mode) ? 1 : status.st_nlink);
  return {status.st_mode, status.st_uid, status.st_dev, status.st_ino,
          static_cast<std::uint64_t>(status.st_blocks) * kBlock / links};
}

int FlagsFor(FileUse use) {
  switch (use) {
    case FileUse::kRead:
      return O_RDONLY;
    case FileUse::kLock:
      return O_RDWR | O_CREAT;
    case FileUse::kCreate:
      return O_WRONLY | O_CREAT | O_EXCL;
  }
  return O_RDONLY;
}

}  // namespace

Result<Fd> OpenFolder(int folder, const std::string& name, Mounts mounts) {
  return OpenIn(folder, name, O_RDONLY, mounts);
}

Result<Fd> OpenFolderPlace(int folder, const std::string& name, Mounts mounts) {
  return OpenIn(folder, name, O_PATH, mounts);
}

Result<Fd> OpenParent(int folder) {
  return Owned(openat(folder, "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Result<Fd> OpenFile(int folder, const std::string& name, FileUse use) {
  return Owned(openat(folder, name.c_str(),
                      FlagsFor(use) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, kFileMode));
}

Result<NodeStatus> StatusOf(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return SysError();
  return StatusFrom(status);
}

Result<NodeStatus> StatusIn(int folder, const std::string& name) {
  struct stat status{};
  if (fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0) {
    return SysError();
  }
  return StatusFrom(status);
}

Result<std::string> ReadLinkIn(int folder, const std::string& name) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = readlinkat(folder, name.c_str(), target.data(), target.size());
  if (length < 0) return SysError();
  return std::string(target.data(), static_cast<std::size_t>(length));
}

Result<std::vector<std::string>> NextNames(int folder, std::size_t most) {
  std::vector<std::string> names;
  // Small, so that not many more are read than asked for; those that are too many come again.
  std::array<char, 4096> buffer{};
  while (names.size() < most) {
    const ssize_t got = getdents64(folder, buffer.data(), buffer.size());
    if (got < 0) return SysError();
    if (got == 0) break;
    for (const char* at = buffer.data(); at < buffer.data() + got;) {
      std::uint16_t length = 0;
      std::memcpy(&length, at + kLengthAt, sizeof length);
      const std::string_view name = at + kNameAt;
      if (name != "." && name != "..") names.emplace_back(name);
      at += length;
    }
  }
  return names;
}

void StartOver(int folder) { lseek(folder, 0, SEEK_SET); }

Result<void> Remove(int folder, const std::string& name, NodeKind kind) {
  return Done(unlinkat(folder, name.c_str(), kind == NodeKind::kFolder ? AT_REMOVEDIR : 0));
}

Result<void> Rename(int folder, const std::string& name, int to, const std::string& new_name,
                    WhenTaken when_taken) {
  if (when_taken == WhenTaken::kReplace) {
    return Done(renameat(folder, name.c_str(), to, new_name.c_str()));
  }
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
  auto done = Done(syscall(SYS_renameat2, folder, name.c_str(), to, new_name.c_str(), kNoReplace));
  if (done || done.error().sys_errno != EINVAL) return done;
  // A network file system that cannot promise it: look first, and take the small risk among names
  // that only this program makes.
  struct stat status{};
  if (fstatat(to, new_name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return SysError(EEXIST);
  return Done(renameat(folder, name.c_str(), to, new_name.c_str()));
}

Result<void> SetMode(int fd, mode_t mode) {
  // fchmod refuses a place.
  return Done(chmod(fmt::format("/proc/self/fd/{}", fd).c_str(), mode));
}

Result<std::string> ReadOpenFile(int fd, std::size_t most) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SysError();
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > most) return SysError(EFBIG);
  }
}

Result<bool> TryLock(int fd, LockKind kind) {
  const int how = (kind == LockKind::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  while (flock(fd, how) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return SysError();
  }
  return true;
}

std::int64_t WallClock() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec;
}

void WaitBriefly(int milliseconds) {
  const timespec time{milliseconds / 1000, static_cast<long>(milliseconds % 1000) * 1'000'000};
  nanosleep(&time, nullptr);
}

}  // namespace asb
