// Making and entering namespaces of one's own, as an ordinary user.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

/// Maps the caller to itself, and nobody else.
Result<void> MapOnlyMyself(uid_t uid, gid_t gid);

/// From here on at most `count` user namespaces can be made below this one, whoever asks.
Result<void> AllowUserNamespaces(int count);

/// At most `count` sets of watches on files (inotify); the user has 128 of them in all.
Result<void> AllowWatches(int count);

/// /proc as it is here, for use elsewhere (O_PATH).
Result<Fd> OpenProc();

/// The one that this process is in. `proc` knows this process.
Result<Fd> MyMountNamespace(int proc);

/// The user namespace that a namespace belongs to.
Result<Fd> OwnerOf(int name_space);

/// All capabilities there and none outside. The kernel then forgets whether this process dies with
/// its parent and whether it can be dumped.
Result<void> EnterUserNamespace(int user_namespace);

/// The root and the current folder are the namespace's own afterwards.
Result<void> EnterMountNamespace(int mount_namespace);

/// From here on in a copy of the mount namespace, which nobody else is in.
Result<void> CopyMountNamespace();

/// 127.0.0.1 and ::1 of this network namespace.
Result<void> BringLoopbackUp();

}  // namespace asb
