#include "plan/naming.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace asb {
namespace {

const Resolved& Shown(const ViewRule& rule) { return rule.source ? *rule.source : rule.at; }

/// A grant of the user that does not spell out where it leads.
bool IsIndirectGrant(const ViewRule& rule) {
  const bool grant = rule.access == Access::kRead || rule.access == Access::kWrite;
  const bool user = rule.why.origin.layer != LayerKind::kBuiltin && !rule.workspace;
  return grant && user && (rule.by_pattern || !Shown(rule).hops.empty());
}

/// The builtin hide that `rule` would lift without naming it.
const ViewRule* UnnamedHide(const RuleSet& set, const ViewRule& rule) {
  if (!IsIndirectGrant(rule)) return nullptr;
  const auto found = std::find_if(set.rules.begin(), set.rules.end(), [&](const ViewRule& hide) {
    const bool builtin = hide.why.origin.layer == LayerKind::kBuiltin && !hide.floor;
    return builtin && hide.access == Access::kHidden && Shown(rule).real.IsWithin(hide.at.real) &&
           !rule.named.IsWithin(hide.at.spelled) && !rule.named.IsWithin(hide.at.real);
  });
  return found == set.rules.end() ? nullptr : &*found;
}

}  // namespace

void DropUnnamed(RuleSet& set, Diagnostics& diagnostics) {
  std::vector<std::size_t> dropped;
  for (std::size_t i = 0; i < set.rules.size(); ++i) {
    const ViewRule& rule = set.rules[i];
    const ViewRule* hide = UnnamedHide(set, rule);
    if (hide == nullptr) continue;
    dropped.push_back(i);
    const Resolved& shown = Shown(rule);
    if (rule.by_pattern) {
      set.left_out.push_back(
          {shown.spelled.text(), "is hidden, and a pattern does not name it", rule.why.origin});
      continue;
    }
    diagnostics.push_back(AtOrigin(
        rule.why.origin,
        fmt::format("'{}' leads to '{}', which is hidden ({}, {})", Printable(shown.spelled.text()),
                    Printable(shown.real.text()), hide->why.text, DescribeOrigin(hide->why.origin)),
        fmt::format("name it itself if it is meant: {}", Printable(shown.real.text()))));
  }
  for (auto i = dropped.rbegin(); i != dropped.rend(); ++i) {
    set.rules.erase(set.rules.begin() + static_cast<std::ptrdiff_t>(*i));
  }
}

}  // namespace asb
