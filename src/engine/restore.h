// One protected path put back: the warden's hands, inside the mount namespace of the command.
//
// Every place is opened through the view of the command and without following a link; a name that
// is missing, or leads through a link, has nothing to protect. Nothing is created.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "engine/masks.h"
#include "plan/plan.h"
#include "sys/fd.h"

namespace asb {

struct Ensured {
  std::uint32_t times = 0;  ///< that it had to be covered: more than once if replaced meanwhile
  bool settled = true;      ///< false: it is being replaced at this very moment; look again
};

class Restorer {
 public:
  /// The caller is in a user namespace that owns `mount_namespace`; afterwards it is in that one,
  /// too. `proc` knows the caller, and stays open.
  Result<void> Enter(Fd mount_namespace, int proc);

  /// What is at `path` of the command's view; nothing open where nothing can be protected.
  [[nodiscard]] Result<Fd> Open(const AbsolutePath& path) const;

  /// Sees to it that what is at `path` is covered as `guard` says.
  Result<Ensured> Ensure(const AbsolutePath& path, Guard guard);

  /// Makes what the next Ensure may need, while there is time.
  Result<void> Prepare();

 private:
  Result<bool> Cover(int place, Guard guard, bool is_folder);
  Result<Fd> TakeMask(bool is_folder);
  Result<void> MakeWorkshop();

  int proc_ = -1;
  Fd inside_;    ///< the mount namespace of the command
  Fd workshop_;  ///< a copy of it with the masks, where the command cannot see them
  Fd root_;
  Masks masks_;
  std::array<Fd, 2> unused_;  ///< masks that could not be attached: a file, a folder
  /// Mounts that were never attached. Closing one makes the kernel wait for every processor: on a
  /// busy machine that is milliseconds, in which other masks are missing.
  std::vector<Fd> close_later_;
};

}  // namespace asb
