#include "plan/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/glob.h"
#include "base/text.h"

namespace asb {
namespace {

const BuiltinVariable* FindVariable(std::span<const BuiltinVariable> rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [name](const BuiltinVariable& row) {
    return GlobMatches(row.name, name);
  });
  return found == rows.end() ? nullptr : &*found;
}

/// Letters, digits and '_': anything else in a name can act in a shell.
bool IsPlainName(std::string_view name) {
  const auto start = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !name.empty() && start(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return start(c) || (c >= '0' && c <= '9');
  });
}

Why WhyOf(const BuiltinVariable& row) {
  return {std::string(row.why), {LayerKind::kBuiltin, row.file, row.line, 0}};
}

}  // namespace

EnvRules::EnvRules(const Policy& policy, const HostFacts& facts, const BuiltinTables& tables,
                   Diagnostics& diagnostics)
    : from_host_{{"HOME", facts.user.home},
                 {"USER", facts.user.name},
                 {"LOGNAME", facts.user.name},
                 {"SHELL", facts.user.shell}},
      tables_(tables) {
  for (const EnvRule& rule : policy.env) {
    if (!rule.value && rule.name.find('*') != std::string::npos) {
      patterns_.push_back(&rule);
      continue;
    }
    const auto [at, added] = exact_.try_emplace(rule.name, &rule);
    if (added) continue;
    const EnvRule& before = *at->second;
    if (before.origin.layer == rule.origin.layer && before.value != rule.value) {
      diagnostics.push_back(
          AtOrigin(rule.origin,
                   fmt::format("variable '{}' is given twice and differently ({})", rule.name,
                               DescribeOrigin(before.origin)),
                   "keep one of them; a layer cannot contradict itself"));
    }
    if (before.origin.layer < rule.origin.layer) at->second = &rule;
  }
}

EnvVerdict EnvRules::Decide(const std::string& name) const {
  if (!IsPlainName(name)) {
    return {false,
            std::nullopt,
            {"its name is none that a shell knows", {LayerKind::kBuiltin, "default", 0, 0}}};
  }
  if (const auto found = exact_.find(name); found != exact_.end()) {
    const EnvRule& rule = *found->second;
    return {true, rule.value, {"named by env", rule.origin}};
  }
  if (const auto found = from_host_.find(name); found != from_host_.end()) {
    return {true,
            found->second,
            {"as in the password database", {LayerKind::kBuiltin, "default", 0, 0}}};
  }
  const BuiltinVariable* guarded = FindVariable(tables_.guarded, name);
  if (guarded != nullptr) return {false, std::nullopt, WhyOf(*guarded)};
  for (const EnvRule* rule : patterns_) {
    if (GlobMatches(rule->name, name)) {
      return {true, std::nullopt, {fmt::format("env = {}", rule->name), rule->origin}};
    }
  }
  if (const BuiltinVariable* passed = FindVariable(tables_.passed, name)) {
    return {true, std::nullopt, WhyOf(*passed)};
  }
  return {false, std::nullopt, {"no rule names it", {LayerKind::kBuiltin, "default", 0, 0}}};
}

std::vector<std::string> EnvRules::NamesSet() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : from_host_) names.push_back(name);
  for (const auto& [name, rule] : exact_) {
    if (rule->value) names.push_back(name);
  }
  return names;
}

std::vector<EnvStep> PlanEnvironment(const Policy& policy, const HostFacts& facts,
                                     const BuiltinTables& tables, Diagnostics& diagnostics,
                                     std::vector<LeftOut>& left_out) {
  const EnvRules rules(policy, facts, tables, diagnostics);
  const std::vector<std::string> set = rules.NamesSet();
  std::set<std::string> names(facts.environment.begin(), facts.environment.end());
  for (const EnvRule& rule : policy.env) {
    const bool pattern = rule.name.find('*') != std::string::npos;
    if (!rule.value && !pattern && !names.contains(rule.name)) {
      left_out.push_back({rule.name, "is not set", rule.origin});
    }
  }
  names.insert(set.begin(), set.end());
  for (const std::string& name : names) {
    if (IsPlainName(name)) continue;
    left_out.push_back(
        {name, "is a name that no shell knows", {LayerKind::kBuiltin, "default", 0, 0}});
  }
  std::vector<EnvStep> steps;
  for (const std::string& name : names) {
    EnvVerdict verdict = rules.Decide(name);
    if (verdict.enters) steps.push_back({name, std::move(verdict.value), std::move(verdict.why)});
  }
  return steps;
}

}  // namespace asb
