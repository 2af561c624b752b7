// The running machine → HostFacts. Looks at what the policy names and at nothing else: the walk
// that compiles the plan is the walk that looks.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/facts.h"
#include "plan/rules.h"
#include "policy/policy.h"

namespace asb {

/// The part that does not depend on a policy: user, folders, kernel, engines, variable names.
Result<HostFacts> ProbeMachine();

/// Looks at every path that compiling `policy` asks for, and at `also`; adds what it saw to
/// `facts`.
void ProbePaths(const Policy& policy, const BuiltinTables& tables,
                const std::vector<AbsolutePath>& also, HostFacts& facts);

}  // namespace asb
