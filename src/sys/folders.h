// Folders and files by the descriptor of the folder that holds them: no name is looked up twice, no
// link is followed, no open waits for a FIFO or a device. For trees that somebody else has written.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

enum class Mounts : std::uint8_t {
  kCross,  ///< what is mounted at that name is opened
  kStay,   ///< EXDEV where anything is mounted, be it a bind of the same file system
};

/// Opens the folder `name`, one component, for listing and as the place of further calls. ENOTDIR
/// or ELOOP where it is something else.
Result<Fd> OpenFolder(int folder, const std::string& name, Mounts mounts);

/// The same as a place only, which needs no permission to read it.
Result<Fd> OpenFolderPlace(int folder, const std::string& name, Mounts mounts);

/// The folder that holds this one.
Result<Fd> OpenParent(int folder);

enum class FileUse : std::uint8_t {
  kRead,
  kLock,    ///< made when it is missing
  kCreate,  ///< EEXIST when anything is there
};
Result<Fd> OpenFile(int folder, const std::string& name, FileUse use);

struct NodeStatus {
  mode_t mode = 0;  ///< type and permissions
  uid_t owner = 0;
  dev_t device = 0;
  ino_t inode = 0;
  std::uint64_t bytes = 0;  ///< that it takes of the disk, shared among its names
  friend bool IsSameNode(const NodeStatus& a, const NodeStatus& b) {
    return a.device == b.device && a.inode == b.inode;
  }
};
Result<NodeStatus> StatusOf(int fd);
/// Of the name itself, not of what a link leads to.
Result<NodeStatus> StatusIn(int folder, const std::string& name);

/// What a link says.
Result<std::string> ReadLinkIn(int folder, const std::string& name);

/// The next names of a folder, at most `most`; empty at the end. The place is the descriptor's own.
Result<std::vector<std::string>> NextNames(int folder, std::size_t most);
/// The next NextNames starts from the beginning.
void StartOver(int folder);

enum class NodeKind : std::uint8_t { kFolder, kOther };
Result<void> Remove(int folder, const std::string& name, NodeKind kind);

enum class WhenTaken : std::uint8_t { kFail, kReplace };
Result<void> Rename(int folder, const std::string& name, int to, const std::string& new_name,
                    WhenTaken when_taken);

/// Changes the mode of what `fd` is open on, be it a place only.
Result<void> SetMode(int fd, mode_t mode);

/// The bytes of an open file, at most `most`; fails beyond.
Result<std::string> ReadOpenFile(int fd, std::size_t most);

enum class LockKind : std::uint8_t { kShared, kExclusive };
/// False when another process holds it in a way that does not allow this. Never waits. The lock
/// ends with the last descriptor of this opening.
Result<bool> TryLock(int fd, LockKind kind);

/// Seconds since 1970.
std::int64_t WallClock();

/// Waits a little, for another process to go on.
void WaitBriefly(int milliseconds);

}  // namespace asb
