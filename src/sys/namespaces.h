// Entering namespaces of one's own, as an ordinary user.
#pragma once

#include <sys/types.h>

#include "base/result.h"

namespace asb {

/// Maps the caller to itself, and nobody else.
Result<void> MapOnlyMyself(uid_t uid, gid_t gid);

/// From here on at most `count` user namespaces can be made below this one, whoever asks.
Result<void> AllowUserNamespaces(int count);

/// At most `count` sets of watches on files (inotify); the user has 128 of them in all.
Result<void> AllowWatches(int count);

/// 127.0.0.1 and ::1 of this network namespace.
Result<void> BringLoopbackUp();

}  // namespace asb
