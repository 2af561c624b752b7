#include "plan/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "plan/alerts.h"
#include "plan/causes.h"
#include "plan/environment.h"
#include "plan/kept.h"
#include "plan/mounts.h"
#include "plan/resolve.h"
#include "plan/view.h"

namespace asb {
namespace {

Why RootWhy(const Policy& policy) {
  return {fmt::format("view = {}: only what a rule shows exists", WordFor(policy.view.value)),
          policy.view.origin};
}

/// "/home/u/.env and 3 more"
std::string Where(const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  std::string out = Printable(paths.front());
  if (paths.size() > 1) out += fmt::format(" and {} more", paths.size() - 1);
  return out;
}

std::vector<std::string> Texts(const std::vector<AbsolutePath>& paths) {
  std::vector<std::string> out;
  out.reserve(paths.size());
  for (const AbsolutePath& path : paths) out.push_back(path.text());
  return out;
}

/// Patterns of hide that could match something later, in a folder that is shown.
std::vector<std::string> OpenPatterns(const RuleSet& set, std::span<const ViewEntry> entries) {
  std::vector<std::string> out;
  for (const HidePattern& hide : set.hide_patterns) {
    const auto shows_folder_below = [&](const ViewEntry& entry) {
      return ShowsHost(entry.access) && entry.kind == FileKind::kFolder &&
             entry.path.IsWithin(hide.folder);
    };
    const bool shown =
        ShowsHost(DecidingEntry(entries, hide.folder).access) ||
        (!hide.only_there && std::any_of(entries.begin(), entries.end(), shows_folder_below));
    if (shown) out.push_back(hide.pattern);
  }
  std::sort(out.begin(), out.end());  // whatever the order of rules
  return out;
}

std::vector<Gap> FindGaps(const MountPlan& mounts, const RuleSet& set,
                          std::span<const ViewEntry> entries) {
  std::vector<std::string> late = Texts(mounts.late_hides);
  const std::vector<std::string> patterns = OpenPatterns(set, entries);
  late.insert(late.end(), patterns.begin(), patterns.end());
  const std::vector<AbsolutePath> swaps = FindLinkSwaps(set, entries);
  std::vector<Gap> gaps;
  if (!mounts.live_masks.empty())
    gaps.push_back({GapId::kMaskRace, Where(Texts(mounts.live_masks))});
  if (!late.empty()) gaps.push_back({GapId::kLateHide, Where(late)});
  if (!swaps.empty()) gaps.push_back({GapId::kLinkSwap, Where(Texts(swaps))});
  if (!set.prelinked.empty()) gaps.push_back({GapId::kPrelinked, Where(Texts(set.prelinked))});
  if (set.work_tree) gaps.push_back({GapId::kWorkTree, Printable(set.work_tree->text())});
  // Walls that this version does not build yet.
  for (const GapId id : {GapId::kRunLater, GapId::kSyscalls, GapId::kMemoryTotal, GapId::kCpu,
                         GapId::kDiskWorkspace, GapId::kFdPassing, GapId::kUserLimits}) {
    gaps.push_back({id, ""});
  }
  return gaps;
}

void RefuseGaps(const Policy& policy, const std::vector<Gap>& gaps, Diagnostics& diagnostics) {
  for (const Gap& gap : gaps) {
    const GapSpec& spec = SpecOf(gap.id);
    const auto names_it = [&](const Sourced<std::string>& name) { return name.value == spec.name; };
    const auto required = std::find_if(policy.require.begin(), policy.require.end(), names_it);
    if (required != policy.require.end()) {
      diagnostics.push_back(
          AtOrigin(required->origin,
                   fmt::format("gap '{}' is required to be closed, and is open: {}", spec.name,
                               spec.sentence),
                   "remove it from require, or use a host and an engine that close it"));
    } else if (std::none_of(policy.accept_gaps.begin(), policy.accept_gaps.end(), names_it)) {
      diagnostics.push_back(AtOrigin(
          {LayerKind::kBuiltin, "default", 0, 0},
          fmt::format("gap '{}' is open and no layer accepts it: {}", spec.name, spec.sentence),
          fmt::format("--accept-gap {}", spec.name)));
    }
  }
}

Blocker BlockedBy(std::string_view what, const Cause& cause) {
  return {std::string(what), CauseLine(cause), std::string(SpecOf(cause.id).fix)};
}

/// The only engine there is. A setting that forbids user namespaces may have an exception for this
/// program, so a run tries all the same.
void ChooseEngine(const HostFacts& facts, Plan& plan) {
  plan.engine = "bubblewrap";
  Cause cause{CauseId::kNotInstalled, ""};
  for (const EngineFacts& engine : facts.engines) {
    if (engine.name != plan.engine) continue;
    plan.engine_path = engine.path;
    if (!engine.unsafe_path.empty()) cause = {CauseId::kOnlyInWritablePlace, engine.unsafe_path};
    break;
  }
  if (plan.engine_path.empty()) {
    plan.blockers.push_back(
        BlockedBy("bubblewrap is not installed where only root can write", cause));
  }
  if (!facts.userns_denied.empty()) {
    plan.blockers.push_back(BlockedBy("user namespaces are forbidden",
                                      {CauseOfSetting(facts.userns_denied), facts.userns_denied}));
  }
}

void SortLeftOut(std::vector<LeftOut>& left_out) {
  std::sort(left_out.begin(), left_out.end(), [](const LeftOut& a, const LeftOut& b) {
    return std::tie(a.origin, a.what) < std::tie(b.origin, b.what);
  });
}

}  // namespace

Compiled CompilePlan(const Policy& policy, const HostFacts& facts,
                     const std::vector<std::string>& command, const BuiltinTables& tables) {
  FactsSource source(facts);
  return CompilePlanFrom(source, policy, facts, command, tables);
}

Compiled CompilePlanFrom(FileSource& source, const Policy& policy, const HostFacts& facts,
                         const std::vector<std::string>& command, const BuiltinTables& tables) {
  Compiled out;
  Plan& plan = out.plan;
  RuleSet set = CollectRules(policy, facts, command, tables, source, out.diagnostics);
  plan.command = command;
  plan.workspace = set.workspace;
  plan.user_home = set.home;
  plan.view = policy.view;
  plan.home = policy.home;
  plan.network = policy.network;
  plan.tty = policy.tty;
  plan.left_out = set.left_out;
  plan.entries = DecideView(set, RootWhy(policy), out.diagnostics);
  MountPlan mounts = PlanMounts(set, plan.entries, out.diagnostics);
  plan.left_out.insert(plan.left_out.end(), mounts.left_out.begin(), mounts.left_out.end());
  plan.env = PlanEnvironment(policy, facts, tables, out.diagnostics, plan.left_out);
  plan.alerts =
      FindAlerts(tables.sensitive, plan.entries, set.home, MountAliases(facts.mounts), source);
  plan.gaps = FindGaps(mounts, set, plan.entries);
  plan.mounts = std::move(mounts.steps);
  KeepHome(policy, facts, source, plan, out.diagnostics);
  plan.guarded = std::move(mounts.guarded);
  RefuseGaps(policy, plan.gaps, out.diagnostics);
  ChooseEngine(facts, plan);
  SortLeftOut(plan.left_out);
  return out;
}

}  // namespace asb
