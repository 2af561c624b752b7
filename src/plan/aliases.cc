#include "plan/aliases.h"

#include <algorithm>

namespace asb {

MountAliases::MountAliases(const std::vector<MountFact>& mounts) : mounts_(mounts) {
  for (const MountFact& mount : mounts) repeated_[mount.device].push_back(&mount);
  std::erase_if(repeated_, [](const auto& row) { return row.second.size() < 2; });
}

/// The mount that `path` is seen in: of those that hold it the last, which covers the others.
const MountFact* MountAliases::Holder(const AbsolutePath& path) const {
  const auto holds = [&](const MountFact& mount) { return path.IsWithin(mount.at); };
  const auto last = std::find_if(mounts_.rbegin(), mounts_.rend(), holds);
  return last == mounts_.rend() ? nullptr : &*last;
}

/// Other places where `inside` of the file system that `seen` shows is mounted.
void MountAliases::AddOthers(const MountFact& seen, const AbsolutePath& inside,
                             std::vector<AbsolutePath>& out) const {
  const auto others = repeated_.find(seen.device);
  if (others == repeated_.end()) return;
  for (const MountFact* mount : others->second) {
    if (mount == &seen) continue;
    if (inside.IsWithin(mount->root)) {
      out.push_back(inside.Moved(mount->root, mount->at));
    } else if (mount->root.IsWithin(inside)) {
      out.push_back(mount->at);  // only a part of it is seen there
    }
  }
}

std::vector<AbsolutePath> MountAliases::Of(const AbsolutePath& path) const {
  std::vector<AbsolutePath> out;
  if (repeated_.empty()) return out;
  if (const MountFact* holder = Holder(path)) {
    AddOthers(*holder, path.Moved(holder->at, holder->root), out);
  }
  // What is mounted below it belongs to it as well.
  for (const MountFact& mount : mounts_) {
    if (mount.at != path && mount.at.IsWithin(path)) AddOthers(mount, mount.root, out);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::erase_if(out, [&](const AbsolutePath& alias) { return alias.IsWithin(path); });
  return out;
}

}  // namespace asb
