// CompilePlan: the one pure function in the middle of the product. Same policy, facts and command,
// same plan, on any machine.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "plan/facts.h"
#include "plan/plan.h"
#include "plan/rules.h"
#include "policy/policy.h"

namespace asb {

struct Compiled {
  Plan plan;  ///< only to be used when diagnostics is empty
  Diagnostics diagnostics;
};

/// `command` is the program and its arguments; it may be empty when nothing is to be run.
Compiled CompilePlan(const Policy& policy, const HostFacts& facts,
                     const std::vector<std::string>& command,
                     const BuiltinTables& tables = ShippedTables());

/// The same with files asked of `source` instead of `facts.files`. On a real host it is one that
/// looks and remembers (host/probe): the facts it leaves give this very plan again.
Compiled CompilePlanFrom(FileSource& source, const Policy& policy, const HostFacts& facts,
                         const std::vector<std::string>& command, const BuiltinTables& tables);

}  // namespace asb
