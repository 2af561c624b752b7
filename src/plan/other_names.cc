#include "plan/other_names.h"

#include <algorithm>
#include <utility>

namespace asb {
namespace {

/// Where else on the host `path` can be reached, now or when it is made.
std::vector<Resolved> OtherPlaces(const MountAliases& aliases, Resolver& resolver,
                                  const AbsolutePath& path) {
  std::vector<Resolved> out;
  for (const AbsolutePath& place : aliases.Of(path)) {
    Result<Resolved> found = resolver.Resolve(place);
    if (found) out.push_back(std::move(*found));
  }
  return out;
}

}  // namespace

void NotePrelinked(FileSource& view, RuleSet& set) {
  const auto note = [&](const ViewRule& rule) {
    const bool kept = rule.access == Access::kHidden || rule.floor;
    if (!kept || rule.link_only || rule.at.kind != FileKind::kFile) return;
    if (view.Look(rule.at.real).has_other_names) set.prelinked.push_back(rule.at.real);
  };
  for (const ViewRule& rule : set.rules) note(rule);
  for (const ViewRule& rule : set.covered_hides) note(rule);
  for (const ViewRule& rule : set.own_programs) note(rule);
  std::sort(set.prelinked.begin(), set.prelinked.end());
  set.prelinked.erase(std::unique(set.prelinked.begin(), set.prelinked.end()), set.prelinked.end());
}

void AddOtherPlaces(const HostFacts& facts, const MountAliases& aliases, ViewSource& view,
                    RuleSet& set) {
  Resolver resolver(view);
  std::vector<ViewRule> hides;
  const auto add = [&](const ViewRule& rule) {
    if (rule.access != Access::kHidden || rule.link_only) return;
    const AbsolutePath& host = rule.source ? rule.source->real : rule.at.real;
    for (Resolved& place : OtherPlaces(aliases, resolver, host)) {
      ViewRule copy{rule.access, std::move(place), std::nullopt, rule.why};
      copy.why.text += ", mounted at a second place";
      copy.floor = rule.floor;
      hides.push_back(std::move(copy));
    }
  };
  for (const ViewRule& rule : set.rules) add(rule);
  for (const ViewRule& rule : set.covered_hides) add(rule);
  for (const MountFact& mount : facts.mounts) {
    if (mount.type != "proc") continue;
    const Result<Resolved> place = resolver.Resolve(mount.at);
    if (!place || place->kind != FileKind::kFolder) continue;
    ViewRule rule{Access::kHidden, *place, std::nullopt, {"the host's processes", FloorOrigin()}};
    rule.floor = true;
    hides.push_back(std::move(rule));
  }
  for (ViewRule& rule : hides) {
    rule.source = view.SourceOf(rule.at);
    set.rules.push_back(std::move(rule));
  }
  for (std::size_t i = 0, count = set.own_programs.size(); i < count; ++i) {
    for (Resolved& place : OtherPlaces(aliases, resolver, set.own_programs[i].at.real)) {
      if (place.kind != FileKind::kFile) continue;
      ViewRule copy = set.own_programs[i];
      copy.at = std::move(place);
      set.own_programs.push_back(std::move(copy));
    }
  }
}

}  // namespace asb
