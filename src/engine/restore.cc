#include "engine/restore.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "sys/error.h"
#include "sys/mount.h"
#include "sys/namespaces.h"

namespace asb {
namespace {

constexpr int kMostTries = 8;

/// Whether what is at a place is already as closed as it has to be. It may be another mount than
/// the planned one, moved here together with its file.
bool IsCovered(const PlaceStatus& status, Guard guard) {
  switch (guard) {
    case Guard::kHidden:
    case Guard::kLate:
      return status.is_mount && status.read_only && (status.mode & 07777U) == 0;
    case Guard::kPassage:
    case Guard::kReadOnly:
      return status.is_mount && status.read_only;
    case Guard::kPinned:
      return status.is_mount || !S_ISDIR(status.mode);
    case Guard::kPrivate:
      return status.is_mount;
  }
  return false;
}

/// The command, which may do less than this process, cannot get there either.
bool IsNothingThere(int error) {
  constexpr std::array<int, 9> kErrors{ENOENT, ENOTDIR, ELOOP,    EACCES,      ESTALE,
                                       EIO,    ENODEV,  ENOTCONN, ENAMETOOLONG};
  return std::find(kErrors.begin(), kErrors.end(), error) != kErrors.end();
}

}  // namespace

Result<void> Restorer::Enter(Fd mount_namespace, int proc) {
  inside_ = std::move(mount_namespace);
  proc_ = proc;
  if (auto done = EnterMountNamespace(inside_.get()); !done) return done;
  auto root = OpenRoot();
  if (!root) return tl::make_unexpected(root.error());
  root_ = std::move(*root);
  return {};
}

Result<void> Restorer::Prepare() {
  close_later_.clear();
  if (workshop_.IsOpen()) return {};
  if (auto done = MakeWorkshop(); !done) return During("making masks", done.error());
  return EnterMountNamespace(inside_.get());
}

/// Leaves this process in it.
Result<void> Restorer::MakeWorkshop() {
  if (auto done = CopyMountNamespace(); !done) return done;
  if (auto done = MakeMountsPrivate(); !done) return done;
  auto workshop = MyMountNamespace(proc_);
  if (!workshop) return tl::make_unexpected(workshop.error());
  auto place = OpenRoot();
  auto masks = place ? MakeMasks(place->get()) : tl::make_unexpected(place.error());
  if (!masks) return tl::make_unexpected(masks.error());
  masks_ = std::move(*masks);
  workshop_ = std::move(*workshop);
  return {};
}

Result<Fd> Restorer::Open(const AbsolutePath& path) const {
  auto place = OpenPlace(root_.get(), path.text());
  if (!place && IsNothingThere(place.error().sys_errno)) return Fd();
  return place;
}

Result<Ensured> Restorer::Ensure(const AbsolutePath& path, Guard guard) {
  Ensured out;
  for (int tries = 0; tries < kMostTries; ++tries) {
    auto place = Open(path);
    if (!place) return tl::make_unexpected(place.error());
    if (!place->IsOpen()) return out;
    const auto status = PlaceStatusOf(place->get());
    if (!status) return tl::make_unexpected(status.error());
    if (IsCovered(*status, guard)) return out;
    const auto covered = Cover(place->get(), guard, S_ISDIR(status->mode));
    if (!covered) return tl::make_unexpected(covered.error());
    out.times += *covered ? 1 : 0;
  }
  out.settled = false;
  return out;
}

/// False when the place is being removed or renamed over: it is a name still, and can be opened,
/// but nothing can be mounted on it any more.
Result<bool> Restorer::Cover(int place, Guard guard, bool is_folder) {
  auto cover = guard == Guard::kReadOnly ? CopyTree(place, TreeFlags::kReadOnly)
               : guard == Guard::kPinned ? CopyTree(place, TreeFlags::kWritable)
                                         : TakeMask(is_folder);
  if (!cover) return tl::make_unexpected(cover.error());
  const auto attached = Attach(cover->get(), place);
  if (attached) return true;
  if (attached.error().sys_errno != ENOENT) return tl::make_unexpected(attached.error());
  if (guard == Guard::kReadOnly || guard == Guard::kPinned) {
    close_later_.push_back(std::move(*cover));
  } else {
    unused_[is_folder ? 1 : 0] = std::move(*cover);
  }
  return false;
}

/// A detached copy of a mask.
Result<Fd> Restorer::TakeMask(bool is_folder) {
  Fd& unused = unused_[is_folder ? 1 : 0];
  if (unused.IsOpen()) return std::move(unused);
  // A mount can be copied only in the namespace that it is in.
  const auto entered = workshop_.IsOpen() ? EnterMountNamespace(workshop_.get()) : MakeWorkshop();
  if (!entered) return tl::make_unexpected(entered.error());
  auto copy = CopyMount(is_folder ? masks_.folder.get() : masks_.file.get());
  if (auto back = EnterMountNamespace(inside_.get()); !back) {
    return tl::make_unexpected(back.error());
  }
  return copy;
}

}  // namespace asb
