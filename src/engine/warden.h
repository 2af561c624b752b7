// The warden: a process that keeps protected what lies in live folders of the host.
//
// The kernel takes a mount away when the name under it is replaced or removed elsewhere, and leaves
// it with a folder that is renamed: a name of the plan can then be without its mask. The warden
// watches those names from the command's own mount namespace, and puts masks back at once. It runs
// outside the command's processes, which cannot see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "sys/child.h"
#include "sys/fd.h"

namespace asb {

class Warden {
 public:
  /// What it has said.
  struct Word {
    enum class Kind : std::uint8_t {
      kReady,     ///< everything is covered, and stays so
      kRestored,  ///< number `index` of what is guarded was covered again, `count` times
      kFailed,    ///< it cannot go on: what it was doing, and the errno
      kGone,      ///< it has ended, or was ended
    };
    Kind kind = Kind::kGone;
    std::uint32_t index = 0;
    std::uint32_t count = 0;
    int sys_errno = 0;
    std::string what;
  };

  Warden() = default;

  /// Starts the process, which waits for a namespace. `guarded` as in the plan.
  static Result<Warden> Start(const std::vector<Guarded>& guarded);

  /// Lets it begin. The namespace is the command's.
  Result<void> Watch(int mount_namespace);

  [[nodiscard]] bool IsRunning() const { return child_.IsRunning(); }
  /// Readable when it has something to say, or has ended.
  [[nodiscard]] int socket() const { return socket_.get(); }
  Word Take();

  /// Nobody is left to hide from: it may go. That takes the kernel some milliseconds, because it
  /// waits for everybody who might just be hearing of a change.
  void Dismiss();
  /// What it had still to say, and no warden any more.
  std::vector<Word> Collect();

 private:
  Child child_;
  Fd socket_;
};

}  // namespace asb
