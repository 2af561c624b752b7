// Properties of the view, each against an oracle that is written another way than the code:
// a search over all rules for the decision, and a model of the kernel's mount table for the steps.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "plan/print.h"
#include "plan/testing.h"
#include "plan/view.h"

namespace asb {
namespace {

using testing::Add;
using testing::Compile;
using testing::DefaultPolicy;
using testing::Path;
using testing::Rule;
using testing::SmallHost;

/// A path of one to four components out of few names, so that rules meet often.
rc::Gen<std::string> GenPath() {
  const auto name = rc::gen::element<std::string>("a", "b", "c", "a-b");
  return rc::gen::map(
      rc::gen::resize(4, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(name))),
      [](const std::vector<std::string>& names) {
        std::string out = "/t";
        for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 4); ++i) {
          out += "/" + names[i];
        }
        return out;
      });
}

struct RandomRule {
  RuleAccess access;
  LayerKind layer;
  std::string path;
};

rc::Gen<RandomRule> GenRule() {
  return rc::gen::construct<RandomRule>(
      rc::gen::element(RuleAccess::kHide, RuleAccess::kRead, RuleAccess::kWrite),
      rc::gen::element(LayerKind::kUser, LayerKind::kProfile, LayerKind::kCommandLine), GenPath());
}

/// Rules of which no two of one layer are about the same path.
std::vector<RandomRule> GenRules() {
  const auto all = *rc::gen::container<std::vector<RandomRule>>(GenRule());
  std::set<std::pair<LayerKind, std::string>> seen;
  std::vector<RandomRule> rules;
  for (const RandomRule& rule : all) {
    if (seen.emplace(rule.layer, rule.path).second) rules.push_back(rule);
  }
  return rules;
}

Policy PolicyOf(const std::vector<RandomRule>& rules) {
  Policy policy = DefaultPolicy();
  std::uint32_t line = 0;
  for (const RandomRule& rule : rules) {
    policy.paths.push_back(Rule(rule.access, rule.path, rule.layer, ++line));
  }
  return policy;
}

/// Every rule's path exists as a folder, with a file `f` in it.
HostFacts HostOf(const std::vector<RandomRule>& rules) {
  HostFacts facts = SmallHost();
  for (const RandomRule& rule : rules) Add(facts, rule.path, FileKind::kFolder);
  return facts;
}

/// The oracle: look at every rule, keep the longest path, then the highest layer.
Access OracleDecision(const std::vector<RandomRule>& rules, const std::string& path) {
  const RandomRule* best = nullptr;
  for (const RandomRule& rule : rules) {
    const bool above = path == rule.path || path.starts_with(rule.path + "/");
    if (!above) continue;
    const auto rank = [](const RandomRule& r) { return std::pair(r.path.size(), r.layer); };
    if (best == nullptr || rank(rule) > rank(*best)) best = &rule;
  }
  if (best == nullptr) return Access::kAbsent;
  if (best->access == RuleAccess::kHide) return Access::kHidden;
  return best->access == RuleAccess::kRead ? Access::kRead : Access::kWrite;
}

/// What an open() inside would find.
enum class Seen { kNothing, kReadable, kWritable };

/// A model of the kernel: mounts are made one after the other, a later one covers what is below its
/// target, and a path belongs to the last mount that covers it.
Seen KernelSees(const std::vector<MountStep>& steps, const AbsolutePath& path) {
  const MountStep* covering = nullptr;
  for (const MountStep& step : steps) {
    if (path.IsWithin(step.target)) covering = &step;
  }
  if (covering == nullptr) return Seen::kNothing;
  switch (covering->kind) {
    case MountKind::kReadOnly:
      return Seen::kReadable;
    case MountKind::kPin:
    case MountKind::kWritable:
      return Seen::kWritable;
    case MountKind::kPrivate:
    case MountKind::kMade:
    case MountKind::kKept:
    case MountKind::kHiddenFile:
    case MountKind::kHiddenFolder:
    case MountKind::kPassage:
    case MountKind::kLink:
    case MountKind::kProc:
    case MountKind::kDevices:
      return Seen::kNothing;
  }
  return Seen::kNothing;
}

Seen Expected(Access access) {
  if (access == Access::kRead) return Seen::kReadable;
  return access == Access::kWrite ? Seen::kWritable : Seen::kNothing;
}

RC_GTEST_PROP(ViewProperties, TheMostSpecificRuleOfTheHighestLayerDecides, ()) {
  const auto rules = GenRules();
  const std::string asked = *GenPath() + "/f";
  const Compiled compiled = Compile(PolicyOf(rules), HostOf(rules));
  RC_ASSERT(compiled.diagnostics.empty());
  RC_ASSERT(DecidingEntry(compiled.plan.entries, Path(asked)).access ==
            OracleDecision(rules, asked));
}

RC_GTEST_PROP(ViewProperties, TheMountsMakeWhatTheRulesSay, ()) {
  const auto rules = GenRules();
  const std::string asked = *GenPath() + "/f";
  const Compiled compiled = Compile(PolicyOf(rules), HostOf(rules));
  RC_ASSERT(compiled.diagnostics.empty());
  RC_ASSERT(KernelSees(compiled.plan.mounts, Path(asked)) ==
            Expected(OracleDecision(rules, asked)));
}

RC_GTEST_PROP(ViewProperties, TheOrderOfRulesDoesNotChangeThePlan, ()) {
  const auto rules = GenRules();
  Policy policy = PolicyOf(rules);
  const HostFacts facts = HostOf(rules);
  const std::string before = PlanToJson(Compile(policy, facts).plan);
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  std::shuffle(policy.paths.begin(), policy.paths.end(), random);
  RC_ASSERT(PlanToJson(Compile(policy, facts).plan) == before);
}

RC_GTEST_PROP(ViewProperties, EveryHideSurvivesAnyGrantsElsewhere, ()) {
  auto rules = GenRules();
  const std::string secret = *GenPath();
  // Whatever is granted, except this path itself and what is below it.
  std::erase_if(rules, [&](const RandomRule& rule) {
    return rule.path == secret || rule.path.starts_with(secret + "/");
  });
  Policy policy = PolicyOf(rules);
  policy.paths.push_back(Rule(RuleAccess::kHide, secret, LayerKind::kUser, 999));
  HostFacts facts = HostOf(rules);
  Add(facts, secret, FileKind::kFolder);
  const Compiled compiled = Compile(policy, facts);
  RC_ASSERT(compiled.diagnostics.empty());
  RC_ASSERT(KernelSees(compiled.plan.mounts, Path(secret)) == Seen::kNothing);
  RC_ASSERT(KernelSees(compiled.plan.mounts, Path(secret + "/f")) == Seen::kNothing);
}

RC_GTEST_PROP(ViewProperties, AHideSurvivesBindsOfItsParents, ()) {
  const std::string source = *GenPath();
  const std::string secret = source + (*GenPath()).substr(2);
  Policy policy = DefaultPolicy();
  policy.paths.push_back(Rule(RuleAccess::kHide, secret));
  policy.binds.push_back({source,
                          "/mnt/x",
                          *rc::gen::element(RuleAccess::kRead, RuleAccess::kWrite),
                          {LayerKind::kCommandLine, "--bind", 0, 0}});
  HostFacts facts = SmallHost();
  Add(facts, secret, FileKind::kFolder);
  const Compiled compiled = Compile(policy, facts);
  RC_ASSERT(compiled.diagnostics.empty());
  const AbsolutePath inside = Path(secret).Moved(Path(source), Path("/mnt/x"));
  RC_ASSERT(KernelSees(compiled.plan.mounts, Path("/mnt/x/f")) != Seen::kNothing);
  RC_ASSERT(KernelSees(compiled.plan.mounts, inside) == Seen::kNothing);
}

RC_GTEST_PROP(ViewProperties, ALinkSpellingHidesWhatItLeadsTo, ()) {
  const auto rules = GenRules();
  const std::string secret = *GenPath();
  HostFacts facts = HostOf(rules);
  Add(facts, secret, FileKind::kFolder);
  Add(facts, "/link", FileKind::kLink, secret);
  Policy by_link = PolicyOf(rules);
  by_link.paths.push_back(Rule(RuleAccess::kHide, "/link", LayerKind::kCommandLine, 999));
  Policy by_target = PolicyOf(rules);
  by_target.paths.push_back(Rule(RuleAccess::kHide, secret, LayerKind::kCommandLine, 999));
  const Compiled a = Compile(by_link, facts);
  const Compiled b = Compile(by_target, facts);
  RC_ASSERT(a.diagnostics.size() == b.diagnostics.size());
  RC_PRE(a.diagnostics.empty());
  RC_ASSERT(PlanToJson(a.plan) == PlanToJson(b.plan));
}

RC_GTEST_PROP(ViewProperties, CompilingTwiceGivesTheSameBytes, ()) {
  const auto rules = GenRules();
  const Policy policy = PolicyOf(rules);
  const HostFacts facts = HostOf(rules);
  RC_ASSERT(PlanToJson(Compile(policy, facts).plan) == PlanToJson(Compile(policy, facts).plan));
}

RC_GTEST_PROP(ViewProperties, FoldersComeBeforeWhatIsInThem, ()) {
  const auto rules = GenRules();
  const Compiled compiled = Compile(PolicyOf(rules), HostOf(rules));
  const auto& steps = compiled.plan.mounts;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t j = i + 1; j < steps.size(); ++j) {
      RC_ASSERT(!steps[i].target.IsWithin(steps[j].target));
    }
  }
}

RC_GTEST_PROP(ViewProperties, NothingIsMountedOnAMissingPlaceOfTheHost, ()) {
  const auto rules = GenRules();
  const HostFacts facts = HostOf(rules);
  const Compiled compiled = Compile(PolicyOf(rules), facts);
  for (const MountStep& step : compiled.plan.mounts) {
    const ViewEntry& around = DecidingEntry(compiled.plan.entries, step.target.Parent());
    if (!ShowsHost(around.access)) continue;
    RC_ASSERT(facts.files.contains(step.target));
  }
}

}  // namespace
}  // namespace asb
