#include "plan/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"

namespace asb {
namespace {

/// The order of layers, with the own floor above them all.
int Rank(const ViewRule& rule) {
  return rule.floor ? 100 : static_cast<int>(rule.why.origin.layer);
}

/// Between builtin rows that meet at one path (through links of an odd host) the most closed wins.
int Closedness(Access access) {
  switch (access) {
    case Access::kHidden:
      return 6;
    case Access::kProc:
      return 5;
    case Access::kDevices:
      return 4;
    case Access::kPrivate:
    case Access::kMade:
    case Access::kKept:
      return 3;
    case Access::kAbsent:
      return 2;
    case Access::kRead:
      return 1;
    case Access::kWrite:
      return 0;
  }
  return 6;
}

ViewEntry EntryOf(const ViewRule& rule) {
  const Resolved& source = rule.source ? *rule.source : rule.at;
  // A bind shows its source's kind; everything else shows what is at the path.
  return {rule.at.real, source.real, rule.access, source.kind, rule.why, rule.floor, rule.bind};
}

/// "hidden (…:5)", "read-only from /data (…:7)"
std::string Describe(const ViewEntry& entry) {
  std::string from;
  if (entry.source != entry.path) from = fmt::format(" from {}", Printable(entry.source.text()));
  return fmt::format("{}{} ({})", WordFor(entry.access), from, DescribeOrigin(entry.why.origin));
}

bool Agree(const ViewEntry& a, const ViewEntry& b) {
  return a.access == b.access && a.source == b.source;
}

/// Two rules of one layer that meet at a path and differ. Patterns meet at many.
struct Contradiction {
  ViewEntry kept;
  ViewEntry other;
  AbsolutePath spelled;  ///< how the other one names the path
  std::size_t more = 0;
};

/// By the origins of the two: one message for two patterns, however many paths they meet at.
using Contradictions = std::map<std::pair<Origin, Origin>, Contradiction>;

/// One entry for each path out of `rules`, which are sorted by path and then by falling rank.
ViewEntry DecidePath(std::span<const ViewRule* const> rules, Contradictions& contradictions) {
  ViewEntry best = EntryOf(*rules.front());
  const int rank = Rank(*rules.front());
  for (const ViewRule* other : rules.subspan(1)) {
    if (Rank(*other) != rank) break;
    ViewEntry entry = EntryOf(*other);
    if (Agree(best, entry)) {
      if (best.kind == FileKind::kMissing) best.kind = entry.kind;  // whoever saw it is right
      continue;
    }
    if (best.why.origin.layer == LayerKind::kBuiltin) {
      if (Closedness(entry.access) > Closedness(best.access)) best = std::move(entry);
      continue;
    }
    const auto [at, added] =
        contradictions.try_emplace(std::pair(best.why.origin, entry.why.origin),
                                   Contradiction{best, entry, other->at.spelled});
    if (!added) ++at->second.more;
  }
  return best;
}

void ReportContradictions(const Contradictions& contradictions, Diagnostics& diagnostics) {
  for (const auto& [origins, found] : contradictions) {
    std::string what = fmt::format("'{}'", Printable(found.other.path.text()));
    if (found.spelled != found.other.path) {
      what += fmt::format(", which '{}' leads to,", Printable(found.spelled.text()));
    }
    const std::string_view verb = found.more > 0 ? "are" : "is";
    if (found.more > 0) what += fmt::format(" and {} more", found.more);
    diagnostics.push_back(AtOrigin(found.other.why.origin,
                                   fmt::format("{} {} both {} and {}", what, verb,
                                               Describe(found.kept), Describe(found.other)),
                                   "keep one of them; a layer cannot contradict itself"));
  }
}

/// A total order of rules that no order in a file can change.
bool SortsBefore(const ViewRule* a, const ViewRule* b) {
  if (const auto order = a->at.real <=> b->at.real; order != 0) return order < 0;
  if (Rank(*a) != Rank(*b)) return Rank(*a) > Rank(*b);
  if (a->access != b->access) return Closedness(a->access) > Closedness(b->access);
  const auto key = [](const ViewRule* rule) {
    const Resolved& shown = rule->source ? *rule->source : rule->at;
    return std::tie(shown.real, rule->why.origin, rule->why.text);
  };
  return key(a) < key(b);
}

void RefuseInsideFloor(const std::vector<ViewEntry>& floors, const ViewRule& rule,
                       Diagnostics& diagnostics) {
  const bool grants = rule.access != Access::kHidden && !rule.link_only;
  if (rule.floor || rule.workspace || !grants) return;  // the workspace has its own message
  for (const ViewEntry& floor : floors) {
    const AbsolutePath& shown = rule.source ? rule.source->real : rule.at.real;
    const AbsolutePath& named = shown.IsWithin(floor.path) ? shown : rule.at.real;
    if (!named.IsWithin(floor.path)) continue;
    diagnostics.push_back(AtOrigin(rule.why.origin,
                                   fmt::format("'{}' belongs to {}, which no rule can show",
                                               Printable(named.text()), floor.why.text),
                                   "leave it out"));
    return;
  }
}

void Insert(std::vector<ViewEntry>& entries, ViewEntry entry) {
  const auto at = std::lower_bound(
      entries.begin(), entries.end(), entry.path,
      [](const ViewEntry& other, const AbsolutePath& path) { return other.path < path; });
  entries.insert(at, std::move(entry));
}

/// Whether an offer may stand where `entry` decides: where nothing is, or in the sandbox's own
/// home; in no other private folder, because those stand in for folders of sockets.
bool MayStandOn(const RuleSet& set, const ViewEntry& entry, Offer::Over over) {
  const bool at_home = entry.path == set.home;
  const bool own_home = at_home && !ShowsHost(entry.access) && entry.access != Access::kHidden;
  if (entry.access == Access::kAbsent || own_home) return true;
  const bool by_home_mode = at_home && entry.why.origin == set.home_origin;
  const bool builtin = entry.why.origin.layer == LayerKind::kBuiltin;
  return over == Offer::Over::kReadOnly && entry.access == Access::kRead && !entry.bind &&
         (builtin || by_home_mode);
}

/// Offers whose place is free become rules; where it is shown already, only their links do.
void TakeOffers(RuleSet& set, std::vector<ViewEntry>& entries) {
  for (Offer& offer : set.offers) {
    const ViewEntry around = DecidingEntry(entries, offer.rules.front().at.real);
    const bool stands = MayStandOn(set, around, offer.over);
    if (!stands && !ShowsHost(around.access)) continue;
    std::vector<ViewEntry> taken;
    for (ViewRule& rule : offer.rules) {
      // Somebody has decided about this very place, or about one between it and the first.
      const bool decided =
          DecidingEntry(entries, rule.at.real).path != around.path || rule.at.real == around.path;
      rule.link_only = !stands || decided;
      if (!rule.link_only) taken.push_back(EntryOf(rule));
      set.rules.push_back(std::move(rule));
    }
    for (ViewEntry& entry : taken) Insert(entries, std::move(entry));
  }
  set.offers.clear();
}

/// Our own programs, where a rule would make them writable.
void ProtectPrograms(const RuleSet& set, std::vector<ViewEntry>& entries,
                     Diagnostics& diagnostics) {
  for (const ViewRule& rule : set.rules) {
    const AbsolutePath& shown = rule.source ? rule.source->real : rule.at.real;
    for (const ViewRule& program : set.own_programs) {
      if (rule.access != Access::kWrite || shown != program.at.real) continue;
      diagnostics.push_back(AtOrigin(rule.why.origin,
                                     fmt::format("'{}' is {}, which no rule can make writable",
                                                 Printable(shown.text()), program.why.text),
                                     "leave it out, or grant it read-only"));
    }
  }
  for (const ViewRule& program : set.own_programs) {
    const ViewEntry& around = DecidingEntry(entries, program.at.real);
    const bool seen = program.at.real.Moved(around.path, around.source) == program.at.real;
    if (around.access == Access::kWrite && seen && around.path != program.at.real) {
      Insert(entries, EntryOf(program));
    }
  }
}

/// Everything that is hidden or kept read-only, by its place on the host: a bind elsewhere must not
/// undo it.
std::vector<ViewEntry> Protections(const RuleSet& set, std::span<const ViewEntry> entries) {
  std::vector<ViewEntry> out;
  for (const ViewEntry& entry : entries) {
    if (entry.access != Access::kWrite && entry.access != Access::kAbsent && !entry.bind) {
      out.push_back(entry);
    }
  }
  for (const ViewRule& rule : set.covered_hides) out.push_back(EntryOf(rule));
  for (const ViewRule& rule : set.own_programs) out.push_back(EntryOf(rule));
  std::stable_sort(out.begin(), out.end(),
                   [](const ViewEntry& a, const ViewEntry& b) { return a.source < b.source; });
  return out;
}

auto FirstAt(const std::vector<ViewEntry>& protections, const AbsolutePath& host) {
  return std::lower_bound(
      protections.begin(), protections.end(), host,
      [](const ViewEntry& entry, const AbsolutePath& path) { return entry.source < path; });
}

/// What of `protections` lies below a bind's source, as seen below its target.
void MirrorBelow(const ViewEntry& bind, const std::vector<ViewEntry>& protections,
                 std::vector<ViewEntry>& out) {
  for (auto it = FirstAt(protections, bind.source);
       it != protections.end() && it->source.IsWithin(bind.source); ++it) {
    const bool same = it->source == bind.source;  // LimitBySources has seen to it
    if (same || (it->access == Access::kRead && bind.access == Access::kRead)) continue;
    ViewEntry mirrored = *it;
    mirrored.path = it->source.Moved(bind.source, bind.path);
    if (it->access != Access::kRead && it->access != Access::kHidden) {
      // The host's own /run or /proc has no business at another place either.
      mirrored.access = Access::kHidden;
      if (it->access != Access::kMade) mirrored.kind = FileKind::kFolder;
    }
    out.push_back(std::move(mirrored));
  }
}

constexpr std::size_t kMostMirrored = 100'000;

void AddMirrored(const std::vector<ViewEntry>& protections, std::vector<ViewEntry>& entries,
                 Diagnostics& diagnostics) {
  std::vector<ViewEntry> mirrored;
  for (const ViewEntry& entry : entries) {
    if (!ShowsHost(entry.access) || !entry.bind) continue;
    MirrorBelow(entry, protections, mirrored);
    if (mirrored.size() > kMostMirrored) {
      diagnostics.push_back(AtOrigin(
          entry.why.origin,
          fmt::format("the binds repeat more than {} hidden or read-only paths", kMostMirrored),
          "bind smaller folders"));
      return;
    }
  }
  if (mirrored.empty()) return;
  // Only a higher layer that names the very path shows it; otherwise the mirrored entry stands.
  const auto before = [](const ViewEntry& a, const ViewEntry& b) {
    if (const auto order = a.path <=> b.path; order != 0) return order < 0;
    if (a.floor != b.floor) return a.floor;
    return a.why.origin.layer > b.why.origin.layer;
  };
  entries.insert(entries.begin(), mirrored.begin(), mirrored.end());
  std::stable_sort(entries.begin(), entries.end(), before);
  const auto same_path = [](const ViewEntry& a, const ViewEntry& b) { return a.path == b.path; };
  entries.erase(std::unique(entries.begin(), entries.end(), same_path), entries.end());
}

/// A bind names its source. A rule about that very path in the same or a higher layer limits it:
/// what is read-only stays so, and what is hidden cannot be bound.
void LimitBySources(const std::vector<ViewEntry>& protections, std::vector<ViewEntry>& entries,
                    Diagnostics& diagnostics) {
  for (ViewEntry& bind : entries) {
    if (!ShowsHost(bind.access) || !bind.bind) continue;
    for (auto it = FirstAt(protections, bind.source);
         it != protections.end() && it->source == bind.source; ++it) {
      if (it->why.origin.layer < bind.why.origin.layer) continue;  // named, or the own floor
      if (it->access == Access::kRead) bind.access = Access::kRead;
      if (it->access != Access::kHidden) continue;
      diagnostics.push_back(AtOrigin(bind.why.origin,
                                     fmt::format("'{}' is {} and cannot be the source of a bind",
                                                 Printable(bind.source.text()), Describe(*it)),
                                     "keep one of them"));
    }
  }
}

/// True when the sandbox can write at `path` of the host, now or in another run of this workspace.
class WritablePlaces {
 public:
  WritablePlaces(const RuleSet& set, std::span<const ViewEntry> entries)
      : workspace_(set.workspace), entries_(entries) {
    for (const ViewEntry& entry : entries) {
      if (entry.bind && entry.access == Access::kWrite) writable_binds_.push_back(&entry);
    }
  }
  /// `path` as a rule spells it: in the view, or on the host.
  [[nodiscard]] bool Contain(const AbsolutePath& path) const {
    const ViewEntry& seen = DecidingEntry(entries_, path);
    if (ContainHost(path)) return true;
    return seen.source != seen.path && ContainHost(path.Moved(seen.path, seen.source));
  }

 private:
  [[nodiscard]] bool ContainHost(const AbsolutePath& path) const {
    if (path.IsWithin(workspace_)) return true;
    if (DecidingEntry(entries_, path).access == Access::kWrite) return true;
    return std::any_of(writable_binds_.begin(), writable_binds_.end(), [&](const ViewEntry* bind) {
      if (!path.IsWithin(bind->source)) return false;
      const AbsolutePath at = path.Moved(bind->source, bind->path);
      return DecidingEntry(entries_, at).access == Access::kWrite;
    });
  }

  const AbsolutePath& workspace_;
  std::span<const ViewEntry> entries_;
  std::vector<const ViewEntry*> writable_binds_;
};

/// The first link on the way to `path` that the sandbox could replace.
const LinkHop* WritableLink(const Resolved& path, const WritablePlaces& writable) {
  const auto found = std::find_if(path.hops.begin(), path.hops.end(),
                                  [&](const LinkHop& hop) { return writable.Contain(hop.at); });
  return found == path.hops.end() ? nullptr : &*found;
}

/// A link that the sandbox can write may have been left by an earlier run, to make a grant show
/// something else, a hide miss what it was for, or the own floor lie elsewhere.
void RefuseWritableLinks(const RuleSet& set, std::span<const ViewEntry> entries,
                         Diagnostics& diagnostics) {
  const WritablePlaces writable(set, entries);
  for (const ViewRule& rule : set.rules) {
    const bool builtin_hide =
        rule.why.origin.layer == LayerKind::kBuiltin && !rule.floor && !ShowsHost(rule.access);
    if (builtin_hide || rule.link_only) continue;  // FindLinkSwaps reports those
    const Resolved& shown = rule.source ? *rule.source : rule.at;
    const LinkHop* hop = WritableLink(shown, writable);
    if (hop == nullptr) continue;
    diagnostics.push_back(AtOrigin(
        rule.floor ? DecidingEntry(entries, hop->at).why.origin : rule.why.origin,
        rule.floor
            ? fmt::format("'{}' would let the sandbox replace the link '{}' that leads to {}",
                          Printable(DecidingEntry(entries, hop->at).path.text()),
                          Printable(hop->at.text()), rule.why.text)
            : fmt::format("'{}' leads through the link '{}', which the sandbox can write",
                          Printable(shown.spelled.text()), Printable(hop->at.text())),
        rule.floor ? "make the folder that holds the link read-only"
                   : fmt::format("name what is meant: {}", Printable(shown.real.text()))));
  }
}

/// The workspace is where the person stands, not a rule that names a credential.
void RefuseHiddenWorkspace(const RuleSet& set, Diagnostics& diagnostics) {
  const auto workspace = std::find_if(set.rules.begin(), set.rules.end(),
                                      [](const ViewRule& rule) { return rule.workspace; });
  for (const ViewRule& rule : set.rules) {
    const bool secret =
        rule.access == Access::kHidden && rule.why.origin.layer == LayerKind::kBuiltin;
    if (!secret || !set.workspace.IsWithin(rule.at.real)) continue;
    diagnostics.push_back(
        AtOrigin(workspace->why.origin,
                 fmt::format("'{}' cannot be the workspace: {} is hidden ({}, {})",
                             ShortPath(set.workspace, set.home), ShortPath(rule.at.real, set.home),
                             rule.why.text, DescribeOrigin(rule.why.origin)),
                 "go to, or name with -w, a folder of its own"));
    return;
  }
}

}  // namespace

bool ShowsHost(Access access) { return access == Access::kRead || access == Access::kWrite; }

std::vector<ViewEntry> DecideView(RuleSet& set, const Why& root, Diagnostics& diagnostics) {
  std::vector<const ViewRule*> sorted;
  std::vector<ViewEntry> floors;
  sorted.reserve(set.rules.size());
  for (const ViewRule& rule : set.rules) {
    if (!rule.link_only) sorted.push_back(&rule);
    if (rule.floor) floors.push_back(EntryOf(rule));
  }
  for (const ViewRule& rule : set.covered_hides) {
    if (rule.floor) floors.push_back(EntryOf(rule));
  }
  std::stable_sort(sorted.begin(), sorted.end(), SortsBefore);

  std::vector<ViewEntry> entries;
  entries.reserve(sorted.size() + 1);
  entries.push_back({AbsolutePath(), AbsolutePath(), Access::kAbsent, FileKind::kFolder, root});
  Contradictions contradictions;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first + 1;
    while (end < sorted.size() && sorted[end]->at.real == sorted[first]->at.real) ++end;
    ViewEntry entry = DecidePath(std::span(sorted).subspan(first, end - first), contradictions);
    if (entry.path.IsRoot()) entries.clear();
    entries.push_back(std::move(entry));
    first = end;
  }
  ReportContradictions(contradictions, diagnostics);
  for (const ViewRule& rule : set.rules) RefuseInsideFloor(floors, rule, diagnostics);
  TakeOffers(set, entries);
  ProtectPrograms(set, entries, diagnostics);
  const bool binds = std::any_of(entries.begin(), entries.end(),
                                 [](const ViewEntry& entry) { return entry.bind; });
  if (binds) {
    const std::vector<ViewEntry> protections = Protections(set, entries);
    LimitBySources(protections, entries, diagnostics);
    AddMirrored(protections, entries, diagnostics);
  }
  RefuseWritableLinks(set, entries, diagnostics);
  RefuseHiddenWorkspace(set, diagnostics);
  return entries;
}

std::vector<AbsolutePath> FindLinkSwaps(const RuleSet& set, std::span<const ViewEntry> entries) {
  const WritablePlaces writable(set, entries);
  std::vector<AbsolutePath> out;
  for (const ViewRule& rule : set.rules) {
    const bool builtin = rule.why.origin.layer == LayerKind::kBuiltin;
    if (builtin && !rule.floor && rule.access == Access::kHidden) {
      if (const LinkHop* hop = WritableLink(rule.at, writable)) out.push_back(hop->at);
    } else if (!builtin) {
      // Another run, in another workspace, may have left a link that lies in the user's own
      // folders.
      const Resolved& shown = rule.source ? *rule.source : rule.at;
      for (const LinkHop& hop : shown.hops) {
        if (hop.at.IsWithin(set.home)) out.push_back(hop.at);
      }
    }
  }
  std::sort(out.begin(), out.end());  // whatever the order of rules
  return out;
}

const ViewEntry& DecidingEntry(std::span<const ViewEntry> entries, const AbsolutePath& path) {
  const auto before = [](const ViewEntry& entry, const AbsolutePath& wanted) {
    return entry.path < wanted;
  };
  for (AbsolutePath at = path;; at = at.Parent()) {
    const auto found = std::lower_bound(entries.begin(), entries.end(), at, before);
    if (found != entries.end() && found->path == at) return *found;
    if (at.IsRoot()) return entries.front();
  }
}

}  // namespace asb
