// Which variables enter the sandbox. Names only: values of the caller stay with the caller until
// the launch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "plan/plan.h"
#include "plan/rules.h"

namespace asb {

struct EnvVerdict {
  bool enters = false;
  std::optional<std::string> value;  ///< set to this instead of passed
  Why why;
};

/// Decides about one name at a time; made once for many.
class EnvRules {
 public:
  /// Contradictions inside one layer are reported to `diagnostics`.
  EnvRules(const Policy& policy, const HostFacts& facts, const BuiltinTables& tables,
           Diagnostics& diagnostics);
  [[nodiscard]] EnvVerdict Decide(const std::string& name) const;
  /// Every name that a rule sets, whether the caller has it or not.
  [[nodiscard]] std::vector<std::string> NamesSet() const;

 private:
  std::unordered_map<std::string, const EnvRule*> exact_;
  std::vector<const EnvRule*> patterns_;
  std::unordered_map<std::string, std::string> from_host_;
  const BuiltinTables& tables_;
};

/// By name. A variable that is named but not set goes to `left_out`.
std::vector<EnvStep> PlanEnvironment(const Policy& policy, const HostFacts& facts,
                                     const BuiltinTables& tables, Diagnostics& diagnostics,
                                     std::vector<LeftOut>& left_out);

}  // namespace asb
