#include "plan/reach.h"

#include <fmt/format.h>

#include <set>

#include "base/sha256.h"
#include "base/text.h"
#include "plan/view.h"
#include "plan/wording.h"
#include "policy/gaps.h"

namespace asb {
namespace {

constexpr std::size_t kKeyDigits = 32;

bool IsBuiltin(const Origin& origin) { return origin.layer == LayerKind::kBuiltin; }

/// What is shown of the host because a rule says so: "rw /home/u/shop", "ro /mnt/x from /data".
void AddGrants(const Plan& plan, std::set<std::string>& lines) {
  for (const ViewEntry& entry : plan.entries) {
    // Of what is builtin only what a work tree brings along can be written.
    const bool builtin = IsBuiltin(entry.why.origin) && entry.access != Access::kWrite;
    if (builtin || !ShowsHost(entry.access)) continue;
    std::string line = fmt::format("{} {}", entry.access == Access::kWrite ? "rw" : "ro",
                                   ShellQuote(entry.path.text()));
    if (entry.source != entry.path)
      line += fmt::format(" from {}", ShellQuote(entry.source.text()));
    lines.insert(std::move(line));
  }
}

/// As written: a hide that is taken away widens. What it matches today does not matter.
void AddHides(const Policy& policy, const Plan& plan, std::set<std::string>& lines) {
  for (const PathRule& rule : policy.paths) {
    if (rule.access != RuleAccess::kHide) continue;
    const std::string pattern =
        ExpandAnchor(rule.pattern, TextKind::kPattern, plan.user_home, plan.workspace);
    lines.insert(fmt::format("hide {}", ShellQuote(pattern)));
  }
}

void AddVariables(const Plan& plan, std::set<std::string>& lines) {
  for (const EnvStep& step : plan.env) {
    if (IsBuiltin(step.why.origin)) continue;
    std::string line = fmt::format("env {}", ShellQuote(step.name));
    // A value can be a token, and this text is written to a file.
    if (step.value) line += fmt::format(" sha256 {}", Sha256Hex(*step.value));
    lines.insert(std::move(line));
  }
}

void AddGaps(const Policy& policy, std::set<std::string>& lines) {
  for (const Sourced<std::string>& name : policy.accept_gaps) {
    const GapSpec* gap = FindGap(name.value);
    if (gap == nullptr || !gap->accepted) lines.insert(fmt::format("accept-gap {}", name.value));
  }
}

}  // namespace

std::string ReachOf(const Policy& policy, const Plan& plan) {
  std::set<std::string> lines;
  AddGrants(plan, lines);
  AddHides(policy, plan, lines);
  AddVariables(plan, lines);
  AddGaps(policy, lines);
  std::string out =
      fmt::format("reach 1\nworkspace {}\nview {}\nnetwork {}\n", ShellQuote(plan.workspace.text()),
                  WordFor(plan.view.value), WordFor(plan.network.value));
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::string KeyOfReach(std::string_view reach) { return Sha256Hex(reach).substr(0, kKeyDigits); }

}  // namespace asb
