#include "plan/alerts.h"

#include <algorithm>

#include "plan/view.h"
#include "plan/wording.h"

namespace asb {
namespace {

/// What the view itself shows is documented; everything else is somebody's choice, an offer too.
bool IsGrant(const ViewEntry& entry) {
  const Origin& origin = entry.why.origin;
  const bool of_view = origin.layer == LayerKind::kBuiltin && origin.line > 0;
  return ShowsHost(entry.access) && !of_view;
}

/// Whether `folder`, or something in it, may be among what is granted: most policies need no look
/// at the host to say no. `binds` are those of `entries`, which are sorted by path.
bool IsNearGrant(std::span<const ViewEntry> entries, const std::vector<const ViewEntry*>& binds,
                 const AbsolutePath& folder) {
  if (IsGrant(DecidingEntry(entries, folder))) return true;
  const auto first = std::lower_bound(
      entries.begin(), entries.end(), folder,
      [](const ViewEntry& entry, const AbsolutePath& path) { return entry.path < path; });
  for (auto entry = first; entry != entries.end() && entry->path.IsWithin(folder); ++entry) {
    if (IsGrant(*entry)) return true;
  }
  return std::any_of(binds.begin(), binds.end(), [&](const ViewEntry* bind) {
    return folder.IsWithin(bind->source) || bind->source.IsWithin(folder);
  });
}

/// The grant that shows `path` of the host, at its own place or where a bind shows it.
const ViewEntry* GrantOf(std::span<const ViewEntry> entries, const AbsolutePath& path) {
  const ViewEntry& own = DecidingEntry(entries, path);
  if (IsGrant(own) && path.Moved(own.path, own.source) == path) return &own;
  for (const ViewEntry& entry : entries) {
    if (!entry.bind || !path.IsWithin(entry.source)) continue;
    const ViewEntry& seen = DecidingEntry(entries, path.Moved(entry.source, entry.path));
    if (IsGrant(seen)) return &seen;
  }
  return nullptr;
}

}  // namespace

std::vector<Alert> FindAlerts(std::span<const BuiltinPath> table,
                              std::span<const ViewEntry> entries, const AbsolutePath& home,
                              const MountAliases& aliases, FileSource& host) {
  std::vector<Alert> out;
  Resolver resolver(host);
  std::vector<const ViewEntry*> binds;
  for (const ViewEntry& entry : entries) {
    if (entry.bind) binds.push_back(&entry);
  }
  const auto add = [&](const AbsolutePath& path, const BuiltinPath& row) {
    const ViewEntry* grant = GrantOf(entries, path);
    const auto is_it = [&](const Alert& alert) { return alert.path == path; };
    if (grant == nullptr || std::any_of(out.begin(), out.end(), is_it)) return;
    out.push_back({path, std::string(row.why), grant->why.origin});
  };
  for (const BuiltinPath& row : table) {
    const std::string pattern = ExpandAnchor(row.path, TextKind::kPattern, home, home);
    const auto folder = resolver.Resolve(LiteralFolder(pattern));
    if (!folder || folder->kind != FileKind::kFolder) continue;
    const std::vector<AbsolutePath> others = aliases.Of(folder->real);
    const auto near = [&](const AbsolutePath& path) { return IsNearGrant(entries, binds, path); };
    if (!near(folder->real) && std::none_of(others.begin(), others.end(), near)) continue;
    const auto found = resolver.ResolvePattern(pattern, LeadingDot::kMatches);
    if (!found) {  // a folder that cannot be listed, or holds too much: it may be there
      for (const ViewEntry& entry : entries) {
        if (entry.source.IsWithin(folder->real)) add(entry.source, row);
      }
      continue;
    }
    for (const Resolved& path : *found) {
      if (path.kind == FileKind::kMissing || path.kind == FileKind::kUnreadable) continue;
      add(path.real, row);
      for (const AbsolutePath& other : aliases.Of(path.real)) add(other, row);
    }
  }
  return out;
}

}  // namespace asb
