#include "plan/alerts.h"

#include <algorithm>

#include "plan/view.h"
#include "plan/wording.h"

namespace asb {
namespace {

bool IsUsersGrant(const ViewEntry& entry) {
  return ShowsHost(entry.access) && entry.why.origin.layer != LayerKind::kBuiltin;
}

/// The entry of the user's that shows `path` of the host, at its own place or where a bind shows
/// it.
const ViewEntry* GrantOf(std::span<const ViewEntry> entries, const AbsolutePath& path) {
  const ViewEntry& own = DecidingEntry(entries, path);
  if (IsUsersGrant(own) && path.Moved(own.path, own.source) == path) return &own;
  for (const ViewEntry& entry : entries) {
    if (!entry.bind || !path.IsWithin(entry.source)) continue;
    const ViewEntry& seen = DecidingEntry(entries, path.Moved(entry.source, entry.path));
    if (IsUsersGrant(seen)) return &seen;
  }
  return nullptr;
}

}  // namespace

std::vector<Alert> FindAlerts(std::span<const BuiltinPath> table,
                              std::span<const ViewEntry> entries, const AbsolutePath& home,
                              FileSource& host) {
  std::vector<Alert> out;
  if (std::none_of(entries.begin(), entries.end(), IsUsersGrant)) return out;
  Resolver resolver(host);
  for (const BuiltinPath& row : table) {
    const std::string pattern = ExpandAnchor(row.path, TextKind::kPattern, home, home);
    const auto found = resolver.ResolvePattern(pattern, LeadingDot::kMatches);
    if (!found) continue;  // a loop, or a folder that cannot be listed: then no rule shows it
    for (const Resolved& path : *found) {
      if (path.kind == FileKind::kMissing || path.kind == FileKind::kUnreadable) continue;
      const ViewEntry* grant = GrantOf(entries, path.real);
      if (grant == nullptr) continue;
      const bool known = std::any_of(out.begin(), out.end(),
                                     [&](const Alert& alert) { return alert.path == path.real; });
      if (!known) out.push_back({path.real, std::string(row.why), grant->why.origin});
    }
  }
  return out;
}

}  // namespace asb
