#include "plan/mounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "base/text.h"
#include "plan/view.h"

namespace asb {
namespace {

bool IsFolder(FileKind kind) { return kind == FileKind::kFolder; }

/// The policy file is the one thing of ours that is no folder.
std::string HowToCreate(const AbsolutePath& path) {
  const bool file = path.Name().ends_with(".toml");
  return fmt::format("{} {}", file ? "touch" : "mkdir -p", ShellQuote(path.text()));
}

/// Walks the entries in path order with the chain of entries above the current one at hand.
class Planner {
 public:
  Planner(const RuleSet& set, const std::vector<ViewEntry>& entries, Diagnostics& diagnostics)
      : set_(set), entries_(entries), diagnostics_(diagnostics) {}

  void Run() {
    out_.steps.reserve(entries_.size());
    for (const ViewEntry& entry : entries_) {
      while (!above_.empty() && !entry.path.IsWithin(above_.back()->path)) above_.pop_back();
      const ViewEntry* parent = above_.empty() ? nullptr : above_.back();
      // What has no effect (a hide of something missing) is not what lies above the next entries.
      if (Plan(entry, parent)) above_.push_back(&entry);
    }
  }

  MountPlan Take() { return std::move(out_); }

 private:
  /// Each returns whether the entry says what is at its path.
  bool Plan(const ViewEntry& entry, const ViewEntry* parent);
  bool PlanShown(const ViewEntry& entry, const ViewEntry* parent);
  bool PlanHidden(const ViewEntry& entry, const ViewEntry* parent);
  bool PlanPrivate(const ViewEntry& entry, const ViewEntry* parent, MountKind kind);
  bool PlanMade(const ViewEntry& entry, const ViewEntry* parent);
  void Step(MountKind kind, const ViewEntry& entry) {
    out_.steps.push_back({kind, entry.path, entry.source, "", entry.why});
    stepped_.insert(entry.path);
  }
  void Protect(const ViewEntry& entry, const ViewEntry& parent, Guard guard);
  const ViewEntry& LiveRoot() const;
  void RefuseLocked(const ViewEntry& entry);
  bool IsWhatIsThere(const ViewEntry& entry, const ViewEntry& parent);
  void Pin(const ViewEntry& entry, const ViewEntry& parent);

  const RuleSet& set_;
  const std::vector<ViewEntry>& entries_;
  Diagnostics& diagnostics_;
  std::vector<const ViewEntry*> above_;
  std::unordered_set<AbsolutePath, AbsolutePathHash> stepped_;  ///< entries that have a step
  std::unordered_set<AbsolutePath, AbsolutePathHash> pinned_;
  MountPlan out_;
};

bool Planner::Plan(const ViewEntry& entry, const ViewEntry* parent) {
  switch (entry.access) {
    case Access::kAbsent:
      return true;  // the root of a whitelist view
    case Access::kHidden:
      return PlanHidden(entry, parent);
    case Access::kRead:
    case Access::kWrite:
      return PlanShown(entry, parent);
    case Access::kPrivate:
      return PlanPrivate(entry, parent, MountKind::kPrivate);
    case Access::kKept:
      return PlanPrivate(entry, parent, MountKind::kKept);
    case Access::kProc:
      return PlanPrivate(entry, parent, MountKind::kProc);
    case Access::kDevices:
      return PlanPrivate(entry, parent, MountKind::kDevices);
    case Access::kMade:
      return PlanMade(entry, parent);
  }
  return false;
}

bool Planner::PlanShown(const ViewEntry& entry, const ViewEntry* parent) {
  const bool in_host = parent != nullptr && ShowsHost(parent->access);
  if (entry.kind == FileKind::kUnreadable) {
    if (in_host && parent->access == Access::kWrite) {
      RefuseLocked(entry);
    } else {
      out_.left_out.push_back({entry.path.text(), "may not be looked at by you", entry.why.origin});
    }
    return false;
  }
  if (in_host) {
    if (!IsWhatIsThere(entry, *parent)) return false;
    if (parent->access == entry.access) return true;  // shown already
    if (entry.access == Access::kRead) Protect(entry, *parent, Guard::kReadOnly);
  }
  Step(entry.access == Access::kRead ? MountKind::kReadOnly : MountKind::kWritable, entry);
  return true;
}

bool Planner::PlanHidden(const ViewEntry& entry, const ViewEntry* parent) {
  const bool in_host = parent != nullptr && ShowsHost(parent->access);
  if (!in_host) return true;  // absent with the folder that would hold it
  if (!IsWhatIsThere(entry, *parent)) return false;
  const bool writable = parent->access == Access::kWrite;
  if (entry.kind == FileKind::kMissing) {
    if (entry.floor && writable) {
      diagnostics_.push_back(AtOrigin(parent->why.origin,
                                      fmt::format("'{}' would let the sandbox create {}",
                                                  Printable(parent->path.text()), entry.why.text),
                                      HowToCreate(entry.source)));
    } else {
      out_.late_hides.push_back(entry.path);
      out_.guarded.push_back({entry.path, LiveRoot().path, Guard::kLate});
    }
    return false;
  }
  if (entry.kind == FileKind::kUnreadable) {
    // Read-only, it is as closed inside as it is outside.
    if (writable) RefuseLocked(entry);
    return false;
  }
  Protect(entry, *parent, Guard::kHidden);
  Step(IsFolder(entry.kind) ? MountKind::kHiddenFolder : MountKind::kHiddenFile, entry);
  return true;
}

/// Whether `entry` is about the file that its folder shows at that place. Anything else, a bind's,
/// would need a place to be mounted on.
bool Planner::IsWhatIsThere(const ViewEntry& entry, const ViewEntry& parent) {
  if (entry.path.Moved(parent.path, parent.source) == entry.source) return true;
  diagnostics_.push_back(AtOrigin(
      entry.why.origin,
      fmt::format("'{}' cannot be the target of a bind: '{}' shows the host's own files, and "
                  "nothing is created in those",
                  Printable(entry.path.text()), Printable(parent.path.text())),
      "choose a target that no other rule shows, such as a folder below /mnt"));
  return false;
}

/// A folder that nobody may look into, in a folder that the sandbox can write, is one that an
/// earlier run may have locked to hide a path from this plan, and could unlock again.
void Planner::RefuseLocked(const ViewEntry& entry) {
  diagnostics_.push_back(AtOrigin(
      entry.why.origin,
      fmt::format("'{}' cannot be protected: a folder above it may not be looked into, and the "
                  "sandbox could open it",
                  Printable(entry.path.text())),
      "give yourself access again: chmod u+rwx on that folder"));
}

bool Planner::PlanPrivate(const ViewEntry& entry, const ViewEntry* parent, MountKind kind) {
  const bool in_host = parent != nullptr && ShowsHost(parent->access);
  if (in_host && entry.kind == FileKind::kMissing) {
    out_.left_out.push_back({entry.path.text(), "not on this host", entry.why.origin});
    return false;
  }
  if (in_host && !IsFolder(entry.kind) && entry.kind != FileKind::kKernel) {
    diagnostics_.push_back(AtOrigin(
        entry.why.origin, fmt::format("'{}' is no folder on this host, so no private one can stand "
                                      "in its place",
                                      Printable(entry.path.text()))));
    return false;
  }
  if (in_host) {
    Pin(entry, *parent);
    if (kind == MountKind::kPrivate) {
      out_.guarded.push_back({entry.path, LiveRoot().path, Guard::kPrivate});
    }
  }
  Step(kind, entry);
  return true;
}

bool Planner::PlanMade(const ViewEntry& entry, const ViewEntry* parent) {
  const bool in_host = parent != nullptr && ShowsHost(parent->access);
  if (in_host && entry.kind != FileKind::kFile) {
    out_.left_out.push_back({entry.path.text(), "is no file on this host", entry.why.origin});
    return false;
  }
  if (in_host) Pin(entry, *parent);
  Step(MountKind::kMade, entry);
  out_.steps.back().content = set_.made_files.at(entry.path);
  return true;
}

/// `entry` is about to be mounted over a live folder of the host: another program can replace it.
void Planner::Protect(const ViewEntry& entry, const ViewEntry& parent, Guard guard) {
  out_.live_masks.push_back(entry.path);
  out_.guarded.push_back({entry.path, LiveRoot().path, guard});
  Pin(entry, parent);
}

/// The entry above that is really mounted: those between it and here change nothing and have no
/// step. Only where the host is shown, so that there is one.
const ViewEntry& Planner::LiveRoot() const {
  return **std::find_if(above_.rbegin(), above_.rend(),
                        [this](const ViewEntry* above) { return stepped_.contains(above->path); });
}

/// Where the folder around `entry` is writable, the folders in between are pinned:
/// `mv .git x; cp -r x .git` would leave the mount behind in x.
void Planner::Pin(const ViewEntry& entry, const ViewEntry& parent) {
  if (parent.access != Access::kWrite) return;
  const ViewEntry& root = LiveRoot();
  for (AbsolutePath at = entry.path.Parent(); at != root.path; at = at.Parent()) {
    if (!pinned_.insert(at).second) return;  // and so is everything above it
    out_.guarded.push_back({at, root.path, Guard::kPinned});
    out_.steps.push_back(
        {MountKind::kPin,
         at,
         at.Moved(root.path, root.source),
         "",
         {fmt::format("keeps {} in place", Printable(entry.path.text())), entry.why.origin}});
  }
}

/// Of two rules that need the same link, the one whose origin sorts first is named.
bool IsNamedBefore(const Why& a, const Why& b) {
  return std::tie(a.origin, a.text) < std::tie(b.origin, b.text);
}

/// The links by which a shown path is spelled, where no folder of the host brings them along.
void AddLinks(const RuleSet& set, const std::vector<ViewEntry>& entries, MountPlan& plan) {
  std::map<AbsolutePath, MountStep> links;
  for (const ViewRule& rule : set.rules) {
    const bool own_folder = rule.access == Access::kPrivate || rule.access == Access::kKept;
    if (!ShowsHost(rule.access) && !rule.link_only && !own_folder) continue;
    for (const LinkHop& hop : rule.at.hops) {
      const Access holder = DecidingEntry(entries, hop.at).access;
      if (ShowsHost(holder)) continue;
      const MountStep step{MountKind::kLink, hop.at, AbsolutePath(), hop.target, rule.why};
      const auto [at, added] = links.try_emplace(hop.at, step);
      if (!added && IsNamedBefore(step.why, at->second.why)) at->second = step;
    }
  }
  for (const auto& [path, step] : links) plan.steps.push_back(step);
}

}  // namespace

MountPlan PlanMounts(const RuleSet& set, const std::vector<ViewEntry>& entries,
                     Diagnostics& diagnostics) {
  Planner planner(set, entries, diagnostics);
  planner.Run();
  MountPlan plan = planner.Take();
  AddLinks(set, entries, plan);
  const auto late =
      std::stable_partition(plan.steps.begin(), plan.steps.end(), [](const MountStep& step) {
        return step.kind != MountKind::kPin && step.kind != MountKind::kLink;
      });
  const auto by_target = [](const MountStep& a, const MountStep& b) { return a.target < b.target; };
  std::sort(late, plan.steps.end(), by_target);
  // The rest is in the order of the entries already.
  std::inplace_merge(plan.steps.begin(), late, plan.steps.end(), by_target);
  const auto by_path = [](const Guarded& a, const Guarded& b) { return a.path < b.path; };
  // All but pins are in the order of the entries.
  const auto pins =
      std::stable_partition(plan.guarded.begin(), plan.guarded.end(),
                            [](const Guarded& row) { return row.guard != Guard::kPinned; });
  std::sort(pins, plan.guarded.end(), by_path);
  std::inplace_merge(plan.guarded.begin(), pins, plan.guarded.end(), by_path);
  for (std::size_t i = 0; i + 1 < plan.steps.size(); ++i) {
    MountStep& step = plan.steps[i];
    const bool holds_more = plan.steps[i + 1].target.IsWithin(step.target);
    if (step.kind != MountKind::kHiddenFolder || !holds_more) continue;
    step.kind = MountKind::kPassage;
    std::lower_bound(plan.guarded.begin(), plan.guarded.end(), Guarded{step.target, {}, {}},
                     by_path)
        ->guard = Guard::kPassage;
  }
  return plan;
}

}  // namespace asb
