#include "host/tree.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "base/text.h"
#include "sys/descriptors.h"
#include "sys/error.h"
#include "sys/folders.h"

namespace asb {
namespace {

constexpr std::size_t kBatch = 1024;  // names in memory at a time
constexpr mode_t kOpenToOwner = 0700;

class Measurer {
 public:
  explicit Measurer(const TreeBudget& budget)
      : budget_(budget), until_(Milliseconds() + budget.milliseconds) {}

  TreeSize Run(Fd root);

 private:
  /// A folder on the way down, by what it is, so that the way up can be checked.
  struct Level {
    NodeStatus node;
    std::vector<std::string> folders;  ///< still to be entered
  };

  void Enter(Fd folder);
  bool Leave();
  bool Count(const std::string& name);

  const TreeBudget& budget_;
  std::int64_t until_;
  std::vector<Level> levels_;
  Fd at_;
  TreeSize size_;
};

TreeSize Measurer::Run(Fd root) {
  Enter(std::move(root));
  while (!levels_.empty()) {
    if (levels_.back().folders.empty()) {
      if (!Leave()) break;
      continue;
    }
    const std::string name = std::move(levels_.back().folders.back());
    levels_.back().folders.pop_back();
    auto folder = OpenFolder(at_.get(), name, Mounts::kStay);
    if (!folder) {
      size_.complete = false;
    } else {
      Enter(std::move(*folder));
    }
  }
  return size_;
}

void Measurer::Enter(Fd folder) {
  at_ = std::move(folder);
  const auto node = StatusOf(at_.get());
  levels_.push_back({node.value_or(NodeStatus{}), {}});
  for (;;) {
    const auto names = NextNames(at_.get(), kBatch);
    if (!names) size_.complete = false;
    if (!names || names->empty()) return;
    for (const std::string& name : *names) {
      if (Count(name)) continue;
      for (Level& level : levels_) level.folders.clear();  // the budget is used up
      return;
    }
  }
}

bool Measurer::Count(const std::string& name) {
  if (size_.entries >= budget_.entries || Milliseconds() > until_) {
    size_.complete = false;
    return false;
  }
  ++size_.entries;
  const auto status = StatusIn(at_.get(), name);
  if (!status) return true;  // gone again
  size_.bytes += status->bytes;
  if (S_ISDIR(status->mode)) levels_.back().folders.push_back(name);
  return true;
}

/// Back to the folder above; false when it is not the one that was come from, or the last.
bool Measurer::Leave() {
  levels_.pop_back();
  if (levels_.empty()) return true;
  auto above = OpenParent(at_.get());
  const auto node = above ? StatusOf(above->get()) : tl::make_unexpected(above.error());
  if (!node || !IsSameNode(*node, levels_.back().node)) {
    size_.complete = false;
    return false;
  }
  at_ = std::move(*above);
  return true;
}

/// Opens a folder to take it apart, whatever mode it was given.
Result<Fd> OpenToRemove(int folder, const std::string& name) {
  const auto status = StatusIn(folder, name);
  if (!status) return tl::make_unexpected(status.error());
  if ((status->mode & kOpenToOwner) != kOpenToOwner) {
    const auto place = OpenFolderPlace(folder, name, Mounts::kStay);
    if (!place) return tl::make_unexpected(place.error());
    if (auto done = SetMode(place->get(), kOpenToOwner); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  return OpenFolder(folder, name, Mounts::kStay);
}

/// Every folder with something in it is moved up into the topmost one before it is taken apart: so
/// depth costs neither descriptors nor memory, and no path becomes too long.
class Remover {
 public:
  explicit Remover(Fd root) : root_(std::move(root)) {}
  Result<void> Run() { return Empty(root_.get()); }

 private:
  Result<void> Empty(int folder);
  Result<void> RemoveOne(int folder, const std::string& name);
  Result<void> MoveUp(int folder, const std::string& name);

  Fd root_;
  std::uint64_t moved_ = 0;
};

Result<void> Remover::Empty(int folder) {
  bool found = false;
  for (;;) {
    const auto names = NextNames(folder, kBatch);
    if (!names) return tl::make_unexpected(names.error());
    if (names->empty() && !found) return {};
    if (names->empty()) StartOver(folder);
    found = !names->empty();
    for (const std::string& name : *names) {
      auto done = RemoveOne(folder, name);
      if (!done && done.error().sys_errno != ENOENT) {
        return During(fmt::format("removing '{}'", Printable(name)), done.error());
      }
    }
  }
}

Result<void> Remover::RemoveOne(int folder, const std::string& name) {
  auto done = Remove(folder, name, NodeKind::kOther);
  if (done || (done.error().sys_errno != EISDIR && done.error().sys_errno != EPERM)) return done;
  auto removed = Remove(folder, name, NodeKind::kFolder);
  if (removed) return {};
  const int error = removed.error().sys_errno;
  if (error == ENOTDIR) return done;
  if (error != ENOTEMPTY && error != EEXIST) return removed;
  if (folder != root_.get()) return MoveUp(folder, name);
  auto opened = OpenToRemove(folder, name);
  if (!opened) return tl::make_unexpected(opened.error());
  if (auto emptied = Empty(opened->get()); !emptied) return emptied;
  return Remove(folder, name, NodeKind::kFolder);
}

Result<void> Remover::MoveUp(int folder, const std::string& name) {
  // To be moved, a folder has to be writable itself: its ".." changes.
  if (auto opened = OpenToRemove(folder, name); !opened) {
    return tl::make_unexpected(opened.error());
  }
  for (;;) {
    auto done =
        Rename(folder, name, root_.get(), fmt::format(".up-{}", ++moved_), WhenTaken::kFail);
    if (done || done.error().sys_errno != EEXIST) return done;
  }
}

}  // namespace

TreeSize MeasureTree(int folder, const std::string& name, const TreeBudget& budget) {
  auto root = OpenFolder(folder, name, Mounts::kStay);
  if (!root) return {0, 0, false};
  return Measurer(budget).Run(std::move(*root));
}

Result<void> RemoveTree(int folder, const std::string& name) {
  auto root = OpenToRemove(folder, name);
  if (!root) return tl::make_unexpected(root.error());
  if (auto done = Remover(std::move(*root)).Run(); !done) return done;
  return Remove(folder, name, NodeKind::kFolder);
}

}  // namespace asb
