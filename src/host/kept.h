// Kept homes on this host: held by a run, listed and removed. One that is in use, by its lock, is
// never removed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/tree.h"
#include "plan/kept.h"
#include "sys/fd.h"

namespace asb {

/// A home while a run has it. The kernel drops the lock with the process, however it ends.
struct HeldHome {
  Fd homes;   ///< the folder of all of them
  Fd folder;  ///< homes/KEY
  Fd lock;    ///< shared: runs of one key may be there at once
  KeptAbout about;
  bool fresh = false;      ///< it was made just now,
  bool has_other = false;  ///< and this project has another one, of another reach
};

/// Makes the home if it is not there, and holds it.
Result<HeldHome> HoldHome(const KeptHome& kept, const AbsolutePath& workspace);

/// The end of a run: notes how large the home has become, and removes the least recently used
/// others where all together are too large. Nothing here fails a run; what a person should know is
/// returned.
std::string ReleaseHome(HeldHome held, const KeptLimits& limits = {});

/// The open folder of all homes; not open when there is none.
Result<Fd> OpenHomes(const AbsolutePath& state);

/// By key. `budget`: measure each home instead of believing what was noted.
Result<std::vector<KeptRow>> ListHomes(int homes, const std::optional<TreeBudget>& budget);

/// False when it is in use.
Result<bool> RemoveHome(int homes, const std::string& key);

}  // namespace asb
