// The plan's view, mounted: the launcher's half, in the outer namespace, where it costs five
// microseconds a mount. bubblewrap then takes it as one recursive bind.
#pragma once

#include <vector>

#include "base/result.h"
#include "engine/masks.h"
#include "engine/order.h"
#include "sys/fd.h"
#include "sys/mount.h"

namespace asb {

/// Where Build leaves the view, for bubblewrap to take.
inline constexpr const char* kViewPlace = "/tmp/view";

/// How an error begins that comes from the kept home.
inline constexpr const char* kInKeptHome = "making a place in the kept home";

/// The caller is in a mount namespace of its own. Sources and targets are opened without following
/// a link; nothing is created in a folder of the host, save for places in the kept home.
class ViewBuilder {
 public:
  /// What every view needs.
  Result<void> OpenWorkshop();

  /// Carries out every step except /proc, which belongs to the inner namespace, and closes the
  /// workshop.
  Result<void> Build(const Order& order);

 private:
  enum class PlaceKind : bool { kFile, kFolder };

  Result<void> CloseWorkshop();
  Result<void> MakeRoot();
  Result<void> Take(const MountStep& step);
  Result<void> Show(const MountStep& step, TreeFlags flags);
  Result<void> Cover(const MountStep& step, const Fd& mask, PlaceKind kind);
  Result<Fd> Empty(const MountStep& step, mode_t mode, std::uint64_t bytes);
  Result<void> MakeDevices(const MountStep& step);
  Result<void> MakeContent(const MountStep& step);
  Result<void> AttachRoot(Fd tree);
  Result<void> MakeLinkAt(const MountStep& step);
  Result<void> MountOn(const AbsolutePath& target, PlaceKind kind, int tree);
  Result<int> OwnFolder(const AbsolutePath& folder);
  [[nodiscard]] const MountStep* HolderOf(const AbsolutePath& folder) const;
  [[nodiscard]] bool IsOwn(const AbsolutePath& folder) const;
  [[nodiscard]] bool IsKept(const AbsolutePath& folder) const;

  AbsolutePath user_home_;
  Fd host_;
  Fd view_;
  Masks masks_;
  std::vector<const MountStep*> holders_;  ///< steps around the current one, outermost first
  std::vector<AbsolutePath> close_later_;  ///< read-only when all places in them are made
  AbsolutePath last_folder_;  ///< the own folder that was used last, and its descriptor
  Fd last_folder_fd_;
};

}  // namespace asb
