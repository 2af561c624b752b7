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
  constexpr std::array<int, 8> kErrors{ENOENT, ENOTDIR, ELOOP,  EACCES,
                                       ESTALE, EIO,     ENODEV, ENOTCONN};
  return std::find(kErrors.begin(), kErrors.end(), error) != kErrors.end();
}

}  // namespace

Result<void> Restorer::Enter(Fd mount_namespace, int proc) {
  inside_ = std::move(mount_namespace);
  if (auto done = EnterMountNamespace(inside_.get()); !done) return done;
  auto root = OpenRoot();
  if (!root) return tl::make_unexpected(root.error());
  root_ = std::move(*root);
  if (auto done = CopyMountNamespace(); !done) return During("copying the view", done.error());
  if (auto done = MakeMountsPrivate(); !done) return During("keeping mounts private", done.error());
  auto workshop = MyMountNamespace(proc);
  if (!workshop) return During("opening the copy of the view", workshop.error());
  workshop_ = std::move(*workshop);
  auto place = OpenRoot();
  auto masks = place ? MakeMasks(place->get()) : tl::make_unexpected(place.error());
  if (!masks) return During("making masks", masks.error());
  masks_ = std::move(*masks);
  return Prepare();
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
    const auto status = StatusOf(place->get());
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
  const bool is_mask = guard != Guard::kReadOnly && guard != Guard::kPinned;
  if (is_mask) {
    if (auto done = MakeSpares(); !done) return tl::make_unexpected(done.error());
  }
  auto cover = is_mask ? std::exchange(spare_[is_folder ? 1 : 0], Fd())
                       : CopyTree(place, guard == Guard::kReadOnly ? TreeFlags::kReadOnly
                                                                   : TreeFlags::kWritable);
  if (!cover) return tl::make_unexpected(cover.error());
  const auto attached = Attach(cover->get(), place);
  if (attached) return true;
  if (attached.error().sys_errno != ENOENT) return tl::make_unexpected(attached.error());
  if (is_mask) {
    spare_[is_folder ? 1 : 0] = std::move(*cover);
  } else {
    close_later_.push_back(std::move(*cover));
  }
  return false;
}

Result<void> Restorer::Prepare() {
  close_later_.clear();
  return MakeSpares();
}

Result<void> Restorer::MakeSpares() {
  if (spare_[0].IsOpen() && spare_[1].IsOpen()) return {};
  // A mount can be copied only in the namespace that it is in.
  if (auto done = EnterMountNamespace(workshop_.get()); !done) return done;
  for (auto [spare, mask] :
       {std::pair(&spare_[0], &masks_.file), std::pair(&spare_[1], &masks_.folder)}) {
    if (spare->IsOpen()) continue;
    auto copy = CopyMount(mask->get());
    if (!copy) return tl::make_unexpected(copy.error());
    *spare = std::move(*copy);
  }
  return EnterMountNamespace(inside_.get());
}

}  // namespace asb
