// Hearing of changes: names that appear in a folder, mounts that come and go. Nothing is followed,
// because folders are given as descriptors.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

/// A set of watches (inotify), readable when a name has appeared in one of its folders.
Result<Fd> NewWatches();

/// Watches for names that appear in `folder` (O_PATH): made, linked or moved there. The same folder
/// has the same number. Leaves this process in that folder. ENOSPC: the user has no watch left.
Result<int> WatchFolder(int watches, int folder);

/// A number that is not in use is no mistake: the kernel takes a folder's watch away with it.
void Unwatch(int watches, int watch);

struct Appeared {
  int watch = -1;
  std::string name;
};
struct News {
  std::vector<Appeared> names;
  bool lost = false;  ///< there were more than the kernel keeps
};
/// What has come so far, or the first part of it; never waits.
News TakeNews(int watches);

/// The table of mounts of this process's namespace. WaitForAny says "gone" whenever it has changed
/// since the last time. `proc` is a /proc (O_PATH) that knows this process.
Result<Fd> OpenMountTable(int proc);

}  // namespace asb
