// One protected path put back: the warden's hands, inside the mount namespace of the command.
//
// Every place is opened through the view of the command and without following a link; a name that
// is missing, or leads through a link, has nothing to protect. Nothing is created.
#pragma once

#include <array>
#include <cstdint>

#include "base/path.h"
#include "base/result.h"
#include "engine/masks.h"
#include "plan/plan.h"
#include "sys/fd.h"

namespace asb {

class Restorer {
 public:
  /// The caller is in a user namespace that owns `mount_namespace`; afterwards it is in that one,
  /// too. Masks are kept in a copy of it, where the command cannot see them.
  /// `proc` knows the caller.
  Result<void> Enter(Fd mount_namespace, int proc);

  /// What is at `path` of the command's view; nothing open where nothing can be protected.
  [[nodiscard]] Result<Fd> Open(const AbsolutePath& path) const;

  /// Sees to it that what is at `path` is covered as `guard` says. How often it had to be: more
  /// than once when it is replaced at this very moment.
  Result<std::uint32_t> Ensure(const AbsolutePath& path, Guard guard);

  /// Makes what the next Ensure needs, while there is time.
  Result<void> Prepare();

 private:
  enum class Kind : std::uint8_t { kFile, kFolder };
  Result<Fd> CoverFor(int place, Guard guard, Kind kind);

  Fd inside_;    ///< the mount namespace of the command
  Fd workshop_;  ///< the copy, with the masks
  Fd root_;
  Masks masks_;
  std::array<Fd, 2> spare_;  ///< detached masks by kind
};

}  // namespace asb
