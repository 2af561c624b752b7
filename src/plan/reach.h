// What a run may reach, as one canonical text: two policies with the same text may share what an
// agent left behind, any other pair may not. Code that was planted under a narrow policy must not
// run under a wider one, and what a wide one cached must not be read under a narrower one.
//
// Builtin rows are not part of it: they are the same in every run. Neither is where a rule stands.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.h"
#include "policy/policy.h"

namespace asb {

/// `plan` with its entries and its environment. One line a thing, sorted; values of variables only
/// as digests.
std::string ReachOf(const Policy& policy, const Plan& plan);

/// The name of what is kept for this reach: 32 hexadecimal digits.
std::string KeyOfReach(std::string_view reach);

}  // namespace asb
