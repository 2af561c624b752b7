#include "host/kept.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "host/state.h"
#include "sys/error.h"
#include "sys/files.h"
#include "sys/folders.h"
#include "sys/process.h"

namespace asb {
namespace {

constexpr const char* kLock = "lock";
constexpr const char* kAbout = "about";
constexpr const char* kNewAbout = "about.new";
constexpr int kMostTries = 200;
constexpr int kPause = 10;  // ms
constexpr std::size_t kMostHomes = 100'000;

/// Files and folders of ours are nobody else's, whatever the caller's mask says.
class OwnMask {
 public:
  OwnMask() : callers_(SetUmask(077)) {}
  ~OwnMask() { SetUmask(callers_); }
  OwnMask(const OwnMask&) = delete;
  OwnMask& operator=(const OwnMask&) = delete;

 private:
  mode_t callers_;
};

/// True when `name` in `folder` is still what `fd` has open.
bool IsStillThere(int folder, const std::string& name, int fd) {
  const auto named = StatusIn(folder, name);
  const auto opened = StatusOf(fd);
  return named && opened && IsSameNode(*named, *opened);
}

/// A regular file of ours; anything else by that name is set aside.
Result<Fd> OpenLock(int folder) {
  const auto before = StatusIn(folder, kLock);
  const bool foreign = before && (!S_ISREG(before->mode) || before->owner != CurrentIds().uid);
  if (foreign) {
    if (auto aside = SetAside(folder, kLock); !aside) return tl::make_unexpected(aside.error());
  }
  return OpenFile(folder, kLock, FileUse::kLock);
}

std::optional<KeptAbout> ReadAbout(int folder) {
  const auto file = OpenOwnFile(folder, kAbout);
  if (!file) return std::nullopt;
  const auto text = ReadOpenFile(file->get(), kLargestAbout);
  return text ? AboutFromJson(*text) : std::nullopt;
}

/// What cannot be written is not: a full disk loses a note, not a run.
void WriteAbout(int folder, const KeptAbout& about) {
  (void)Remove(folder, kNewAbout, NodeKind::kOther);  // of a run that was killed
  auto file = OpenFile(folder, kNewAbout, FileUse::kCreate);
  if (!file) return;
  bool written = WriteAll(file->get(), AboutToJson(about));
  if (written && !Rename(folder, kNewAbout, folder, kAbout, WhenTaken::kReplace)) {
    // A folder by that name, which cannot be replaced.
    written =
        SetAside(folder, kAbout) && Rename(folder, kNewAbout, folder, kAbout, WhenTaken::kReplace);
  }
  if (!written) (void)Remove(folder, kNewAbout, NodeKind::kOther);
}

/// One try to have the folder and its shared lock. Nothing when a removal was quicker.
Result<bool> TryHold(const std::string& key, HeldHome& held) {
  auto folder = OpenOwnFolder(held.homes.get(), key);
  if (!folder && folder.error().sys_errno == ENOENT) return false;
  if (!folder) return tl::make_unexpected(folder.error());
  auto lock = OpenLock(folder->get());
  if (!lock && lock.error().sys_errno == ENOENT) return false;
  if (!lock) return tl::make_unexpected(lock.error());
  auto locked = TryLock(lock->get(), LockKind::kShared);
  if (!locked || !*locked) return locked;
  if (!IsStillThere(held.homes.get(), key, folder->get())) return false;
  if (!IsStillThere(folder->get(), kLock, lock->get())) return false;
  held.folder = std::move(*folder);
  held.lock = std::move(*lock);
  return true;
}

Result<void> Hold(const KeptHome& kept, HeldHome& held) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const auto done = TryHold(kept.key, held);
    if (!done) return tl::make_unexpected(StateError(kept.folder.Parent().text(), done.error()));
    if (*done) return {};
    WaitBriefly(kPause);
  }
  Error busy;
  busy.what = "is being removed by another agent-sandbox";
  busy.hint = "try again";
  return tl::make_unexpected(StateError(kept.folder.Parent().text(), busy));
}

bool HasOther(const HeldHome& held, const KeptHome& kept) {
  const auto rows = ListHomes(held.homes.get(), std::nullopt);
  return rows && std::any_of(rows->begin(), rows->end(), [&](const KeptRow& row) {
           return !row.leftover && row.key != kept.key &&
                  row.about.workspace == held.about.workspace;
         });
}

/// True when nobody has the home; the lock is then held by `lock`.
Result<bool> LockAlone(int folder, Fd& lock) {
  auto opened = OpenLock(folder);
  if (!opened) return tl::make_unexpected(opened.error());
  lock = std::move(*opened);
  return TryLock(lock.get(), LockKind::kExclusive);
}

KeptRow RowOf(int homes, const std::string& key, const std::optional<TreeBudget>& budget) {
  KeptRow row;
  row.key = key;
  row.leftover = IsSetAside(key);
  auto folder = OpenFolder(homes, key, Mounts::kStay);
  if (!folder) {
    row.leftover = true;  // no folder of ours: RemoveHome knows what to do
    return row;
  }
  if (auto about = ReadAbout(folder->get())) row.about = std::move(*about);
  if (budget) {
    const TreeSize size = row.leftover
                              ? MeasureTree(homes, key, *budget)
                              : MeasureTree(folder->get(), std::string(kHomeFolder), *budget);
    row.about.bytes = size.bytes;
    row.about.measured = size.complete;
  }
  if (row.leftover) return row;
  Fd lock;
  const auto alone = LockAlone(folder->get(), lock);
  row.in_use = !alone || !*alone;
  return row;
}

}  // namespace

Result<Fd> OpenHomes(const AbsolutePath& state) {
  return OpenStateFolder(state, kHomesFolder, WhenNoState::kNothing);
}

Result<HeldHome> HoldHome(const KeptHome& kept, const AbsolutePath& workspace) {
  const OwnMask mask;
  HeldHome held;
  auto homes = OpenStateFolder(kept.state, kHomesFolder, WhenNoState::kMake);
  if (!homes) return tl::make_unexpected(homes.error());
  held.homes = std::move(*homes);
  if (auto done = Hold(kept, held); !done) return tl::make_unexpected(done.error());
  held.fresh = !StatusIn(held.folder.get(), std::string(kHomeFolder));
  const auto home = OpenOwnFolder(held.folder.get(), std::string(kHomeFolder));
  if (!home) return tl::make_unexpected(StateError(kept.folder.text(), home.error()));
  held.about = ReadAbout(held.folder.get()).value_or(KeptAbout{});
  held.about.workspace = workspace.text();
  held.about.reach = kept.reach;
  held.about.used = WallClock();
  if (held.about.created == 0) held.about.created = held.about.used;
  WriteAbout(held.folder.get(), held.about);
  held.has_other = held.fresh && HasOther(held, kept);
  return held;
}

std::string ReleaseHome(HeldHome held, const KeptLimits& limits) {
  const OwnMask mask;
  const TreeSize size = MeasureTree(held.folder.get(), std::string(kHomeFolder), TreeBudget{});
  held.about.used = WallClock();
  held.about.bytes = size.bytes;
  held.about.measured = size.complete;
  WriteAbout(held.folder.get(), held.about);
  if (const auto rows = ListHomes(held.homes.get(), std::nullopt)) {
    KeptLimits only_size = limits;
    only_size.older_than = held.about.used;  // nothing is older than that
    for (const std::string& key : ChooseRemovals(*rows, only_size, held.about.used)) {
      if (!IsSetAside(key)) (void)RemoveHome(held.homes.get(), key);
    }
  }
  if (size.bytes <= limits.bytes) return {};
  return fmt::format(
      "the kept home of this project has grown to {} (at most {}); agent-sandbox gc --all empties "
      "it",
      SizeText(size.bytes), SizeText(limits.bytes));
}

Result<std::vector<KeptRow>> ListHomes(int homes, const std::optional<TreeBudget>& budget) {
  std::vector<KeptRow> rows;
  StartOver(homes);
  for (;;) {
    const auto names = NextNames(homes, kMostHomes);
    if (!names) return tl::make_unexpected(names.error());
    if (names->empty()) break;
    for (const std::string& name : *names) rows.push_back(RowOf(homes, name, budget));
  }
  std::sort(rows.begin(), rows.end(),
            [](const KeptRow& a, const KeptRow& b) { return a.key < b.key; });
  return rows;
}

Result<bool> RemoveHome(int homes, const std::string& key) {
  const OwnMask mask;
  const auto status = StatusIn(homes, key);
  if (!status) return tl::make_unexpected(status.error());
  if (!S_ISDIR(status->mode)) {
    if (auto done = Remove(homes, key, NodeKind::kOther); !done) {
      return tl::make_unexpected(done.error());
    }
    return true;
  }
  Fd lock;
  std::string name = key;
  if (!IsSetAside(key)) {
    const auto folder = OpenFolder(homes, key, Mounts::kStay);
    if (!folder) return tl::make_unexpected(folder.error());
    auto alone = LockAlone(folder->get(), lock);
    if (!alone || !*alone) return alone;
    if (!IsStillThere(homes, key, folder->get())) return false;
    auto aside = SetAside(homes, key);
    if (!aside) return tl::make_unexpected(aside.error());
    name = std::move(*aside);
  }
  if (auto done = RemoveTree(homes, name); !done) return tl::make_unexpected(done.error());
  return true;
}

}  // namespace asb
