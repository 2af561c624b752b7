#include "sys/mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/error.h"
#include "sys/files.h"

namespace asb {
namespace {

// <sys/mount.h> and <linux/mount.h> of Debian 12 cannot be included together.
constexpr unsigned long kPrivate = 1UL << 18U;    // MS_PRIVATE
constexpr unsigned long kRecursive = 1UL << 14U;  // MS_REC
constexpr const char* kMostTerminals = "256";     // the host has one number for everybody

std::uint64_t Attributes(TreeFlags flags) {
  switch (flags) {
    case TreeFlags::kReadOnly:
      return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY;
    case TreeFlags::kWritable:
      return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    case TreeFlags::kDevice:
      return MOUNT_ATTR_NOSUID | MOUNT_ATTR_RDONLY;
  }
  return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY;
}

Result<void> SetAttributes(int tree, std::uint64_t attributes, unsigned how) {
  mount_attr attr{};
  attr.attr_set = attributes;
  // What the host mounts below it later would appear here, without these attributes.
  attr.propagation = kPrivate;
  return Done(syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | how, &attr, sizeof attr));
}

/// One file system that needs no source: opened, configured, made.
Result<Fd> NewFileSystem(const char* type,
                         std::initializer_list<std::pair<const char*, std::string>> options,
                         unsigned attributes) {
  auto context = Owned(syscall(SYS_fsopen, type, FSOPEN_CLOEXEC));
  if (!context) return context;
  for (const auto& [key, value] : options) {
    if (syscall(SYS_fsconfig, context->get(), FSCONFIG_SET_STRING, key, value.c_str(), 0) != 0) {
      return SysError();
    }
  }
  if (syscall(SYS_fsconfig, context->get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return SysError();
  }
  return Owned(syscall(SYS_fsmount, context->get(), FSMOUNT_CLOEXEC, attributes));
}

}  // namespace

Result<Fd> OpenRoot() { return Owned(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)); }

Result<Fd> OpenPlace(int root, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return Owned(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
}

Result<Fd> CopyTree(int place, TreeFlags flags) {
  auto tree = Owned(syscall(SYS_open_tree, place, "",
                            AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!tree) return tree;
  if (auto set = SetAttributes(tree->get(), Attributes(flags), AT_RECURSIVE); !set) {
    return tl::make_unexpected(set.error());
  }
  return tree;
}

Result<Fd> CopyMount(int place) {
  return Owned(
      syscall(SYS_open_tree, place, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
}

Result<void> Attach(int tree, int place) {
  return Done(syscall(SYS_move_mount, tree, "", place, "",
                      MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH));
}

Result<void> AttachAt(int tree, int folder, const std::string& name) {
  return Done(syscall(SYS_move_mount, tree, "", folder, name.c_str(), MOVE_MOUNT_F_EMPTY_PATH));
}

Result<Fd> NewMemoryFolder(mode_t mode, std::uint64_t bytes) {
  return NewFileSystem("tmpfs",
                       {{"mode", fmt::format("{:o}", mode)}, {"size", fmt::to_string(bytes)}},
                       MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}

Result<Fd> NewTerminals() {
  return NewFileSystem("devpts", {{"mode", "620"}, {"ptmxmode", "666"}, {"max", kMostTerminals}},
                       MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
}

Result<void> MakeReadOnly(int mount) { return SetAttributes(mount, MOUNT_ATTR_RDONLY, 0); }

Result<void> MakeMountsPrivate() {
  return Done(syscall(SYS_mount, nullptr, "/", nullptr, kPrivate | kRecursive, nullptr));
}

Result<void> PivotRoot(int new_root, const std::string& put_old) {
  if (fchdir(new_root) != 0) return SysError();
  return Done(syscall(SYS_pivot_root, ".", put_old.c_str()));
}

Result<void> MakeFolder(int folder, const std::string& name, mode_t mode) {
  const int made = mkdirat(folder, name.c_str(), mode);
  return Done(made != 0 && errno == EEXIST ? 0 : made);
}

Result<void> MakeFile(int folder, const std::string& name, mode_t mode) {
  auto file =
      Owned(openat(folder, name.c_str(), O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return tl::make_unexpected(file.error());
  return {};
}

Result<void> WriteNewFile(int folder, const std::string& name, mode_t mode, std::string_view text) {
  auto file = Owned(
      openat(folder, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return tl::make_unexpected(file.error());
  if (!WriteAll(file->get(), text)) return SysError();
  return {};
}

Result<void> MakeLink(const std::string& target, int folder, const std::string& name) {
  return Done(symlinkat(target.c_str(), folder, name.c_str()));
}

bool IsFolderPlace(int place) {
  struct stat status{};
  return fstat(place, &status) == 0 && S_ISDIR(status.st_mode);
}

Result<PlaceStatus> PlaceStatusOf(int place) {
  struct statx status{};
  const unsigned how = AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
  if (statx(place, "", static_cast<int>(how), STATX_TYPE | STATX_MODE, &status) != 0) {
    return SysError();
  }
  struct statvfs mount{};
  if (fstatvfs(place, &mount) != 0) return SysError();
  return PlaceStatus{status.stx_mode, (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
                     (mount.f_flag & ST_RDONLY) != 0};
}

}  // namespace asb
