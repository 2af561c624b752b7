// Mounts by descriptor: a tree is opened, copied, given its flags and attached without a name being
// looked up twice. Needs Linux 5.12; an older kernel answers ENOSYS.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

/// The root of this process, as a place.
Result<Fd> OpenRoot();

/// Opens `path` below `root` for use as a place (O_PATH), following no link and never leaving
/// `root`. A leading '/' means `root` itself.
Result<Fd> OpenPlace(int root, const std::string& path);

enum class TreeFlags : std::uint8_t {
  kReadOnly,  ///< and no device, no setuid
  kWritable,  ///< no device, no setuid
  kDevice,    ///< a device may be opened and written, its mode not changed; no setuid
};

/// A detached copy of what is mounted at `place` and below it, with `flags` on every mount of it.
/// What the host mounts there later does not appear in it.
Result<Fd> CopyTree(int place, TreeFlags flags);

/// A detached copy of one mount that holds its flags already: the cheap form for many masks.
Result<Fd> CopyMount(int place);

/// Attaches a detached tree on top of `place`.
Result<void> Attach(int tree, int place);

/// The same on the place called `name` in `folder`.
Result<void> AttachAt(int tree, int folder, const std::string& name);

/// An empty file system in memory, detached: no device, no setuid.
Result<Fd> NewMemoryFolder(mode_t mode, std::uint64_t bytes);

/// A set of pseudo terminals of its own, detached.
Result<Fd> NewTerminals();

/// Makes one mount read-only; mounts below it stay as they are.
Result<void> MakeReadOnly(int mount);

/// Nothing that is mounted or unmounted here or elsewhere reaches the other side.
Result<void> MakeMountsPrivate();

/// The root becomes `new_root`, a mount; the old one appears at `put_old`, relative to it.
Result<void> PivotRoot(int new_root, const std::string& put_old);

// Places in an own file system; one that is there already will do.
Result<void> MakeFolder(int folder, const std::string& name, mode_t mode);
Result<void> MakeFile(int folder, const std::string& name, mode_t mode);
/// A file with `text` in it; one that is there already will not do.
Result<void> WriteNewFile(int folder, const std::string& name, mode_t mode, std::string_view text);
Result<void> MakeLink(const std::string& target, int folder, const std::string& name);

/// True when `place` (O_PATH) is a folder.
bool IsFolderPlace(int place);

/// What is at a place, without waiting for a server.
struct PlaceStatus {
  mode_t mode = 0;         ///< type and permissions, as st_mode
  bool is_mount = false;   ///< something is mounted right there
  bool read_only = false;  ///< the mount is
};
Result<PlaceStatus> PlaceStatusOf(int place);

}  // namespace asb
