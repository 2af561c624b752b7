#include "plan/aliases.h"

namespace asb {

MountAliases::MountAliases(const std::vector<MountFact>& mounts) : mounts_(mounts) {
  for (const MountFact& mount : mounts) repeated_[mount.device].push_back(&mount);
  std::erase_if(repeated_, [](const auto& row) { return row.second.size() < 2; });
}

/// The mount that `path` is seen in: the deepest, and of several on one place the last.
const MountFact* MountAliases::Holder(const AbsolutePath& path) const {
  const MountFact* best = nullptr;
  for (const MountFact& mount : mounts_) {
    const bool deeper = best == nullptr || mount.at.IsWithin(best->at);
    if (deeper && path.IsWithin(mount.at)) best = &mount;
  }
  return best;
}

std::vector<AbsolutePath> MountAliases::Of(const AbsolutePath& path) const {
  std::vector<AbsolutePath> out;
  if (repeated_.empty()) return out;
  const MountFact* holder = Holder(path);
  if (holder == nullptr) return out;
  const auto others = repeated_.find(holder->device);
  if (others == repeated_.end()) return out;
  const AbsolutePath inside = path.Moved(holder->at, holder->root);  // in the file system itself
  for (const MountFact* mount : others->second) {
    if (mount == holder) continue;
    AbsolutePath alias;
    if (inside.IsWithin(mount->root)) {
      alias = inside.Moved(mount->root, mount->at);
    } else if (mount->root.IsWithin(inside)) {
      alias = mount->at;  // only a part of it is seen there
    } else {
      continue;
    }
    if (!alias.IsWithin(path)) out.push_back(std::move(alias));
  }
  return out;
}

}  // namespace asb
