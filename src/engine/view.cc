#include "engine/view.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "sys/descriptors.h"
#include "sys/error.h"
#include "sys/folders.h"
#include "sys/mount.h"

namespace asb {
namespace {

constexpr std::uint64_t kOwnBytes = std::uint64_t{16} << 20U;  // names, links and mount points
constexpr mode_t kFolderMode = 0755;

/// Folders of the workshop, the file system in memory that is the root while the view is built.
constexpr const char* kWorkshopPlace = "/tmp";
constexpr const char* kHost = "host";
constexpr const char* kView = "view";
constexpr const char* kMasks = "masks";

constexpr std::array<const char*, 6> kDeviceNames{"null",   "zero",    "full",
                                                  "random", "urandom", "tty"};

struct DeviceLink {
  const char* name;
  const char* target;
};
constexpr std::array<DeviceLink, 5> kDeviceLinks{{{"fd", "/proc/self/fd"},
                                                  {"stdin", "/proc/self/fd/0"},
                                                  {"stdout", "/proc/self/fd/1"},
                                                  {"stderr", "/proc/self/fd/2"},
                                                  {"ptmx", "pts/ptmx"}}};

/// What earlier runs have left in the kept home where a mount needs a place is given another name
/// in the same folder. `folder_wanted`: a folder or a file may stay; nothing may when it is not
/// said.
Result<void> ClearTheWay(int folder, const std::string& name, std::optional<bool> folder_wanted) {
  const auto status = StatusIn(folder, name);
  if (!status && status.error().sys_errno == ENOENT) return {};
  if (!status) return tl::make_unexpected(status.error());
  if (folder_wanted && (*folder_wanted ? S_ISDIR(status->mode) : S_ISREG(status->mode))) return {};
  constexpr std::size_t kLongest = 200;  // bytes of a name that leave room for more
  constexpr int kMostNumbers = 100;
  const std::string aside = name.substr(0, kLongest) + ".replaced";
  for (int number = 1;; ++number) {
    // Whoever has taken all of them cannot know the time of the next start.
    const std::int64_t suffix = number > kMostNumbers ? Milliseconds() : number;
    auto done = Rename(folder, name, folder,
                       number == 1 ? aside : fmt::format("{}{}", aside, suffix), WhenTaken::kFail);
    if (done || done.error().sys_errno != EEXIST || number > 2 * kMostNumbers) return done;
  }
}

/// Says where it happened: the reason, a full disk perhaps, is another one there.
Result<void> InKept(const Result<void>& done) {
  if (done) return done;
  return During(kInKeptHome, done.error());
}

std::string Doing(const MountStep& step) {
  return fmt::format("{} '{}'", WordFor(step.kind), Printable(step.target.text()));
}

}  // namespace

Result<void> ViewBuilder::Build(const Order& order) {
  user_home_ = order.user_home;
  // A view that shows the host's root mounts it in its first step.
  const bool shows_root = !order.mounts.empty() && order.mounts.front().target.IsRoot();
  if (!shows_root) {
    if (auto done = MakeRoot(); !done) return During("making an empty root", done.error());
  }
  for (const MountStep& step : order.mounts) {
    while (!holders_.empty() && !step.target.IsWithin(holders_.back()->target)) {
      holders_.pop_back();
    }
    if (auto done = Take(step); !done) return During(Doing(step), done.error());
    if (step.kind != MountKind::kLink) holders_.push_back(&step);
  }
  return CloseWorkshop();
}

/// The workshop becomes the root and the host's tree appears in it as a folder, so that nothing
/// that is built here lies in the tree that is copied from.
Result<void> ViewBuilder::OpenWorkshop() {
  if (auto done = MakeMountsPrivate(); !done) return During("keeping mounts private", done.error());
  auto workshop = NewMemoryFolder(kFolderMode, kOwnBytes);
  if (!workshop) return During("making a file system in memory", workshop.error());
  auto root = OpenRoot();
  auto place = root ? OpenPlace(root->get(), kWorkshopPlace) : std::move(root);
  if (!place) return During(fmt::format("opening {}", kWorkshopPlace), place.error());
  if (auto done = Attach(workshop->get(), place->get()); !done) {
    return During(fmt::format("mounting on {}", kWorkshopPlace), done.error());
  }
  for (const char* name : {kHost, kView, kMasks}) {
    if (auto done = MakeFolder(workshop->get(), name, kFolderMode); !done) return done;
  }
  if (auto done = PivotRoot(workshop->get(), kHost); !done) {
    return During("changing the root", done.error());
  }
  for (auto [fd, name] : {std::pair(&host_, kHost), std::pair(&view_, kView)}) {
    auto opened = OpenPlace(workshop->get(), name);
    if (!opened) return During("opening the workshop", opened.error());
    *fd = std::move(*opened);
  }
  auto masks_place = OpenPlace(workshop->get(), kMasks);
  auto masks = masks_place ? MakeMasks(masks_place->get())
                           : Result<Masks>(tl::make_unexpected(masks_place.error()));
  if (!masks) return During("making masks", masks.error());
  masks_ = std::move(*masks);
  return {};
}

Result<void> ViewBuilder::MakeRoot() {
  auto empty = NewMemoryFolder(kFolderMode, kOwnBytes);
  if (!empty) return tl::make_unexpected(empty.error());
  close_later_.emplace_back();
  return AttachRoot(std::move(*empty));
}

/// The host's root is the root again; the workshop, with the view in it, lies on top of /tmp.
Result<void> ViewBuilder::CloseWorkshop() {
  for (const AbsolutePath& folder : close_later_) {
    auto mount = OpenPlace(view_.get(), folder.text());
    Result<void> done = mount ? MakeReadOnly(mount->get()) : tl::make_unexpected(mount.error());
    if (!done) {
      return During(fmt::format("closing '{}'", Printable(folder.text())), done.error());
    }
  }
  if (auto done = PivotRoot(host_.get(), kWorkshopPlace + 1); !done) {
    return During("changing the root back", done.error());
  }
  return {};
}

Result<void> ViewBuilder::Take(const MountStep& step) {
  switch (step.kind) {
    case MountKind::kReadOnly:
      return Show(step, TreeFlags::kReadOnly);
    case MountKind::kWritable:
    case MountKind::kPin:
      return Show(step, TreeFlags::kWritable);
    case MountKind::kHiddenFile:
      return Cover(step, masks_.file, PlaceKind::kFile);
    case MountKind::kHiddenFolder:
      return Cover(step, masks_.folder, PlaceKind::kFolder);
    case MountKind::kPrivate: {
      const mode_t mode = step.target == user_home_ ? 0700 : 01777;
      auto made = Empty(step, mode, kPrivateBytes);
      return made ? Result<void>() : tl::make_unexpected(made.error());
    }
    case MountKind::kKept:
      // A plan that was not finished names the real home.
      if (step.source == step.target) return SysError(EINVAL);
      return Show(step, TreeFlags::kWritable);
    case MountKind::kPassage: {
      auto made = Empty(step, 0555, kOwnBytes);
      close_later_.push_back(step.target);
      return made ? Result<void>() : tl::make_unexpected(made.error());
    }
    case MountKind::kLink:
      return MakeLinkAt(step);
    case MountKind::kProc: {
      if (!IsOwn(step.target.Parent())) return {};  // the host's own place for it
      auto folder = OwnFolder(step.target);
      return folder ? Result<void>() : tl::make_unexpected(folder.error());
    }
    case MountKind::kDevices:
      return MakeDevices(step);
    case MountKind::kMade:
      return MakeContent(step);
  }
  return SysError(EINVAL);
}

Result<void> ViewBuilder::Show(const MountStep& step, TreeFlags flags) {
  auto source = OpenPlace(host_.get(), step.source.text());
  if (!source) return tl::make_unexpected(source.error());
  const PlaceKind kind = IsFolderPlace(source->get()) ? PlaceKind::kFolder : PlaceKind::kFile;
  auto tree = CopyTree(source->get(), flags);
  if (!tree) return tl::make_unexpected(tree.error());
  if (step.target.IsRoot()) return AttachRoot(std::move(*tree));
  return MountOn(step.target, kind, tree->get());
}

Result<void> ViewBuilder::Cover(const MountStep& step, const Fd& mask, PlaceKind kind) {
  auto copy = CopyMount(mask.get());
  if (!copy) return tl::make_unexpected(copy.error());
  return MountOn(step.target, kind, copy->get());
}

Result<Fd> ViewBuilder::Empty(const MountStep& step, mode_t mode, std::uint64_t bytes) {
  auto empty = NewMemoryFolder(mode, bytes);
  if (!empty) return empty;
  if (auto done = MountOn(step.target, PlaceKind::kFolder, empty->get()); !done) {
    return tl::make_unexpected(done.error());
  }
  return empty;
}

/// A file of the sandbox's own. Where the host's folder is seen it lies on top of the host's file.
Result<void> ViewBuilder::MakeContent(const MountStep& step) {
  const std::string name(step.target.Name());
  if (IsOwn(step.target.Parent())) {
    auto folder = OwnFolder(step.target.Parent());
    if (!folder) return tl::make_unexpected(folder.error());
    return WriteNewFile(*folder, name, 0444, step.content);
  }
  auto memory = NewMemoryFolder(kFolderMode, kOwnBytes);
  if (!memory) return tl::make_unexpected(memory.error());
  if (auto done = WriteNewFile(memory->get(), name, 0444, step.content); !done) return done;
  if (auto done = MakeReadOnly(memory->get()); !done) return done;
  auto file = OpenPlace(memory->get(), name);
  auto copy = file ? CopyMount(file->get()) : std::move(file);
  if (!copy) return tl::make_unexpected(copy.error());
  return MountOn(step.target, PlaceKind::kFile, copy->get());
}

/// A few harmless devices of the host, and terminals that the host does not know.
Result<void> ViewBuilder::MakeDevices(const MountStep& step) {
  auto folder = Empty(step, kFolderMode, kOwnBytes);
  if (!folder) return tl::make_unexpected(folder.error());
  for (const char* name : kDeviceNames) {
    auto source = OpenPlace(host_.get(), fmt::format("/dev/{}", name));
    auto tree = source ? CopyTree(source->get(), TreeFlags::kDevice) : std::move(source);
    if (!tree) return During(name, tree.error());
    if (auto done = MakeFile(folder->get(), name, 0); !done) return done;
    if (auto done = AttachAt(tree->get(), folder->get(), name); !done) {
      return During(name, done.error());
    }
  }
  for (const DeviceLink& link : kDeviceLinks) {
    if (auto done = MakeLink(link.target, folder->get(), link.name); !done) return done;
  }
  if (auto done = MakeFolder(folder->get(), "pts", kFolderMode); !done) return done;
  auto terminals = NewTerminals();
  if (!terminals) return During("pts", terminals.error());
  if (auto done = AttachAt(terminals->get(), folder->get(), "pts"); !done) {
    return During("pts", done.error());
  }
  close_later_.push_back(step.target);
  return {};
}

/// What is mounted there becomes the view's root from now on.
Result<void> ViewBuilder::AttachRoot(Fd tree) {
  if (auto done = Attach(tree.get(), view_.get()); !done) return done;
  view_ = std::move(tree);
  return {};
}

Result<void> ViewBuilder::MakeLinkAt(const MountStep& step) {
  const AbsolutePath parent = step.target.Parent();
  if (!IsOwn(parent)) return SysError(EROFS);
  auto folder = OwnFolder(parent);
  if (!folder) return tl::make_unexpected(folder.error());
  const std::string name(step.target.Name());
  if (IsKept(parent)) {
    if (const auto there = ReadLinkIn(*folder, name); there && *there == step.link_target) {
      return {};
    }
    if (auto done = ClearTheWay(*folder, name, std::nullopt); !done) return InKept(done);
  }
  return MakeLink(step.link_target, *folder, name);
}

/// The step whose mount `folder` of the view lies in; none: the empty root.
const MountStep* ViewBuilder::HolderOf(const AbsolutePath& folder) const {
  const auto holds = [&](const MountStep* step) { return folder.IsWithin(step->target); };
  const auto holder = std::find_if(holders_.rbegin(), holders_.rend(), holds);
  return holder == holders_.rend() ? nullptr : *holder;
}

/// Whether `folder` of the view lies in a file system that this launch made, or in the kept home:
/// where a place may be created.
bool ViewBuilder::IsOwn(const AbsolutePath& folder) const {
  const MountStep* holder = HolderOf(folder);
  if (holder == nullptr) return true;
  const MountKind kind = holder->kind;
  return kind == MountKind::kPrivate || kind == MountKind::kPassage ||
         kind == MountKind::kDevices || kind == MountKind::kKept;
}

/// Whether earlier runs have written there, and others may be writing now.
bool ViewBuilder::IsKept(const AbsolutePath& folder) const {
  const MountStep* holder = HolderOf(folder);
  return holder != nullptr && holder->kind == MountKind::kKept;
}

/// Mounts `tree` at `target`. The place is made where it is missing and may be made; a place of the
/// host is opened without following a link.
Result<void> ViewBuilder::MountOn(const AbsolutePath& target, PlaceKind kind, int tree) {
  if (!IsOwn(target.Parent())) {
    auto place = OpenPlace(view_.get(), target.text());
    if (!place) return tl::make_unexpected(place.error());
    const bool is_folder = IsFolderPlace(place->get());
    if (is_folder != (kind == PlaceKind::kFolder)) return SysError(is_folder ? EISDIR : ENOTDIR);
    return Attach(tree, place->get());
  }
  auto folder = OwnFolder(target.Parent());
  if (!folder) return tl::make_unexpected(folder.error());
  const std::string name(target.Name());
  const bool kept = IsKept(target.Parent());
  if (kept) {
    if (auto done = ClearTheWay(*folder, name, kind == PlaceKind::kFolder); !done) {
      return InKept(done);
    }
  }
  auto made = kind == PlaceKind::kFolder ? MakeFolder(*folder, name, kFolderMode)
                                         : MakeFile(*folder, name, 0444);
  if (!made) return kept ? InKept(made) : made;
  if (!kept) return AttachAt(tree, *folder, name);
  // Opened and looked at, because another run may replace it at this moment.
  auto place = OpenPlace(*folder, name);
  if (!place) return InKept(tl::make_unexpected(place.error()));
  if (IsFolderPlace(place->get()) != (kind == PlaceKind::kFolder)) return SysError(ESTALE);
  return Attach(tree, place->get());
}

/// A folder of the launch's own, made if it is missing. Valid until the next call.
Result<int> ViewBuilder::OwnFolder(const AbsolutePath& folder) {
  if (last_folder_fd_.IsOpen() && last_folder_ == folder) return last_folder_fd_.get();
  auto opened = OpenPlace(view_.get(), folder.text());
  const int error = opened ? 0 : opened.error().sys_errno;
  const bool kept = IsKept(folder.Parent());
  const bool is_file = opened && kept && !IsFolderPlace(opened->get());
  const bool in_the_way = is_file || (kept && (error == ELOOP || error == ENOTDIR));
  if (error == ENOENT || in_the_way) {
    auto parent = OwnFolder(folder.Parent());
    if (!parent) return parent;
    const std::string name(folder.Name());
    if (kept) {
      if (auto done = ClearTheWay(*parent, name, true); !done) {
        return tl::make_unexpected(InKept(done).error());
      }
    }
    if (auto made = MakeFolder(*parent, name, kFolderMode); !made) {
      return tl::make_unexpected(kept ? InKept(made).error() : made.error());
    }
    opened = OpenPlace(view_.get(), folder.text());
  }
  if (!opened) return tl::make_unexpected(opened.error());
  last_folder_ = folder;
  last_folder_fd_ = std::move(*opened);
  return last_folder_fd_.get();
}

}  // namespace asb
